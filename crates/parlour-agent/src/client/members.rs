//! People and agents, and their tokens.

use parlour_core::{
    engine::EngineOffer,
    id::{AgentId, PersonId, ProjectId},
    member::{Agent, AgentPatch, Person},
    paging::Page,
};

use super::Client;
use crate::{
    ClientError,
    answers::{CreatedAgent, CreatedPerson, NewToken},
    requests::{NewAgent, NewPerson},
};

impl Client {
    /// Adds an agent; the answer holds its token.
    pub async fn create_agent(&self, request: &NewAgent) -> Result<CreatedAgent, ClientError> {
        self.post("/agents", request).await
    }

    /// Lists all agents of a project.
    pub async fn agents(&self, project: &ProjectId) -> Result<Page<Agent>, ClientError> {
        self.whole_list(&format!("/projects/{project}/agents"), &[]).await
    }

    /// Reads an agent.
    pub async fn agent(&self, id: &AgentId) -> Result<Agent, ClientError> {
        self.get(&format!("/agents/{id}"), &[]).await
    }

    /// Changes an agent.
    pub async fn update_agent(&self, id: &AgentId, patch: &AgentPatch) -> Result<Agent, ClientError> {
        self.patch(&format!("/agents/{id}"), patch).await
    }

    /// Lists the engines that agents of this hub can have.
    pub async fn engines(&self) -> Result<Page<EngineOffer>, ClientError> {
        self.get("/engines", &[]).await
    }

    /// Gives an agent a new token in place of the old one.
    pub async fn renew_agent_token(&self, id: &AgentId) -> Result<NewToken, ClientError> {
        self.act(&format!("/agents/{id}/token")).await
    }

    /// Adds a person; the answer holds its token. Administrators only.
    pub async fn create_person(&self, request: &NewPerson) -> Result<CreatedPerson, ClientError> {
        self.post("/people", request).await
    }

    /// Lists all people of the hub.
    pub async fn people(&self) -> Result<Page<Person>, ClientError> {
        self.whole_list("/people", &[]).await
    }

    /// Gives a person a new token in place of the old one.
    pub async fn renew_person_token(&self, id: &PersonId) -> Result<NewToken, ClientError> {
        self.act(&format!("/people/{id}/token")).await
    }
}
