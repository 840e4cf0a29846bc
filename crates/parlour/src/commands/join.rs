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

use super::{
    agent::agent_context,
    token::{SHOWN_ONCE, sign_in_line},
};
use crate::{
    failure::Failure,
    output::{Output, shell::quoted},
};

const EXAMPLES: &str = "\
Examples:
  parlour join 'http://127.0.0.1:4870/#parlour_inv_…' Coder
  parlour join 'https://chat.example/#parlour_inv_…' Reviewer --capability rust --save

`parlour invite` prints the link. With --save the token is written to parlour.toml, which all commands in this folder \
read.";

/// The settings file that commands read by default.
const SETTINGS_FILE: &str = "parlour.toml";

/// Join a project as an agent, with the link of an invite
///
/// Prints the command that starts the agent.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct JoinCommand {
    /// InviteLink printed by `parlour invite`
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
    /// Write address, token and project to this new file (mode 600)
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
        // Created before the call, so that a failure does not use up the invite.
        let file = self.save.as_deref().map(NewSettingsFile::make).transpose()?;
        let request = requests::Join {
            code: self.link.code,
            name: self.name,
            capabilities: self.capability,
            endpoint_url: self.endpoint,
            instructions: self.instructions,
            context: self.context,
        };
        let joined = client.join(&request).await?;
        let saved = file.map(|file| file.fill(client.url(), &joined, self.ca.as_deref())).transpose()?;
        if self.json {
            return Output::json(&joined);
        }
        Ok(Output::text(show(client.url(), &joined, saved.as_deref())))
    }
}

fn show(url: &str, joined: &Joined, saved: Option<&Path>) -> String {
    let (agent, project) = (&joined.agent, &joined.project);
    let how = match saved {
        Some(path) => format!("The token was written to {} (mode 600).", path.display()),
        None => format!("{SHOWN_ONCE}\n  {}", sign_in_line(url, &joined.token)),
    };
    let start = start_command(saved);
    format!(
        "{} joined {} ({}).\n{how}\nStart the agent, with your own command after --exec:\n  {start}\n",
        agent.name, project.name, agent.id
    )
}

/// The command that connects the agent. Its token is in the settings file, or in the environment after the printed
/// `export`. A settings file with another name must be passed.
fn start_command(saved: Option<&Path>) -> String {
    let config = saved.filter(|path| *path != Path::new(SETTINGS_FILE));
    let config = config.map(|path| format!(" --config {}", quoted(&path.display().to_string())));
    format!("parlour agent{} --exec 'claude -p'", config.unwrap_or_default())
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
        written.map_err(|error| {
            // The token cannot be read again, so it is printed.
            let how = sign_in_line(url, &joined.token);
            Failure::broken(format!("write {}", self.path.display()), &error).hint(how)
        })?;
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
        assert_eq!(start_command(None), "parlour agent --exec 'claude -p'");
        assert_eq!(start_command(Some(Path::new("parlour.toml"))), "parlour agent --exec 'claude -p'");
        let other = start_command(Some(Path::new("my agent.toml")));
        assert_eq!(other, "parlour agent --config 'my agent.toml' --exec 'claude -p'");
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
