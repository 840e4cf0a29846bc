//! `parlour join`: an agent joins a project by an invite.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::Args;
use parlour_agent::{Client, ClientOptions, TlsOptions, answers::Joined, requests};
use parlour_core::{context::AgentContext, name::Name};

use super::{agent::agent_context, token::login_command};
use crate::{
    failure::Failure,
    output::{Output, shell::quoted},
    profiles::{Profile, ProfileName, ProfileStore},
};

const EXAMPLES: &str = "\
Examples:
  parlour join 'http://127.0.0.1:4870/#parlour_inv_…' Coder
  parlour join 'https://chat.example/#parlour_inv_…' Reviewer --capability rust --profile reviewer
  parlour join 'https://chat.example/#parlour_inv_…' Builder --save

`parlour invite` prints the link. The token is stored as a profile with the name of the agent. With --save it is written \
to parlour.toml instead, which all commands in this folder read.";

/// The settings file that commands read by default.
const SETTINGS_FILE: &str = "parlour.toml";

/// Join a project as an agent, with the link of an invite
///
/// Prints the command that starts the agent.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct JoinCommand {
    /// Link printed by `parlour invite`
    link: InviteLink,
    /// Name for mentions, unique in the project
    name: Name,
    /// Capability of the agent; can be repeated
    #[arg(long, value_name = "TEXT")]
    capability: Vec<String>,
    /// URL of the agent's own endpoint
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Instructions for the model
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
    /// Context settings that override those of the project, as JSON
    #[arg(long, value_name = "JSON", value_parser = agent_context)]
    context: Option<AgentContext>,
    /// Additional trusted CA certificates, PEM
    #[arg(long, value_name = "FILE", env = "PARLOUR_CA", hide_env_values = true)]
    ca: Option<PathBuf>,
    /// Profile for the token; default: the name of the agent
    #[arg(long, value_name = "NAME", conflicts_with = "save")]
    profile: Option<ProfileName>,
    /// Write address, token and project to this new file (mode 600) instead of a profile
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = SETTINGS_FILE)]
    save: Option<PathBuf>,
    /// Print the JSON of the API
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct InviteLink {
    url: String,
    code: String,
}

impl FromStr for InviteLink {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (url, code) = text.split_once('#').unwrap_or_default();
        if url.is_empty() || code.is_empty() {
            return Err("not an invite link; copy the whole link that `parlour invite` printed, with the code after #");
        }
        Ok(Self { url: url.trim_end_matches('/').to_owned(), code: code.to_owned() })
    }
}

impl JoinCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let tls = TlsOptions { ca: self.ca.clone(), identity: None };
        let client = Client::with_options(&self.link.url, &ClientOptions { tls, token: None })?;
        // Checked or created before the call, so that a failure does not use up the invite.
        let place = match &self.save {
            Some(path) => TokenPlace::File(NewSettingsFile::make(path)?),
            None => TokenPlace::profile(self.profile.unwrap_or_else(|| ProfileName::of_agent(self.name.as_str())))?,
        };
        let request = requests::Join {
            code: self.link.code,
            name: self.name,
            capabilities: self.capability,
            endpoint_url: self.endpoint,
            instructions: self.instructions,
            context: self.context,
        };
        let joined = client.join(&request).await?;
        let saved = place.fill(client.url(), &joined, self.ca.as_deref());
        let saved = saved.map_err(|failure| lost_token(&failure, client.url(), &joined.token))?;
        if self.json {
            return Output::json(&joined);
        }
        Ok(Output::text(show(&joined, &saved)))
    }
}

/// The token cannot be read again, so it is printed if it was not stored.
fn lost_token(failure: &Failure, url: &str, token: &str) -> Failure {
    let hint = format!("keep the token: {token}; store it with: {}", login_command(url));
    Failure::new(failure.reason()).hint(hint)
}

/// Where the token is stored.
enum TokenPlace {
    File(NewSettingsFile),
    Profile(ProfileStore, ProfileName),
}

/// Where the token was stored.
#[derive(Debug, PartialEq, Eq)]
enum SavedToken {
    File(PathBuf),
    Profile(ProfileName),
}

impl TokenPlace {
    /// Refuses a profile that exists, so that no token is replaced.
    fn profile(name: ProfileName) -> Result<Self, Failure> {
        let store = ProfileStore::required()?;
        if store.read()?.all.contains_key(&name) {
            return Err(Failure::new(format!("profile {name} already exists"))
                .hint("select another name with --profile NAME, or remove it with `parlour logout --profile NAME`"));
        }
        Ok(Self::Profile(store, name))
    }

    fn fill(self, url: &str, joined: &Joined, ca: Option<&Path>) -> Result<SavedToken, Failure> {
        match self {
            Self::File(file) => file.fill(url, joined, ca).map(SavedToken::File),
            Self::Profile(store, name) => {
                let profile = Profile {
                    url: url.to_owned(),
                    token: joined.token.clone(),
                    issued: None,
                    member: joined.agent.name.to_string(),
                    project: None,
                    ca: ca.map(|ca| std::path::absolute(ca).unwrap_or_else(|_| ca.to_owned())),
                };
                // Other commands on this machine keep the user's own profile.
                store.change(|profiles| profiles.put(name.clone(), profile, false))?;
                Ok(SavedToken::Profile(name))
            }
        }
    }
}

fn show(joined: &Joined, saved: &SavedToken) -> String {
    let (agent, project) = (&joined.agent, &joined.project);
    let how = match saved {
        SavedToken::File(path) => format!("The token was written to {} (mode 600).", path.display()),
        SavedToken::Profile(name) => format!("The token was stored as profile {name}."),
    };
    let start = start_command(saved);
    format!(
        "{} joined {} ({}).\n{how}\nStart the agent, with your own command after --exec:\n  {start}\n",
        agent.name, project.name, agent.id
    )
}

/// The command that connects the agent. A settings file with another name than the default must be passed.
fn start_command(saved: &SavedToken) -> String {
    let option = match saved {
        SavedToken::Profile(name) => format!(" --profile {}", quoted(name.as_str())),
        SavedToken::File(path) if path == Path::new(SETTINGS_FILE) => String::new(),
        SavedToken::File(path) => format!(" --config {}", quoted(&path.display().to_string())),
    };
    format!("parlour agent{option} --claude-code")
}

/// A new settings file, removed on drop unless it was filled.
struct NewSettingsFile {
    path: PathBuf,
    file: File,
    is_filled: bool,
}

impl NewSettingsFile {
    fn make(path: &Path) -> Result<Self, Failure> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::new(format!("{} already exists", path.display()))
                .hint("select another file with --save FILE, and pass it to later commands with --config FILE"),
            _ => Failure::broken(format!("create {}", path.display()), &error),
        })?;
        Ok(Self { path: path.to_owned(), file, is_filled: false })
    }

    fn fill(mut self, url: &str, joined: &Joined, ca: Option<&Path>) -> Result<PathBuf, Failure> {
        let mut lines = vec![("url", url), ("token", &joined.token), ("project", joined.project.id.as_str())];
        let ca = ca.map(|ca| ca.display().to_string());
        lines.extend(ca.as_deref().map(|ca| ("ca", ca)));
        let text: String = lines.iter().map(|(key, value)| format!("{key} = {}\n", toml_text(value))).collect();
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_all());
        written.map_err(|error| Failure::broken(format!("write {}", self.path.display()), &error))?;
        self.is_filled = true;
        Ok(self.path.clone())
    }
}

impl Drop for NewSettingsFile {
    fn drop(&mut self) {
        if !self.is_filled {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Quotes a TOML string; a JSON string is a valid one.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invite_link_contains_an_address_and_a_code() {
        let link = InviteLink { url: "https://chat.example".into(), code: "parlour_inv_1".into() };
        assert_eq!("https://chat.example/#parlour_inv_1".parse(), Ok(link.clone()));
        assert_eq!("https://chat.example#parlour_inv_1".parse(), Ok(link));
        for text in ["", "#", "https://chat.example", "https://chat.example/#", "#parlour_inv_1"] {
            assert!(text.parse::<InviteLink>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_start_command_names_a_settings_file_that_is_not_the_default() {
        let start = |path: &str| start_command(&SavedToken::File(path.into()));
        assert_eq!(start("parlour.toml"), "parlour agent --claude-code");
        assert_eq!(start("my agent.toml"), "parlour agent --config 'my agent.toml' --claude-code");
        let profile = SavedToken::Profile(ProfileName::of_agent("Coder"));
        assert_eq!(start_command(&profile), "parlour agent --profile Coder --claude-code");
    }

    #[test]
    fn an_existing_file_is_never_overwritten() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("parlour.toml");
        fs::write(&path, "mine").expect("written");
        let refused = NewSettingsFile::make(&path).err().expect("refused").to_string();
        assert!(refused.contains("already exists") && refused.contains("--save FILE"), "{refused}");
        assert_eq!(fs::read_to_string(&path).expect("kept"), "mine");
    }

    #[test]
    fn an_unfinished_file_is_removed() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("parlour.toml");
        drop(NewSettingsFile::make(&path).expect("made"));
        assert!(!path.exists());
    }

    #[test]
    fn special_characters_are_escaped() {
        for text in ["plain", "a\"b", "a\\b", "line\nbreak"] {
            let file: toml::Table = format!("key = {}", toml_text(text)).parse().expect(text);
            assert_eq!(file["key"].as_str(), Some(text));
        }
    }
}
