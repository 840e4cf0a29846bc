//! The agent of a hook, its token, and the profile file that stores both.

use std::{ffi::OsStr, fs, io, path::Path};

use clap::{Args as _, Command, FromArgMatches as _};
use parlour_agent::{
    Client,
    requests::{IssueToken, NewAgent},
};
use parlour_core::{
    Code,
    id::{MemberId, TokenId},
    limits,
    member::Agent,
    name::Name,
    project::Project,
    token::TokenKind,
};

use crate::{
    failure::Failure,
    session::{Connection, Session},
    settings::{ClientSettings, ForClients, SettingFlags, SettingSources},
};

/// The agent of a hook after the installation.
pub(super) enum HookIdentity {
    /// The agent of the existing profile.
    Kept { agent: Name },
    /// The owner of the current token.
    Own { agent: Name, text: String },
    /// An agent that gets a new token, and is added if necessary.
    Issued(Box<Issue>),
}

/// The steps to issue a token.
pub(super) struct Issue {
    session: Session,
    settings: ClientSettings,
    project: Project,
    name: Name,
    known: Option<Agent>,
    label: String,
}

impl HookIdentity {
    /// Determines the agent, without changes.
    pub(super) async fn find(
        connection: &Connection,
        wanted: Option<&Name>,
        profile: &Path,
        purpose: &str,
    ) -> Result<Self, Failure> {
        if let Some(agent) = kept(profile, wanted).await? {
            return Ok(Self::Kept { agent });
        }
        let session = connection.open()?;
        let settings = connection.settings()?;
        let me = session.client.me().await?;
        let (MemberId::Agent(_), Some(project)) = (&me.member_id, &me.project_id) else {
            return Issue::plan(session, settings, wanted, purpose).await.map(|issue| Self::Issued(Box::new(issue)));
        };
        if let Some(name) = wanted.filter(|name| name.key() != me.name.key()) {
            return Err(Failure::usage(format!("this token belongs to agent {}, not to {name}", me.name))
                .hint(format!("omit --agent, or use the token of {name}")));
        }
        let text = profile_text(&settings, project.as_str());
        Ok(Self::Own { agent: me.name, text })
    }

    pub(super) fn agent(&self) -> &Name {
        match self {
            Self::Kept { agent } | Self::Own { agent, .. } => agent,
            Self::Issued(issue) => &issue.name,
        }
    }

    /// Describes the changes on the hub.
    pub(super) fn plan(&self) -> String {
        match self {
            Self::Kept { agent } => format!("The hook keeps its agent {agent}.\n"),
            Self::Own { agent, .. } => format!("The hook will use agent {agent} and the current token.\n"),
            Self::Issued(issue) => {
                let added = if issue.known.is_none() { "be added and " } else { "" };
                let (name, project) = (&issue.name, &issue.project.name);
                format!("The hook will use agent {name} of {project}, which will {added}get a new token.\n")
            }
        }
    }

    /// The new profile without its token; none if the profile is kept.
    pub(super) fn shown(&self) -> Option<String> {
        let text = match self {
            Self::Kept { .. } => return None,
            Self::Own { text, .. } => text.clone(),
            Self::Issued(issue) => {
                let settings = ClientSettings { token: Some(String::new()), ..issue.settings.clone() };
                profile_text(&settings, issue.project.id.as_str())
            }
        };
        Some(without_token(&text))
    }

    /// Issues the token; returns the text of the profile and the id of the token.
    pub(super) async fn apply(&self) -> Result<Option<(String, Option<TokenId>)>, Failure> {
        match self {
            Self::Kept { .. } => Ok(None),
            Self::Own { text, .. } => Ok(Some((text.clone(), None))),
            Self::Issued(issue) => issue.apply().await.map(|(text, token)| Some((text, Some(token)))),
        }
    }

    /// Revokes a token after a failed installation.
    pub(super) async fn revoke(&self, token: &TokenId) {
        if let Self::Issued(issue) = self {
            let _ = issue.session.client.revoke_token(token).await;
        }
    }
}

impl Issue {
    async fn plan(
        session: Session,
        settings: ClientSettings,
        wanted: Option<&Name>,
        purpose: &str,
    ) -> Result<Self, Failure> {
        let Some(name) = wanted else {
            return Err(Failure::usage("the token belongs to a person and no agent is given")
                .hint("pass the name of the agent: parlour hook install … --agent Coder"));
        };
        let project = session.project().await?;
        let agents = session.client.agents(&project.id).await?.items;
        let known = agents.into_iter().find(|agent| agent.name.key() == name.key());
        if let Some(engine) = known.as_ref().and_then(|agent| agent.engine.as_ref()) {
            let reason = format!("{name} is hosted by the hub with provider {}", engine.provider);
            return Err(Failure::new(reason).hint("use another --agent"));
        }
        let label = purpose.chars().take(limits::TOKEN_LABEL_CHARS_MAX).collect();
        let name = known.as_ref().map_or(name, |agent| &agent.name).clone();
        Ok(Self { session, settings, project, name, known, label })
    }

    async fn apply(&self) -> Result<(String, TokenId), Failure> {
        let client = &self.session.client;
        let agent = match &self.known {
            Some(agent) => agent.clone(),
            None => self.add(client).await?,
        };
        let request = IssueToken {
            member_id: Some(agent.id.into()),
            kind: TokenKind::Static,
            label: self.label.clone(),
            scopes: None,
            acts_as: None,
            expires_in_seconds: None,
            certificate_sha256: None,
            issuer: None,
            subject: None,
        };
        let issued = client.issue_token(&request).await?;
        let settings = ClientSettings { token: issued.secret, ..self.settings.clone() };
        Ok((profile_text(&settings, self.project.id.as_str()), issued.token.id))
    }

    async fn add(&self, client: &Client) -> Result<Agent, Failure> {
        let new = NewAgent {
            project_id: self.project.id.clone(),
            name: self.name.clone(),
            capabilities: Vec::new(),
            endpoint_url: None,
            instructions: None,
            engine: None,
            context: None,
            role: None,
        };
        let agent = client.create_agent(&new).await?.agent;
        // The initial token is not used: the hook gets one with a label.
        for token in client.tokens(Some(&agent.id.clone().into())).await?.items {
            client.revoke_token(&token.id).await?;
        }
        Ok(agent)
    }
}

/// The agent of an existing profile with a valid token.
async fn kept(profile: &Path, wanted: Option<&Name>) -> Result<Option<Name>, Failure> {
    if !profile.exists() {
        return Ok(None);
    }
    let Ok(settings) = read_profile(profile.as_os_str()) else { return Ok(None) };
    let client = Client::with_options(&settings.url, &settings.options())?;
    match client.me().await {
        Ok(me) if wanted.is_none_or(|name| name.key() == me.name.key()) => {
            Ok(me.member_id.agent().is_some().then_some(me.name))
        }
        Ok(_) => Ok(None),
        Err(error) if error.problem().is_some_and(|problem| problem.is(Code::Unauthenticated)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn profile_text(settings: &ClientSettings, project: &str) -> String {
    let path = |path: &Path| path.display().to_string();
    let identity = settings.tls.identity.as_ref();
    let lines = [
        ("url", Some(settings.url.clone())),
        ("token", settings.token.clone()),
        ("project", Some(project.to_owned())),
        ("ca", settings.tls.ca.as_deref().map(absolute).as_deref().map(path)),
        ("client_cert", identity.map(|files| path(&absolute(&files.certificate)))),
        ("client_key", identity.map(|files| path(&absolute(&files.key)))),
    ];
    let lines = lines.into_iter().filter_map(|(key, value)| Some((key, value?)));
    // A JSON string is a valid TOML string.
    lines.map(|(key, value)| format!("{key} = {}\n", serde_json::Value::from(value))).collect()
}

/// The text of a profile with a hidden token.
pub(super) fn without_token(text: &str) -> String {
    let shown = |line: &str| {
        if line.starts_with("token = ") { "token = (not shown)\n".to_owned() } else { line.to_owned() + "\n" }
    };
    text.lines().map(shown).collect()
}

/// Reads the settings of a profile only; the environment must not change the agent of a hook.
pub(super) fn read_profile(path: &OsStr) -> Result<ClientSettings, Failure> {
    let command = SettingFlags::<ForClients>::augment_args(Command::new("parlour").no_binary_name(true));
    let matches = command.try_get_matches_from([OsStr::new("--config"), path]);
    let flags = matches.and_then(|matches| SettingFlags::from_arg_matches(&matches));
    let flags = flags.map_err(|error| Failure::usage(error.to_string()))?;
    let nothing = |_: &str| None;
    Ok(ClientSettings::read(&SettingSources::<ForClients>::open(&flags, &nothing)?)?)
}

/// Removes a file if it exists.
pub(super) fn remove_profile(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::broken(format!("remove {}", path.display()), &error))
        }
        _ => Ok(()),
    }
}

fn absolute(path: &Path) -> std::path::PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use parlour_agent::TlsOptions;

    use super::*;

    #[test]
    fn a_profile_round_trips_and_is_shown_without_its_token() {
        let settings = ClientSettings {
            url: "http://127.0.0.1:1".into(),
            token: Some("secret\"x".into()),
            project: None,
            tls: TlsOptions { ca: Some("/ca.pem".into()), identity: None },
        };
        let text = profile_text(&settings, "prj_1");
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("p.toml");
        fs::write(&path, &text).expect("written");
        let Ok(got) = read_profile(path.as_os_str()) else { unreachable!("what was written is read") };
        assert_eq!((got.url, got.token, got.project), (settings.url, settings.token, Some("prj_1".into())));
        assert!(!without_token(&text).contains("secret") && without_token(&text).contains("/ca.pem"));
        assert!(read_profile(folder.path().join("none").as_os_str()).is_err());
    }
}
