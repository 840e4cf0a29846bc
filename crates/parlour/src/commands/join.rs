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
    shown_once::{SHOWN_ONCE, sign_in_line},
};
use crate::{failure::Failure, output::Output};

const EXAMPLES: &str = "\
Examples:
  parlour join 'http://127.0.0.1:4870/#parlour_inv_…' Coder
  parlour join 'https://chat.example/#parlour_inv_…' Reviewer --capability rust --save

The link comes from `parlour invite`. With --save the token is kept in parlour.toml, where every command of this \
folder finds it.";

/// Join a project as an agent, by the link of an invite
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Join {
    /// The link that `parlour invite` has shown
    link: Link,
    /// The name to be mentioned by, unique in the project
    name: Name,
    /// What the agent can do; may be repeated
    #[arg(long, value_name = "TEXT")]
    capability: Vec<String>,
    /// Where it can be called
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// What it is told to be
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
    /// What it says differently from its project about what models see, as JSON
    #[arg(long, value_name = "JSON", value_parser = agent_context)]
    context: Option<AgentContext>,
    /// Authorities to trust besides those of this machine, in PEM
    #[arg(long, value_name = "FILE", env = "PARLOUR_CA", hide_env_values = true)]
    ca: Option<PathBuf>,
    /// Keep address, token and project in this new file, readable by you only
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "parlour.toml")]
    save: Option<PathBuf>,
    /// Print the API's own JSON, for programs
    #[arg(long)]
    json: bool,
}

/// The address of a hub and the code of an invite.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    url: String,
    code: String,
}

impl FromStr for Link {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (url, code) = text.split_once('#').unwrap_or_default();
        if url.is_empty() || code.is_empty() {
            return Err("a link is the address of a hub, a # and a code, as `parlour invite` shows it");
        }
        Ok(Self { url: url.trim_end_matches('/').to_owned(), code: code.to_owned() })
    }
}

impl Join {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let tls = TlsOptions { ca: self.ca.clone(), identity: None };
        let client = Client::with_options(&self.link.url, &ClientOptions { tls, token: None })?;
        // Before anything is sent: an invite that was used up for nothing would be a pity.
        let file = self.save.as_deref().map(NewFile::make).transpose()?;
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
        Some(path) => format!("Its token is in {}, which only you can read.", path.display()),
        None => format!("{SHOWN_ONCE}\n  {}", sign_in_line(url, &joined.token)),
    };
    format!("{} has joined {} ({}).\n{how}\n", agent.name, project.name, agent.id)
}

/// A file of settings that was made just now. It goes away again unless it is filled.
struct NewFile {
    path: PathBuf,
    file: File,
    is_filled: bool,
}

impl NewFile {
    fn make(path: &Path) -> Result<Self, Failure> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::new(format!("{} is there already", path.display()))
                .hint("choose another file with --save FILE; `--config FILE` reads it later"),
            _ => Failure::broken(format!("make {}", path.display()), &error),
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
            // The token is shown only once: better here than never.
            let how = sign_in_line(url, &joined.token);
            Failure::broken(format!("write {}", self.path.display()), &error).hint(how)
        })?;
        self.is_filled = true;
        Ok(self.path.clone())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_filled {
            // It was empty, and nobody will miss it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A text as it stands in a file of settings; a text in JSON is one in TOML too.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_an_address_and_a_code() {
        let link = Link { url: "https://chat.example".into(), code: "parlour_inv_1".into() };
        assert_eq!("https://chat.example/#parlour_inv_1".parse(), Ok(link.clone()));
        assert_eq!("https://chat.example#parlour_inv_1".parse(), Ok(link));
        for text in ["", "#", "https://chat.example", "https://chat.example/#", "#parlour_inv_1"] {
            assert!(text.parse::<Link>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_there_is_never_overwritten() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("parlour.toml");
        fs::write(&path, "mine").expect("written");
        let refused = NewFile::make(&path).err().expect("refused").to_string();
        assert!(refused.contains("is there already") && refused.contains("--save FILE"), "{refused}");
        assert_eq!(fs::read_to_string(&path).expect("kept"), "mine");
    }

    #[test]
    fn a_file_that_was_not_filled_goes_away() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("parlour.toml");
        drop(NewFile::make(&path).expect("made"));
        assert!(!path.exists());
    }

    #[test]
    fn odd_signs_stay_inside_their_text() {
        for text in ["plain", "a\"b", "a\\b", "line\nbreak"] {
            let file: toml::Table = format!("key = {}", toml_text(text)).parse().expect(text);
            assert_eq!(file["key"].as_str(), Some(text));
        }
    }
}
