//! Resolution of people, agents and members.

use parlour_core::{
    id::{AgentId, MemberId, PersonId, ProjectId},
    name::Name,
};

use super::named::find;
use crate::{failure::Failure, session::Session};

impl Session {
    /// An agent by name or id; names are resolved in the selected project.
    pub(crate) async fn agent(&self, wanted: &str) -> Result<AgentId, Failure> {
        match wanted.parse() {
            Ok(id) => Ok(id),
            Err(_) => self.agent_in(&self.project().await?.id, wanted).await,
        }
    }

    /// An agent of this project by name or id.
    pub(crate) async fn agent_in(&self, project: &ProjectId, wanted: &str) -> Result<AgentId, Failure> {
        if let Ok(id) = wanted.parse() {
            return Ok(id);
        }
        let agents = self.client.agents(project).await?.items;
        Ok(find("agent", bare(wanted), &agents)?.id.clone())
    }

    /// A person of the hub by name or id.
    pub(crate) async fn person(&self, wanted: &str) -> Result<PersonId, Failure> {
        if let Ok(id) = wanted.parse() {
            return Ok(id);
        }
        let people = self.client.people().await?.items;
        Ok(find("person", bare(wanted), &people)?.id.clone())
    }

    /// A member of this project by name or id.
    pub(crate) async fn member_in(&self, project: &ProjectId, wanted: &str) -> Result<MemberId, Failure> {
        if let Ok(id) = wanted.parse() {
            return Ok(id);
        }
        let members = self.members_of(project).await?;
        Ok(find("member", bare(wanted), &members)?.0.clone())
    }

    /// All members of this project with their names, people first.
    pub(crate) async fn members_of(&self, project: &ProjectId) -> Result<Vec<(MemberId, Name)>, Failure> {
        let people = self.client.project_people(project).await?.items;
        let agents = self.client.agents(project).await?.items;
        let people = people.into_iter().map(|person| (person.id.into(), person.name));
        let agents = agents.into_iter().map(|agent| (agent.id.into(), agent.name));
        Ok(people.chain(agents).collect())
    }
}

/// Removes a leading `@`.
fn bare(wanted: &str) -> &str {
    wanted.strip_prefix('@').unwrap_or(wanted)
}
