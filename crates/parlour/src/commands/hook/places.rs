//! Where things are: the settings files of tools, and what the hook keeps itself.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use parlour_agent::hooks::tool::Tool;
use sha2::{Digest, Sha256};

use super::Scope;
use crate::failure::Failure;

/// The folders of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    home: PathBuf,
    claude: PathBuf,
    codex: PathBuf,
    /// What the hook knows for good: who it is.
    pub(super) profiles: PathBuf,
    /// What the hook remembers: what was installed, sessions, its journal.
    pub(super) state: PathBuf,
}

impl Places {
    /// Those of the user who runs this.
    pub(super) fn of_user() -> Result<Self, Failure> {
        Self::find(&|name| env::var_os(name))
    }

    fn find(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, Failure> {
        let path = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let no_home = || Failure::new("there is no home folder").hint("set HOME");
        let home = path("HOME").ok_or_else(no_home)?;
        let or_home = |name: &str, folder: &str| path(name).unwrap_or_else(|| home.join(folder));
        Ok(Self {
            claude: or_home("CLAUDE_CONFIG_DIR", ".claude"),
            codex: or_home("CODEX_HOME", ".codex"),
            profiles: or_home("XDG_CONFIG_HOME", ".config").join("parlour/hooks"),
            state: or_home("XDG_STATE_HOME", ".local/state").join("parlour/hooks"),
            home,
        })
    }

    /// The file in which a tool reads its hooks.
    pub(super) fn settings(&self, tool: Tool, scope: Scope, folder: &Path) -> PathBuf {
        match (tool, scope) {
            (Tool::ClaudeCode, Scope::User) => self.claude.join("settings.json"),
            // Not the file that is shared: the entry names a program of this machine.
            (Tool::ClaudeCode, Scope::Project) => folder.join(".claude/settings.local.json"),
            (Tool::Codex, Scope::User) => self.codex.join("hooks.json"),
            (Tool::Codex, Scope::Project) => folder.join(".codex/hooks.json"),
            (Tool::Gemini, Scope::User) => self.home.join(".gemini/settings.json"),
            (Tool::Gemini, Scope::Project) => folder.join(".gemini/settings.json"),
            (Tool::Cursor, Scope::User) => self.home.join(".cursor/hooks.json"),
            (Tool::Cursor, Scope::Project) => folder.join(".cursor/hooks.json"),
        }
    }

    /// Where Codex may have its hooks switched off.
    pub(super) fn codex_config(&self) -> PathBuf {
        self.codex.join("config.toml")
    }

    /// The file that says who the hook is.
    pub(super) fn profile(&self, tool: Tool, scope: Scope, folder: &Path) -> PathBuf {
        let name = match scope {
            Scope::User => tool.name().to_owned(),
            Scope::Project => format!("{tool}-{}", short_hash(folder.as_os_str().as_encoded_bytes())),
        };
        self.profiles.join(name + ".toml")
    }

    /// The file that remembers a session.
    pub(super) fn session(&self, tool: Tool, session: &str) -> PathBuf {
        // A session is called as its tool likes; the name of a file is made of safe signs.
        self.sessions().join(format!("{tool}-{}.json", short_hash(session.as_bytes())))
    }

    /// The folder of the files that remember sessions.
    pub(super) fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// What went wrong lately.
    pub(super) fn journal(&self) -> PathBuf {
        self.state.join("journal.log")
    }

    /// What was installed.
    pub(super) fn records(&self) -> PathBuf {
        self.state.join("installed.json")
    }
}

/// The program as tools are to call it: the place where it is found, not where a link to it leads.
pub(super) fn program() -> Result<PathBuf, Failure> {
    let own = env::current_exe().map_err(|error| Failure::broken("find this program", &error))?;
    Ok(in_search_path(&own).unwrap_or(own))
}

/// The program as it is typed: by its name where that finds it.
pub(super) fn program_to_type(program: &Path) -> String {
    let is_found = env::current_exe().ok().and_then(|own| in_search_path(&own)).as_deref() == Some(program);
    if is_found { "parlour".to_owned() } else { quoted_path(program) }
}

/// A path as a shell takes it.
pub(super) fn quoted_path(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./".contains(sign);
    if text.chars().all(is_plain) { text } else { crate::output::shell::quoted(&text) }
}

fn in_search_path(own: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let found = env::split_paths(&folders).map(|folder| folder.join("parlour")).find(|path| path.is_file())?;
    let is_own = found.is_absolute() && found.canonicalize().ok()? == own.canonicalize().ok()?;
    is_own.then_some(found)
}

fn short_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(pairs: &[(&str, &str)]) -> Result<Places, Failure> {
        Places::find(&|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn tools_and_users_can_have_their_folders_elsewhere() {
        let usual = places(&[("HOME", "/srv/mara")]).expect("places");
        let at = |places: &Places, tool, scope| places.settings(tool, scope, Path::new("/w")).display().to_string();
        assert_eq!(at(&usual, Tool::ClaudeCode, Scope::User), "/srv/mara/.claude/settings.json");
        assert_eq!(at(&usual, Tool::ClaudeCode, Scope::Project), "/w/.claude/settings.local.json");
        assert_eq!(at(&usual, Tool::Codex, Scope::User), "/srv/mara/.codex/hooks.json");
        let moved = [("HOME", "/h"), ("CODEX_HOME", "/c"), ("CLAUDE_CONFIG_DIR", "/d"), ("XDG_STATE_HOME", "/s")];
        let moved = places(&moved).expect("places");
        assert_eq!(at(&moved, Tool::Codex, Scope::User), "/c/hooks.json");
        assert_eq!(at(&moved, Tool::ClaudeCode, Scope::User), "/d/settings.json");
        assert_eq!(moved.journal(), Path::new("/s/parlour/hooks/journal.log"));
        assert!(places(&[]).is_err() && places(&[("HOME", "relative")]).is_err());
    }

    #[test]
    fn no_session_can_name_a_file_elsewhere() {
        let places = places(&[("HOME", "/h")]).expect("places");
        let path = places.session(Tool::Gemini, "../../../etc/passwd");
        assert_eq!(path.parent(), Some(places.sessions().as_path()));
        assert_ne!(path, places.session(Tool::Gemini, "other"));
    }

    #[test]
    fn paths_with_odd_signs_are_quoted() {
        assert_eq!(quoted_path(Path::new("/usr/bin/parlour")), "/usr/bin/parlour");
        assert_eq!(quoted_path(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }
}
