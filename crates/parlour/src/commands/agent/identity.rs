//! Which agent is run, and with which token.

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

/// The agent as the command line wants it.
#[derive(Debug)]
pub(super) struct NewAgentWish {
    pub(super) name: Option<Name>,
    pub(super) capabilities: Vec<String>,
    pub(super) instructions: Option<String>,
}

/// The agent that is run.
pub(super) struct Identity {
    pub(super) agent: Agent,
    pub(super) project: Project,
    /// What the agent calls the hub with.
    client: Client,
    /// The token that was issued for this run, if it was.
    issued: Option<TokenId>,
    /// Whether the agent was added just now.
    pub(super) is_new: bool,
}

impl Identity {
    /// Finds the agent: the owner of the token, or the one with this name, which a person's token lets add and run.
    pub(super) async fn find(session: &Session, request: NewAgentWish, machine: Option<&str>) -> Result<Self, Failure> {
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
            let reason = format!("the hub runs {name} itself, with the provider {}", engine.provider);
            return Err(Failure::new(reason)
                .hint("take another --name, or take its engine away: parlour agent engine NAME --none"));
        }
        found.with_instructions(session, request.instructions).await
    }

    async fn of_own_token(
        session: &Session,
        project: Project,
        me: &Me,
        request: &NewAgentWish,
    ) -> Result<Self, Failure> {
        if let Some(name) = request.name.as_ref().filter(|name| **name != me.name) {
            return Err(Failure::usage(format!("this token is of the agent {}, not of {name}", me.name))
                .hint(format!("leave --name away, or use the token of {name}")));
        }
        let agents = session.client.agents(&project.id).await?.items;
        let agent = agents.into_iter().find(|agent| MemberId::from(agent.id.clone()) == me.member_id);
        let agent = agent.ok_or_else(|| Failure::new(format!("{} is no longer in {}", me.name, project.name)))?;
        Ok(Self { agent, project, client: session.client.clone(), issued: None, is_new: false })
    }

    async fn of_person(session: &Session, request: &NewAgentWish, machine: Option<&str>) -> Result<Self, Failure> {
        let Some(name) = &request.name else {
            return Err(Failure::usage("your token is a person's, so it is not clear which agent to run")
                .hint("name the agent: parlour agent --name Coder …"));
        };
        let project = session.project().await?;
        let known = session.client.agents(&project.id).await?.items;
        let (agent, is_new) = match known.into_iter().find(|agent| agent.name.key() == name.key()) {
            Some(agent) => (agent, false),
            None => (add(session, &project, name, request).await?, true),
        };
        let label = label(machine);
        end_former(session, &agent, &label).await?;
        let issued = session.client.issue_token(&wish_for_token(&agent, label)).await?;
        let secret = issued.secret.as_deref().unwrap_or_default();
        let client = session.client_with_token(secret)?;
        Ok(Self { agent, project, client, issued: Some(issued.token.id), is_new })
    }

    /// An agent that is run is what whoever runs it says.
    async fn with_instructions(mut self, session: &Session, instructions: Option<String>) -> Result<Self, Failure> {
        if instructions.is_some() && instructions != self.agent.instructions && self.issued.is_some() {
            let patch = parlour_core::member::AgentPatch { instructions, ..Default::default() };
            self.agent = session.client.update_agent(&self.agent.id, &patch).await?;
        }
        Ok(self)
    }

    /// The hub as the agent sees it.
    pub(super) fn link(&self) -> Arc<dyn HubLink> {
        Arc::new(RemoteLink::new(self.client.clone(), self.agent.id.clone(), self.project.id.clone()))
    }

    /// Ends the token that was issued for this run. Failing that it ends by itself, or with the next run here.
    pub(super) async fn leave(&self, session: &Session) {
        if let Some(token) = &self.issued {
            let _ = session.client.revoke_token(token).await;
        }
    }
}

async fn add(session: &Session, project: &Project, name: &Name, request: &NewAgentWish) -> Result<Agent, Failure> {
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
    // The first token was for nobody to see: this run gets one that says what it is for.
    end_all(session, &created.agent).await?;
    Ok(created.agent)
}

/// What a run's token is for, so that the next run on the same machine finds what a former one has left.
fn label(machine: Option<&str>) -> String {
    let text = format!("parlour agent on {}", machine.unwrap_or("an unnamed machine"));
    text.chars().take(limits::TOKEN_LABEL_CHARS_MAX).collect()
}

fn wish_for_token(agent: &Agent, label: String) -> IssueToken {
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

/// Ends what a former run on this machine has left behind, for example because it was killed.
async fn end_former(session: &Session, agent: &Agent, label: &str) -> Result<(), Failure> {
    let tokens = session.client.tokens(Some(&agent.id.clone().into())).await?.items;
    for token in tokens.iter().filter(|token| token.label == label) {
        session.client.revoke_token(&token.id).await?;
    }
    Ok(())
}

async fn end_all(session: &Session, agent: &Agent) -> Result<(), Failure> {
    for token in session.client.tokens(Some(&agent.id.clone().into())).await?.items {
        session.client.revoke_token(&token.id).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_names_the_machine_and_fits() {
        assert_eq!(label(Some("build-7")), "parlour agent on build-7");
        assert_eq!(label(Some(&"x".repeat(200))).chars().count(), limits::TOKEN_LABEL_CHARS_MAX);
    }
}
