//! Which agent a hook is, and with which token it speaks.

use std::path::Path;

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

use super::profile;
use crate::{
    failure::Failure,
    session::{Connection, Session},
    settings::ClientSettings,
};

/// Who the hook will be.
pub(super) enum Identity {
    /// The one that it is already.
    Kept { agent: Name },
    /// The owner of the token that is set.
    Own { agent: Name, text: String },
    /// An agent that gets a token, and is added first when it is not there.
    Issued(Box<Issue>),
}

/// What has to be done for a token.
pub(super) struct Issue {
    session: Session,
    settings: ClientSettings,
    project: Project,
    name: Name,
    known: Option<Agent>,
    label: String,
}

impl Identity {
    /// Finds out, without changing anything.
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
            return Err(Failure::usage(format!("this token is of the agent {}, not of {name}", me.name))
                .hint(format!("leave --agent away, or use the token of {name}")));
        }
        let text = profile::text(&settings, project.as_str());
        Ok(Self::Own { agent: me.name, text })
    }

    /// The agent's name.
    pub(super) fn agent(&self) -> &Name {
        match self {
            Self::Kept { agent } | Self::Own { agent, .. } => agent,
            Self::Issued(issue) => &issue.name,
        }
    }

    /// What would be done beside writing files.
    pub(super) fn plan(&self) -> String {
        match self {
            Self::Kept { agent } => format!("The hook stays the agent {agent}.\n"),
            Self::Own { agent, .. } => format!("The hook will be the agent {agent}, with the token that is set now.\n"),
            Self::Issued(issue) => {
                let added = if issue.known.is_none() { "be added, and " } else { "" };
                let (name, project) = (&issue.name, &issue.project.name);
                format!("The hook will be the agent {name} of {project}, who will {added}get a token for it.\n")
            }
        }
    }

    /// The text of the profile as it may be shown before it is there; nothing when the old one stays.
    pub(super) fn shown(&self) -> Option<String> {
        let text = match self {
            Self::Kept { .. } => return None,
            Self::Own { text, .. } => text.clone(),
            Self::Issued(issue) => {
                let settings = ClientSettings { token: Some(String::new()), ..issue.settings.clone() };
                profile::text(&settings, issue.project.id.as_str())
            }
        };
        Some(profile::without_token(&text))
    }

    /// Does it: the text of the profile, and the token that was issued for it.
    pub(super) async fn realize(&self) -> Result<Option<(String, Option<TokenId>)>, Failure> {
        match self {
            Self::Kept { .. } => Ok(None),
            Self::Own { text, .. } => Ok(Some((text.clone(), None))),
            Self::Issued(issue) => issue.realize().await.map(|(text, token)| Some((text, Some(token)))),
        }
    }

    /// Takes back a token that came to nothing.
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
            return Err(Failure::usage("your token is a person's, so it is not clear which agent the hook is")
                .hint("name the agent: parlour hook install … --agent Coder"));
        };
        let project = session.project().await?;
        let agents = session.client.agents(&project.id).await?.items;
        let known = agents.into_iter().find(|agent| agent.name.key() == name.key());
        if let Some(engine) = known.as_ref().and_then(|agent| agent.engine.as_ref()) {
            let reason = format!("the hub runs {name} itself, with the provider {}", engine.provider);
            return Err(Failure::new(reason).hint("take another --agent"));
        }
        let label = purpose.chars().take(limits::TOKEN_LABEL_CHARS_MAX).collect();
        let name = known.as_ref().map_or(name, |agent| &agent.name).clone();
        Ok(Self { session, settings, project, name, known, label })
    }

    async fn realize(&self) -> Result<(String, TokenId), Failure> {
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
        Ok((profile::text(&settings, self.project.id.as_str()), issued.token.id))
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
        // The first token was for nobody to see: the hook gets one that says what it is for.
        for token in client.tokens(Some(&agent.id.clone().into())).await?.items {
            client.revoke_token(&token.id).await?;
        }
        Ok(agent)
    }
}

/// The agent of a profile that is there and still works.
async fn kept(profile: &Path, wanted: Option<&Name>) -> Result<Option<Name>, Failure> {
    if !profile.exists() {
        return Ok(None);
    }
    let Ok(settings) = profile::read(profile.as_os_str()) else { return Ok(None) };
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
