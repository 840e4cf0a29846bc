//! The hub, projects, channels, members, context and imports.

use parlour_core::{
    context::{ContextRequest, Injection, InjectionDiff, Pack},
    conversation::{Channel, Thread},
    engine::EngineOffer,
    event::{ChannelMember, Subscription},
    id::{AgentId, ChannelId, MemberId, MessageId, PersonId, ProjectId, RunId},
    import::{ImportMessages, ImportOutcome},
    member::{Agent, AgentPatch, Person},
    paging::Page,
    presence::Presence,
    project::Project,
    snapshot::Snapshot,
};
use serde_json::json;

use super::{Client, PageAt, QueryParams};
use crate::{
    ClientError,
    answers::{CreatedAgent, CreatedPerson, Health, Me, NewToken},
    requests::{NewAgent, NewChannel, NewPerson, NewProject},
};

impl Client {
    /// The health of the hub; needs no token.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.get("/health", &[]).await
    }

    /// The owner of the token.
    pub async fn me(&self) -> Result<Me, ClientError> {
        self.get("/me", &[]).await
    }

    /// Creates a project.
    pub async fn create_project(&self, request: &NewProject) -> Result<Project, ClientError> {
        self.post("/projects", request).await
    }

    /// Reads a project.
    pub async fn project(&self, id: &ProjectId) -> Result<Project, ClientError> {
        self.get(&format!("/projects/{id}"), &[]).await
    }

    /// The snapshot of a project for the token owner, with the position to follow it from.
    pub async fn snapshot(&self, id: &ProjectId) -> Result<Snapshot, ClientError> {
        self.get(&format!("/projects/{id}/snapshot"), &[]).await
    }

    /// Lists all projects that the token owner may see.
    pub async fn projects(&self) -> Result<Page<Project>, ClientError> {
        self.whole_list("/projects", &[]).await
    }

    /// Lists the people of a project.
    pub async fn project_people(&self, id: &ProjectId) -> Result<Page<Person>, ClientError> {
        self.whole_list(&format!("/projects/{id}/people"), &[]).await
    }

    /// Adds a person to a project.
    pub async fn add_project_person(&self, id: &ProjectId, person: &PersonId) -> Result<Person, ClientError> {
        self.post(&format!("/projects/{id}/people"), &json!({ "person_id": person })).await
    }

    /// Removes a person from a project.
    pub async fn remove_project_person(&self, id: &ProjectId, person: &PersonId) -> Result<(), ClientError> {
        self.delete(&format!("/projects/{id}/people/{person}")).await
    }
}

impl Client {
    /// Creates a channel.
    pub async fn create_channel(&self, request: &NewChannel) -> Result<Channel, ClientError> {
        self.post("/channels", request).await
    }

    /// Reads a channel.
    pub async fn channel(&self, id: &ChannelId) -> Result<Channel, ClientError> {
        self.get(&format!("/channels/{id}"), &[]).await
    }

    /// Lists all channels of a project that the token owner may read, archived ones included.
    pub async fn channels(&self, project: &ProjectId) -> Result<Page<Channel>, ClientError> {
        self.whole_list(&format!("/projects/{project}/channels"), &[]).await
    }

    /// Opens the thread of a channel message, or returns the existing one.
    pub async fn open_thread(&self, id: &ChannelId, root: &MessageId) -> Result<Thread, ClientError> {
        self.post("/threads", &json!({ "channel_id": id, "root_message_id": root })).await
    }

    /// Lists the threads of a channel.
    pub async fn threads(&self, id: &ChannelId) -> Result<Page<Thread>, ClientError> {
        self.whole_list(&format!("/channels/{id}/threads"), &[]).await
    }

    /// Archives a channel: it becomes read-only.
    pub async fn archive_channel(&self, id: &ChannelId) -> Result<Channel, ClientError> {
        self.act(&format!("/channels/{id}/archive")).await
    }

    /// Unarchives a channel.
    pub async fn unarchive_channel(&self, id: &ChannelId) -> Result<Channel, ClientError> {
        self.act(&format!("/channels/{id}/unarchive")).await
    }

    /// Lists the members of a private channel.
    pub async fn channel_members(&self, id: &ChannelId) -> Result<Page<MemberId>, ClientError> {
        self.whole_list(&format!("/channels/{id}/members"), &[]).await
    }

    /// Adds a member to a private channel.
    pub async fn add_channel_member(&self, id: &ChannelId, member: &MemberId) -> Result<ChannelMember, ClientError> {
        self.post(&format!("/channels/{id}/members"), &json!({ "member_id": member })).await
    }

    /// Removes a member from a private channel.
    pub async fn remove_channel_member(&self, id: &ChannelId, member: &MemberId) -> Result<(), ClientError> {
        self.delete(&format!("/channels/{id}/members/{member}")).await
    }

    /// Lists the agents that are subscribed to a channel.
    pub async fn subscribers(&self, id: &ChannelId) -> Result<Page<AgentId>, ClientError> {
        self.whole_list(&format!("/channels/{id}/subscriptions"), &[]).await
    }

    /// Subscribes an agent to a channel.
    pub async fn subscribe(&self, id: &ChannelId, agent: &AgentId) -> Result<Subscription, ClientError> {
        self.post(&format!("/channels/{id}/subscriptions"), &json!({ "agent_id": agent })).await
    }

    /// Ends the subscription of an agent.
    pub async fn unsubscribe(&self, id: &ChannelId, agent: &AgentId) -> Result<(), ClientError> {
        self.delete(&format!("/channels/{id}/subscriptions/{agent}")).await
    }
}

impl Client {
    /// Creates an agent; the response contains its token.
    pub async fn create_agent(&self, request: &NewAgent) -> Result<CreatedAgent, ClientError> {
        self.post("/agents", request).await
    }

    /// Lists all present members of a project.
    pub async fn presence(&self, project: &ProjectId) -> Result<Page<Presence>, ClientError> {
        self.whole_list(&format!("/projects/{project}/presence"), &[]).await
    }

    /// Lists all agents of a project.
    pub async fn agents(&self, project: &ProjectId) -> Result<Page<Agent>, ClientError> {
        self.whole_list(&format!("/projects/{project}/agents"), &[]).await
    }

    /// Reads an agent.
    pub async fn agent(&self, id: &AgentId) -> Result<Agent, ClientError> {
        self.get(&format!("/agents/{id}"), &[]).await
    }

    /// Updates an agent.
    pub async fn update_agent(&self, id: &AgentId, patch: &AgentPatch) -> Result<Agent, ClientError> {
        self.patch(&format!("/agents/{id}"), patch).await
    }

    /// Lists the engines of this hub.
    pub async fn engines(&self) -> Result<Page<EngineOffer>, ClientError> {
        self.get("/engines", &[]).await
    }

    /// Replaces the token of an agent.
    pub async fn renew_agent_token(&self, id: &AgentId) -> Result<NewToken, ClientError> {
        self.act(&format!("/agents/{id}/token")).await
    }

    /// Creates a person; the response contains their token. Administrators only.
    pub async fn create_person(&self, request: &NewPerson) -> Result<CreatedPerson, ClientError> {
        self.post("/people", request).await
    }

    /// Lists all people of the hub.
    pub async fn people(&self) -> Result<Page<Person>, ClientError> {
        self.whole_list("/people", &[]).await
    }

    /// Replaces the token of a person.
    pub async fn renew_person_token(&self, id: &PersonId) -> Result<NewToken, ClientError> {
        self.act(&format!("/people/{id}/token")).await
    }
}

impl Client {
    /// Builds the context pack of an agent. With a run, every pack is recorded in that run.
    pub async fn context(&self, agent: &AgentId, ask: &ContextRequest) -> Result<Pack, ClientError> {
        self.post(&format!("/agents/{agent}/context"), ask).await
    }

    /// Reads a page of the packs that a run received, oldest first.
    pub async fn injections(&self, run: &RunId, page: &PageAt) -> Result<Page<Injection>, ClientError> {
        self.get(&format!("/runs/{run}/injections"), &QueryParams::page(page).pairs()).await
    }

    /// Compares the packs of two runs.
    pub async fn injection_difference(&self, before: &RunId, after: &RunId) -> Result<InjectionDiff, ClientError> {
        let query = QueryParams::default().with("with", Some(after));
        self.get(&format!("/runs/{before}/injections/difference"), &query.pairs()).await
    }
}

impl Client {
    /// Imports messages of another system. Their ids make the call idempotent; it is retried while the hub is
    /// unreachable or busy.
    pub async fn import(&self, request: &ImportMessages) -> Result<ImportOutcome, ClientError> {
        self.retry.run(|| self.post("/imports", request)).await
    }
}
