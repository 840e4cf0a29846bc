//! The agent that is run, its token, and the name of the machine.

use std::sync::Arc;

use parlour_agent::{
    Client,
    answers::Me,
    link::{HubLink, RemoteLink},
    requests::{IssueToken, NewAgent},
};
use parlour_core::{
    id::{MemberId, TokenId},
    limits,
    member::Agent,
    name::Name,
    project::Project,
    token::TokenKind,
};

use crate::{failure::Failure, session::Session};

/// The agent as given on the command line.
#[derive(Debug)]
pub(super) struct AgentRequest {
    pub(super) name: Option<Name>,
    pub(super) capabilities: Vec<String>,
    pub(super) instructions: Option<String>,
}

/// The agent to run, and its client.
pub(super) struct RunnerIdentity {
    pub(super) agent: Agent,
    pub(super) project: Project,
    client: Client,
    /// The token that was issued for this process.
    issued: Option<TokenId>,
    pub(super) is_new: bool,
}

impl RunnerIdentity {
    /// Finds the agent: the owner of the token, or with a person's token the agent of this name, which is added if necessary.
    pub(super) async fn find(session: &Session, request: AgentRequest, machine: Option<&str>) -> Result<Self, Failure> {
        let me = session.client.me().await?;
        let found = match (&me.member_id, &me.project_id) {
            (MemberId::Agent(_), Some(project)) => {
                let project = session.client.project(project).await?;
                Self::of_own_token(session, project, &me, &request).await
            }
            _ => Self::of_person(session, &request, machine).await,
        }?;
        if let Some(engine) = &found.agent.engine {
            let name = &found.agent.name;
            found.leave(session).await;
            let reason = format!("{name} is hosted by the hub with provider {}", engine.provider);
            return Err(
                Failure::new(reason).hint("use another --name, or stop hosting it: parlour agent engine NAME --none")
            );
        }
        found.with_instructions(session, request.instructions).await
    }

    async fn of_own_token(
        session: &Session,
        project: Project,
        me: &Me,
        request: &AgentRequest,
    ) -> Result<Self, Failure> {
        if let Some(name) = request.name.as_ref().filter(|name| **name != me.name) {
            return Err(Failure::usage(format!("this token belongs to agent {}, not to {name}", me.name))
                .hint(format!("omit --name, or use the token of {name}")));
        }
        let agents = session.client.agents(&project.id).await?.items;
        let agent = agents.into_iter().find(|agent| MemberId::from(agent.id.clone()) == me.member_id);
        let agent =
            agent.ok_or_else(|| Failure::new(format!("{} is no longer a member of {}", me.name, project.name)))?;
        Ok(Self { agent, project, client: session.client.clone(), issued: None, is_new: false })
    }

    async fn of_person(session: &Session, request: &AgentRequest, machine: Option<&str>) -> Result<Self, Failure> {
        let Some(name) = &request.name else {
            return Err(Failure::usage("the token belongs to a person and no agent is given")
                .hint("pass the name of the agent: parlour agent --name Coder …"));
        };
        let project = session.project().await?;
        let known = session.client.agents(&project.id).await?.items;
        let (agent, is_new) = match known.into_iter().find(|agent| agent.name.key() == name.key()) {
            Some(agent) => (agent, false),
            None => (add(session, &project, name, request).await?, true),
        };
        let label = label(machine);
        revoke_tokens_of_former_runs(session, &agent, &label).await?;
        let issued = session.client.issue_token(&token_request(&agent, label)).await?;
        let secret = issued.secret.as_deref().unwrap_or_default();
        let client = session.client_with_token(secret)?;
        Ok(Self { agent, project, client, issued: Some(issued.token.id), is_new })
    }

    /// Updates the stored instructions to those of the command line.
    async fn with_instructions(mut self, session: &Session, instructions: Option<String>) -> Result<Self, Failure> {
        if instructions.is_some() && instructions != self.agent.instructions && self.issued.is_some() {
            let patch = parlour_core::member::AgentPatch { instructions, ..Default::default() };
            self.agent = session.client.update_agent(&self.agent.id, &patch).await?;
        }
        Ok(self)
    }

    pub(super) fn link(&self) -> Arc<dyn HubLink> {
        Arc::new(RemoteLink::new(self.client.clone(), self.agent.id.clone(), self.project.id.clone()))
    }

    /// Revokes the token of this process. If that fails, it expires, or the next start on this machine revokes it.
    pub(super) async fn leave(&self, session: &Session) {
        if let Some(token) = &self.issued {
            let _ = session.client.revoke_token(token).await;
        }
    }
}

async fn add(session: &Session, project: &Project, name: &Name, request: &AgentRequest) -> Result<Agent, Failure> {
    let new = NewAgent {
        project_id: project.id.clone(),
        name: name.clone(),
        capabilities: request.capabilities.clone(),
        endpoint_url: None,
        instructions: request.instructions.clone(),
        engine: None,
        context: None,
        role: None,
    };
    let created = session.client.create_agent(&new).await?;
    // The initial token is not used: this process gets one with a label.
    revoke_all_tokens(session, &created.agent).await?;
    Ok(created.agent)
}

/// The label of the token, by which the next start on the same machine finds and revokes it.
fn label(machine: Option<&str>) -> String {
    let text = format!("parlour agent on {}", machine.unwrap_or("an unnamed machine"));
    text.chars().take(limits::TOKEN_LABEL_CHARS_MAX).collect()
}

fn token_request(agent: &Agent, label: String) -> IssueToken {
    IssueToken {
        member_id: Some(agent.id.clone().into()),
        kind: TokenKind::Jwt,
        label,
        scopes: None,
        acts_as: None,
        expires_in_seconds: Some(limits::TOKEN_SECONDS_MAX as u64),
        certificate_sha256: None,
        issuer: None,
        subject: None,
    }
}

/// Revokes tokens that a killed process on this machine left behind.
async fn revoke_tokens_of_former_runs(session: &Session, agent: &Agent, label: &str) -> Result<(), Failure> {
    let tokens = session.client.tokens(Some(&agent.id.clone().into())).await?.items;
    for token in tokens.iter().filter(|token| token.label == label) {
        session.client.revoke_token(&token.id).await?;
    }
    Ok(())
}

async fn revoke_all_tokens(session: &Session, agent: &Agent) -> Result<(), Failure> {
    for token in session.client.tokens(Some(&agent.id.clone().into())).await?.items {
        session.client.revoke_token(&token.id).await?;
    }
    Ok(())
}

/// The host name, cut to the maximum of a presence.
pub(crate) fn machine_name() -> Option<String> {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let name: String =
        name.chars().filter(|character| !character.is_control()).take(limits::PRESENCE_TEXT_CHARS_MAX).collect();
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_contains_the_machine_name_within_the_limit() {
        assert_eq!(label(Some("build-7")), "parlour agent on build-7");
        assert_eq!(label(Some(&"x".repeat(200))).chars().count(), limits::TOKEN_LABEL_CHARS_MAX);
    }

    #[test]
    fn the_machine_name_is_within_the_limit() {
        let name = machine_name().expect("every system has one");
        assert!(name.chars().count() <= limits::PRESENCE_TEXT_CHARS_MAX);
    }
}
