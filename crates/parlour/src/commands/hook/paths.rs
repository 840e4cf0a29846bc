//! Paths of the settings files of coding agents and of the files of the hook.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use parlour_agent::hooks::{permission::Permission, tool::Tool};
use sha2::{Digest, Sha256};

use super::HookScope;
use crate::failure::Failure;

/// The folders of the current user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HookPaths {
    home: PathBuf,
    claude: PathBuf,
    codex: PathBuf,
    /// The folder of the profiles.
    pub(super) profiles: PathBuf,
    /// The folder of the installation records, sessions and log.
    pub(super) state: PathBuf,
}

impl HookPaths {
    pub(super) fn of_user() -> Result<Self, Failure> {
        Self::find(&|name| env::var_os(name))
    }

    fn find(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, Failure> {
        let path = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let no_home = || Failure::new("no home folder is known").hint("set HOME");
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

    /// The settings file of a tool.
    pub(super) fn settings(&self, tool: Tool, scope: HookScope, folder: &Path) -> PathBuf {
        match (tool, scope) {
            (Tool::ClaudeCode, HookScope::User) => self.claude.join("settings.json"),
            // The local file, because the entry contains a path of this machine.
            (Tool::ClaudeCode, HookScope::Project) => folder.join(".claude/settings.local.json"),
            (Tool::Codex, HookScope::User) => self.codex.join("hooks.json"),
            (Tool::Codex, HookScope::Project) => folder.join(".codex/hooks.json"),
            (Tool::Gemini, HookScope::User) => self.home.join(".gemini/settings.json"),
            (Tool::Gemini, HookScope::Project) => folder.join(".gemini/settings.json"),
            (Tool::Cursor, HookScope::User) => self.home.join(".cursor/hooks.json"),
            (Tool::Cursor, HookScope::Project) => folder.join(".cursor/hooks.json"),
        }
    }

    /// The file with the permission of a hook, for tools that read it from a file of its own.
    pub(super) fn rule_file(&self, tool: Tool, scope: HookScope, folder: &Path) -> Option<PathBuf> {
        let profile = self.profile(tool, scope, folder);
        let name = profile.file_stem()?.to_string_lossy().into_owned();
        match (tool, scope) {
            (Tool::Codex, HookScope::User) => Some(self.codex.join("rules/parlour.rules")),
            (Tool::Codex, HookScope::Project) => Some(folder.join(".codex/rules/parlour.rules")),
            // Gemini CLI reads no policies of projects.
            (Tool::Gemini, _) => Some(self.home.join(".gemini/policies").join(format!("parlour-{name}.toml"))),
            (Tool::ClaudeCode | Tool::Cursor, _) => None,
        }
    }

    /// Whether the settings of this folder and those of the user are the same file, as in the home folder.
    pub(super) fn is_shared(&self, tool: Tool, folder: &Path) -> bool {
        let [user, project] = [HookScope::User, HookScope::Project].map(|scope| self.settings(tool, scope, folder));
        let real = |path: &Path| {
            let folder = path.parent()?.parent()?.canonicalize().ok()?;
            Some(folder.join(path.strip_prefix(path.parent()?.parent()?).ok()?))
        };
        user == project || real(&user).is_some_and(|user| Some(user) == real(&project))
    }

    /// Refuses the settings of a folder that are those of the user.
    pub(super) fn check_scope(&self, tool: Tool, scope: HookScope, folder: &Path) -> Result<(), Failure> {
        if scope == HookScope::User || !self.is_shared(tool, folder) {
            return Ok(());
        }
        let file = self.settings(tool, scope, folder);
        let reason = format!("{} applies to all your sessions, not only to those in this folder", file.display());
        Err(Failure::usage(reason).hint("use --scope user, or change to the folder of a project"))
    }

    /// The file that can disable the hooks of Codex.
    pub(super) fn codex_config(&self) -> PathBuf {
        self.codex.join("config.toml")
    }

    /// The profile of a hook.
    pub(super) fn profile(&self, tool: Tool, scope: HookScope, folder: &Path) -> PathBuf {
        let name = match scope {
            HookScope::User => tool.name().to_owned(),
            HookScope::Project => format!("{tool}-{}", short_hash(folder.as_os_str().as_encoded_bytes())),
        };
        self.profiles.join(name + ".toml")
    }

    /// The state file of a session.
    pub(super) fn session(&self, tool: Tool, session: &str) -> PathBuf {
        // Hashed: the session id is input of the tool.
        self.sessions().join(format!("{tool}-{}.json", short_hash(session.as_bytes())))
    }

    pub(super) fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// The log file with recent errors.
    pub(super) fn journal(&self) -> PathBuf {
        self.state.join("journal.log")
    }

    /// The file of the installation records.
    pub(super) fn records(&self) -> PathBuf {
        self.state.join("installed.json")
    }
}

/// The path of this program for tools: as found in PATH, links not resolved.
pub(super) fn program() -> Result<PathBuf, Failure> {
    let own = env::current_exe().map_err(|error| Failure::broken("find this program", &error))?;
    Ok(in_search_path(&own).unwrap_or(own))
}

/// The prefix of commands that act as the agent of a hook. The path is absolute: the shell of a coding agent may have
/// another PATH.
pub(super) fn reply_prefix(program: &Path, profile: &Path) -> String {
    format!("{} hook as --config {}", quoted_path(program), quoted_path(profile))
}

/// The permission for the commands of a hook.
pub(super) fn permission(tool: Tool, program: &Path, profile: &Path) -> Permission {
    let prefix = reply_prefix(program, profile);
    Permission::of(tool, &program.to_string_lossy(), &profile.to_string_lossy(), &prefix)
}

/// Quotes a path for the shell.
pub(super) fn quoted_path(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
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

    fn paths(pairs: &[(&str, &str)]) -> Result<HookPaths, Failure> {
        HookPaths::find(&|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn folders_of_tools_and_users_can_be_overridden() {
        let usual = paths(&[("HOME", "/srv/mara")]).expect("paths");
        let at = |paths: &HookPaths, tool, scope| paths.settings(tool, scope, Path::new("/w")).display().to_string();
        assert_eq!(at(&usual, Tool::ClaudeCode, HookScope::User), "/srv/mara/.claude/settings.json");
        assert_eq!(at(&usual, Tool::ClaudeCode, HookScope::Project), "/w/.claude/settings.local.json");
        assert_eq!(at(&usual, Tool::Codex, HookScope::User), "/srv/mara/.codex/hooks.json");
        let moved = [("HOME", "/h"), ("CODEX_HOME", "/c"), ("CLAUDE_CONFIG_DIR", "/d"), ("XDG_STATE_HOME", "/s")];
        let moved = paths(&moved).expect("paths");
        assert_eq!(at(&moved, Tool::Codex, HookScope::User), "/c/hooks.json");
        assert_eq!(at(&moved, Tool::ClaudeCode, HookScope::User), "/d/settings.json");
        assert_eq!(moved.journal(), Path::new("/s/parlour/hooks/journal.log"));
        assert!(paths(&[]).is_err() && paths(&[("HOME", "relative")]).is_err());
    }

    #[test]
    fn no_session_id_leaves_the_session_folder() {
        let paths = paths(&[("HOME", "/h")]).expect("paths");
        let path = paths.session(Tool::Gemini, "../../../etc/passwd");
        assert_eq!(path.parent(), Some(paths.sessions().as_path()));
        assert_ne!(path, paths.session(Tool::Gemini, "other"));
    }

    #[test]
    fn paths_with_special_characters_are_quoted() {
        assert_eq!(quoted_path(Path::new("/usr/bin/parlour")), "/usr/bin/parlour");
        assert_eq!(quoted_path(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }
}
