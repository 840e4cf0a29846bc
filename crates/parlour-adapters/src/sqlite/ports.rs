//! The port of the hub, method by method: each hands its read or write to the threads of the store.

mod accounts;
mod audits;
mod beside;
mod call_records;
mod context_records;
mod deliveries;
mod inboxes;
mod invites;
mod log;
mod questions;
mod runs;
mod snapshots;
mod streams;

use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::{Membership, Principal},
    artifact::Artifact,
    conversation::{Channel, Conversation, Dm, Thread},
    event::Event,
    graph::Graph,
    id::{AgentId, ArtifactId, BatchId, ChannelId, ConversationId, MemberId, MessageId, ProjectId, TaskId},
    member::{Agent, Person},
    message::Message,
    name::Name,
    paging::{Page, PageRequest},
    project::Project,
    search_query::SearchQuery,
    task::{Batch, Task},
};
use parlour_hub::{
    Failure,
    ports::{Conversations, Directory, History, HistoryRange, MissingRef, PostContext, PostRefs, SearchPage, Work},
};

use super::{
    SqliteStore,
    read::{conversations, directory, find_any, graph, history, log::message_events, refs, search, work},
    rows::{member::load_agent, message::load_message, project::load_project},
};

#[async_trait]
impl Directory for SqliteStore {
    async fn project(&self, id: &ProjectId) -> Result<Option<Project>, Failure> {
        let id = id.clone();
        self.read("read a project", move |db| load_project(db, &id)).await
    }

    async fn is_member(&self, project: &ProjectId, member: &MemberId) -> Result<bool, Failure> {
        let (project, member) = (project.clone(), member.clone());
        self.read("read a membership", move |db| directory::is_member(db, &project, &member)).await
    }

    async fn projects(&self, caller: &Principal, page: &PageRequest) -> Result<Page<Project>, Failure> {
        let (caller, page) = (caller.clone(), page.clone());
        self.read("list projects", move |db| directory::projects(db, &caller, &page)).await
    }

    async fn project_people(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Person>, Failure> {
        let (project, page) = (project.clone(), page.clone());
        self.read("list the people of a project", move |db| directory::project_people(db, &project, &page)).await
    }

    async fn agent(&self, id: &AgentId) -> Result<Option<Agent>, Failure> {
        let id = id.clone();
        self.read("read an agent", move |db| load_agent(db, &id)).await
    }

    async fn agents(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Agent>, Failure> {
        let (project, page) = (project.clone(), page.clone());
        self.read("list agents", move |db| directory::agents(db, &project, &page)).await
    }

    async fn hosted_agents(&self, page: &PageRequest) -> Result<Page<Agent>, Failure> {
        let page = page.clone();
        self.read("list hosted agents", move |db| directory::hosted_agents(db, &page)).await
    }

    async fn roster(&self, project: &ProjectId) -> Result<Vec<(MemberId, Name)>, Failure> {
        let project = project.clone();
        self.read("read the roster of a project", move |db| directory::roster(db, &project)).await
    }
}

#[async_trait]
impl Conversations for SqliteStore {
    async fn conversation(
        &self,
        id: &ConversationId,
        viewer: &MemberId,
    ) -> Result<Option<(Conversation, Membership)>, Failure> {
        let (id, viewer) = (id.clone(), viewer.clone());
        self.read("read a conversation", move |db| conversations::conversation(db, &id, &viewer)).await
    }

    async fn post_context(&self, id: &ConversationId, author: &MemberId) -> Result<Option<PostContext>, Failure> {
        let (id, author) = (id.clone(), author.clone());
        self.read("read the post_context of a post", move |db| conversations::post_context(db, &id, &author)).await
    }

    async fn readers_among(&self, id: &ConversationId, members: &[MemberId]) -> Result<Vec<MemberId>, Failure> {
        let (id, members) = (id.clone(), members.to_vec());
        self.read("read who can read", move |db| conversations::readers_among(db, &id, &members)).await
    }

    async fn channels(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Channel>, Failure> {
        let (project, caller, page) = (project.clone(), caller.clone(), page.clone());
        self.read("list channels", move |db| conversations::channels(db, &project, &caller, &page)).await
    }

    async fn threads(&self, channel: &ChannelId, page: &PageRequest) -> Result<Page<Thread>, Failure> {
        let (channel, page) = (channel.clone(), page.clone());
        self.read("list threads", move |db| conversations::threads(db, &channel, &page)).await
    }

    async fn dms(
        &self,
        member: &MemberId,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Dm>, Failure> {
        let (member, project, page) = (member.clone(), project.cloned(), page.clone());
        self.read("list dms", move |db| conversations::dms(db, &member, project.as_ref(), &page)).await
    }

    async fn channel_members(&self, channel: &ChannelId, page: &PageRequest) -> Result<Page<MemberId>, Failure> {
        let (channel, page) = (channel.clone(), page.clone());
        self.read("list channel members", move |db| conversations::channel_members(db, &channel, &page)).await
    }

    async fn subscribers(&self, channel: &ChannelId, page: &PageRequest) -> Result<Page<AgentId>, Failure> {
        let (channel, page) = (channel.clone(), page.clone());
        self.read("list subscribers", move |db| conversations::subscribers(db, &channel, &page)).await
    }
}

#[async_trait]
impl History for SqliteStore {
    async fn message(&self, id: &MessageId) -> Result<Option<Message>, Failure> {
        let id = id.clone();
        self.read("read a message", move |db| Ok(load_message(db, &id)?.map(|stored| stored.message))).await
    }

    async fn messages(&self, id: &ConversationId, slice: HistoryRange, limit: usize) -> Result<Vec<Message>, Failure> {
        let id = id.clone();
        self.read("read messages", move |db| history::messages(db, &id, slice, limit)).await
    }

    async fn seq_before(&self, id: &ConversationId, at: Timestamp) -> Result<u64, Failure> {
        let id = id.clone();
        self.read("find a moment in a conversation", move |db| history::seq_before(db, &id, at)).await
    }

    async fn message_events(&self, id: &MessageId, page: &PageRequest) -> Result<Page<Event>, Failure> {
        let (id, page) = (id.clone(), page.clone());
        self.read("list the events of a message", move |db| message_events(db, &id, &page)).await
    }

    async fn missing_refs(
        &self,
        conversation: &ConversationId,
        author: &Principal,
        refs: &PostRefs,
    ) -> Result<Vec<MissingRef>, Failure> {
        let (conversation, author, refs) = (conversation.clone(), author.clone(), refs.clone());
        self.read("check references", move |db| refs::missing_refs(db, &conversation, &author, &refs)).await
    }

    async fn search(
        &self,
        project: &ProjectId,
        caller: &Principal,
        query: &SearchQuery,
        page: &PageRequest,
    ) -> Result<SearchPage, Failure> {
        let (project, caller, query, page) = (project.clone(), caller.clone(), query.clone(), page.clone());
        self.read("search", move |db| search::search(db, &project, &caller, &query, &page)).await
    }

    async fn find_any(
        &self,
        project: &ProjectId,
        readers: &[Principal],
        words: &[String],
        limit: usize,
    ) -> Result<Vec<Message>, Failure> {
        let (project, readers, words) = (project.clone(), readers.to_vec(), words.to_vec());
        self.read("find messages", move |db| find_any::find_any(db, &project, &readers, &words, limit)).await
    }
}

#[async_trait]
impl Work for SqliteStore {
    async fn task(&self, id: &TaskId) -> Result<Option<Task>, Failure> {
        let id = id.clone();
        self.read("read a task", move |db| work::task(db, &id)).await
    }

    async fn tasks(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Task>, Failure> {
        let (project, page) = (project.clone(), page.clone());
        self.read("list tasks", move |db| work::tasks(db, &project, &page)).await
    }

    async fn batch(&self, id: &BatchId) -> Result<Option<Batch>, Failure> {
        let id = id.clone();
        self.read("read a batch", move |db| work::batch(db, &id)).await
    }

    async fn batches(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Batch>, Failure> {
        let (project, page) = (project.clone(), page.clone());
        self.read("list batches", move |db| work::batches(db, &project, &page)).await
    }

    async fn artifact(&self, id: &ArtifactId) -> Result<Option<Artifact>, Failure> {
        let id = id.clone();
        self.read("read an artifact", move |db| work::artifact(db, &id)).await
    }

    async fn artifacts(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Artifact>, Failure> {
        let (project, caller, page) = (project.clone(), caller.clone(), page.clone());
        self.read("list artifacts", move |db| work::artifacts(db, &project, &caller, &page)).await
    }

    async fn graph(&self, project: &ProjectId, caller: &Principal) -> Result<Graph, Failure> {
        let (project, caller) = (project.clone(), caller.clone());
        self.read("read the graph of a project", move |db| graph::graph(db, &project, &caller)).await
    }
}
