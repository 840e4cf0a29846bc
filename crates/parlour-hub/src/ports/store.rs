use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::{Membership, Principal},
    artifact::Artifact,
    attribution::Attribution,
    audience::PrivateChannelMembers,
    conversation::{Channel, Conversation, Dm, Thread},
    event::Event,
    graph::Graph,
    id::{
        AgentId, ArtifactId, BatchId, ChannelId, ConversationId, InviteId, MemberId, MessageId, PersonId, ProjectId,
        TaskId, TokenId,
    },
    inbox::Listeners,
    invite::Invite,
    member::{Agent, Person},
    message::Message,
    name::Name,
    paging::{Page, PageRequest},
    position::Position,
    project::Project,
    search_query::SearchQuery,
    snapshot::Snapshot,
    step::Step,
    task::{Batch, Task},
    token::{NewToken, OtherTokens, Token, TokenHash, TokenKey},
};

use super::{Audits, CallRecords, ContextRecords, Deliveries, Inboxes, Log, Questions, RelatedLookups, Runs};
use crate::Failure;

/// The durable store. When a write returns, it is committed and would survive a power failure.
///
/// A read sees every write that returned before the read began. Lists are paged in a fixed order, oldest first unless the
/// method says otherwise, and a page key is the id of the last item. A key of an item that the list does not show to the
/// caller is refused (`BadQuery`) like an unknown key.
pub trait Store:
    Accounts
    + Invites
    + Audits
    + Log
    + Snapshots
    + Streams
    + Directory
    + Conversations
    + History
    + CallRecords
    + RelatedLookups
    + ContextRecords
    + Inboxes
    + Deliveries
    + Questions
    + Runs
    + Work
{
}

impl<T> Store for T where
    T: Accounts
        + Invites
        + Audits
        + Log
        + Snapshots
        + Streams
        + Directory
        + Conversations
        + History
        + CallRecords
        + RelatedLookups
        + ContextRecords
        + Inboxes
        + Deliveries
        + Questions
        + Runs
        + Work
{
}

/// People, tokens and passwords. They belong to the hub and appear in no project's log. Each change writes an audit entry
/// in the same transaction. The entry of a token also names the member, and the entry of a link the session, because
/// nothing else records that after the token is deleted.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Adds a person with a token. A name that is confusable with another person's is refused (`NameTaken`). An
    /// administrator counts as a member of every project, so its name must not be confusable with any agent's.
    async fn create_person(&self, attribution: Attribution, person: Person, token: NewToken)
    -> Result<Person, Failure>;

    /// Renames a person and writes an event (`projects.person_updated`) in each of its projects, in one write. The current
    /// name changes nothing. Older messages keep the name that their author had.
    ///
    /// An unknown person is refused (`NotFound`), and so is a name that is confusable with that of another person or of
    /// an agent in a project of the person (`NameTaken`).
    async fn rename_person(&self, attribution: Attribution, id: &PersonId, name: Name) -> Result<Person, Failure>;

    /// Reads a person.
    async fn person(&self, id: &PersonId) -> Result<Option<Person>, Failure>;

    /// Lists the people of the hub.
    async fn people(&self, page: &PageRequest) -> Result<Page<Person>, Failure>;

    /// Stores a token of a member, in place of the others or beside them.
    ///
    /// Refused are an unknown member or creator (`NotFound`), a member with `TOKENS_PER_MEMBER_MAX` tokens (`Full`; tokens
    /// that have expired at the time of the attribution are deleted and do not count), and a key that is stored already
    /// (`OutOfBounds`).
    async fn add_token(&self, attribution: Attribution, new: NewToken, others: OtherTokens) -> Result<Token, Failure>;

    /// Reads a token.
    async fn token(&self, id: &TokenId) -> Result<Option<Token>, Failure>;

    /// Lists the tokens of a member, including expired ones.
    async fn tokens(&self, member: &MemberId, page: &PageRequest) -> Result<Page<Token>, Failure>;

    /// Revokes a token: it becomes unknown. An unknown token is refused (`NotFound`).
    async fn revoke_token(&self, attribution: Attribution, id: &TokenId) -> Result<Token, Failure>;

    /// Replaces the link with this hash by the session, in one write: a link works once.
    ///
    /// A link that is unknown or has expired at the time of the attribution is refused (`SignInFailed`). The session belongs
    /// to the member of the link, whatever member the session names.
    async fn redeem_link(
        &self,
        attribution: Attribution,
        link: &TokenHash,
        session: NewToken,
    ) -> Result<Token, Failure>;

    /// The principal of the token with this key. Each kind of key is looked up separately. Expired tokens are returned
    /// too; the hub compares times.
    async fn principal(&self, key: &TokenKey) -> Result<Option<Principal>, Failure>;

    /// Deletes the tokens that have expired at this time and returns their number. This writes no audit entry.
    async fn forget_expired_tokens(&self, now: Timestamp) -> Result<u64, Failure>;

    /// Sets the hashed password of a person and deletes its sessions and links, except the token of the attribution. An
    /// unknown person is refused (`NotFound`).
    async fn set_password(&self, attribution: Attribution, person: &PersonId, hash: String) -> Result<(), Failure>;

    /// The person whose name is equal to or confusable with this one, and the hash of its password.
    async fn sign_in_record(&self, name: &Name) -> Result<Option<(Person, Option<String>)>, Failure>;
}

/// Invites of agents. They appear in no project's log; each change writes an audit entry.
#[async_trait]
pub trait Invites: Send + Sync {
    /// Stores an invite under the hash of its code.
    ///
    /// Refused are a project with `INVITES_PER_PROJECT_MAX` invites that are open at the time of the attribution (`Full`),
    /// an unknown project or creator (`NotFound`), and a code that is stored already (`OutOfBounds`).
    async fn add_invite(&self, attribution: Attribution, invite: Invite, code: TokenHash) -> Result<Invite, Failure>;

    /// Reads an invite.
    async fn invite(&self, id: &InviteId) -> Result<Option<Invite>, Failure>;

    /// Reads the invite with this code.
    async fn invite_by_code(&self, code: &TokenHash) -> Result<Option<Invite>, Failure>;

    /// Lists the invites of a project, including ended ones.
    async fn invites(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Invite>, Failure>;

    /// Revokes an invite: it becomes unknown. An unknown invite is refused (`NotFound`).
    async fn revoke_invite(&self, attribution: Attribution, id: &InviteId) -> Result<Invite, Failure>;
}

/// The private channel members of a project at one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateChannelMembersAt {
    /// The position of the last event that they include.
    pub position: Position,
    pub private_members: PrivateChannelMembers,
}

/// Snapshots of projects.
#[async_trait]
pub trait Snapshots: Send + Sync {
    /// Reads a project as the caller sees it, all of it at one position of the log; without open streams and presence,
    /// which are not stored.
    ///
    /// It contains exactly what the lists show to the caller; of bounded lists, the newest items. A caller who does not
    /// see the project gets none. A task names its thread only if the caller may read the thread.
    async fn snapshot(&self, project: &ProjectId, caller: &Principal) -> Result<Option<Snapshot>, Failure>;

    /// Reads the members of the private channels of a project.
    async fn private_members(&self, project: &ProjectId) -> Result<Option<PrivateChannelMembersAt>, Failure>;
}

/// The text and steps of an open stream when they were saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedStream {
    pub message_id: MessageId,
    pub text: String,
    pub steps: Vec<Step>,
}

/// Saved texts of open streams. Their messages are in the history; their growing text is not.
#[async_trait]
pub trait Streams: Send + Sync {
    /// Saves the texts of open streams in one transaction, in case the hub crashes before they end.
    ///
    /// A text replaces the one saved before. Texts of messages that are not streaming are ignored.
    async fn save_streams(&self, streams: Vec<SavedStream>) -> Result<(), Failure>;

    /// All streaming messages, each with its saved text; the initial body if nothing was saved.
    async fn open_streams(&self) -> Result<Vec<(Message, SavedStream)>, Failure>;
}

/// Projects and their members.
#[async_trait]
pub trait Directory: Send + Sync {
    /// Reads a project.
    async fn project(&self, id: &ProjectId) -> Result<Option<Project>, Failure>;

    /// Whether the member belongs to the project.
    async fn is_member(&self, project: &ProjectId, member: &MemberId) -> Result<bool, Failure>;

    /// Lists the projects that the caller sees.
    async fn projects(&self, caller: &Principal, page: &PageRequest) -> Result<Page<Project>, Failure>;

    /// Lists the people of a project, by id.
    async fn project_people(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Person>, Failure>;

    /// Reads an agent.
    async fn agent(&self, id: &AgentId) -> Result<Option<Agent>, Failure>;

    /// Lists the agents of a project.
    async fn agents(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Agent>, Failure>;

    /// Lists the agents of all projects that have an engine, by id: the hub runs them itself.
    async fn hosted_agents(&self, page: &PageRequest) -> Result<Page<Agent>, Failure>;

    /// The names of all members of a project, for mentions.
    async fn roster(&self, project: &ProjectId) -> Result<Vec<(MemberId, Name)>, Failure>;
}

/// The facts that decide about a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostContext {
    pub conversation: Conversation,
    /// The membership of the author.
    pub membership: Membership,
    /// The agents that may receive the message; each of them can read the conversation.
    pub listeners: Listeners,
}

/// Channels, threads and DMs.
#[async_trait]
pub trait Conversations: Send + Sync {
    /// Reads a conversation and the membership of this member. The core decides whether the member may read it.
    async fn conversation(
        &self,
        id: &ConversationId,
        viewer: &MemberId,
    ) -> Result<Option<(Conversation, Membership)>, Failure>;

    /// Reads the facts for a post by this member in one query.
    async fn post_context(&self, id: &ConversationId, author: &MemberId) -> Result<Option<PostContext>, Failure>;

    /// The members among these who can read the conversation by membership.
    async fn readers_among(&self, id: &ConversationId, members: &[MemberId]) -> Result<Vec<MemberId>, Failure>;

    /// Lists the channels of a project that the caller may read, archived ones included.
    async fn channels(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Channel>, Failure>;

    /// Lists the threads of a channel.
    async fn threads(&self, channel: &ChannelId, page: &PageRequest) -> Result<Page<Thread>, Failure>;

    /// Lists the DMs of a member, in one project or in all.
    async fn dms(
        &self,
        member: &MemberId,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Dm>, Failure>;

    /// Lists the members of a private channel, by id.
    async fn channel_members(&self, channel: &ChannelId, page: &PageRequest) -> Result<Page<MemberId>, Failure>;

    /// Lists the agents subscribed to a channel, by id.
    async fn subscribers(&self, channel: &ChannelId, page: &PageRequest) -> Result<Page<AgentId>, Failure>;
}

/// A range of messages of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryRange {
    /// The newest, newest first.
    Newest,
    /// Before this number, newest first.
    Before(u64),
    /// After this number, oldest first.
    After(u64),
}

/// The references of a post.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostRefs {
    /// Must be a message of the same conversation, or the root message of the thread.
    pub reply_to: Option<MessageId>,
    /// Artifacts that the author must be able to see.
    pub artifacts: Vec<ArtifactId>,
    pub task_id: Option<TaskId>,
    pub batch_id: Option<BatchId>,
}

/// A reference of a post that does not exist or is hidden from its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingRef {
    /// The field of the post.
    pub field: &'static str,
    pub id: String,
}

/// One page of a search.
pub type SearchPage = Page<Message>;

/// Messages, their events, and search.
#[async_trait]
pub trait History: Send + Sync {
    /// Reads a message.
    async fn message(&self, id: &MessageId) -> Result<Option<Message>, Failure>;

    /// Reads up to `limit` messages of a conversation. The cost does not grow with the length of the history.
    async fn messages(&self, id: &ConversationId, slice: HistoryRange, limit: usize) -> Result<Vec<Message>, Failure>;

    /// The number of the last message of the conversation before this time; 0 if there is none. If imported messages
    /// follow younger ones, times are not in order; then it is one of the messages before this time.
    async fn seq_before(&self, id: &ConversationId, at: Timestamp) -> Result<u64, Failure>;

    /// Lists the events about one message, oldest first; a page key is an offset.
    async fn message_events(&self, id: &MessageId, page: &PageRequest) -> Result<Page<Event>, Failure>;

    /// The references of a post that do not exist or are hidden from its author.
    async fn missing_refs(
        &self,
        conversation: &ConversationId,
        author: &Principal,
        refs: &PostRefs,
    ) -> Result<Vec<MissingRef>, Failure>;

    /// Finds messages of a project that the caller may read and that contain all words of the query, newest first.
    ///
    /// One call examines at most `SEARCH_CANDIDATES_MAX` messages, so a page may be short or empty and still have a
    /// `next`. Within that bound there is a `next` only if there is another hit, so that it does not reveal hidden
    /// messages. Removed messages are never found.
    async fn search(
        &self,
        project: &ProjectId,
        caller: &Principal,
        query: &SearchQuery,
        page: &PageRequest,
    ) -> Result<SearchPage, Failure>;

    /// Finds messages of a project that all readers may read and that contain some of these words, at most `limit`. Words
    /// are compared like in `search`; the first `FIND_WORDS_MAX` are used, each once.
    ///
    /// A word weighs more the fewer readable messages contain it. Messages are ordered by the total weight of their words,
    /// then newest first.
    ///
    /// The cost is bounded: of each word the newest `FIND_PER_WORD_MAX` readable messages are candidates. Hidden messages
    /// do not change the result; more than `FIND_CANDIDATES_MAX` of them with a word make the call slower. Removed
    /// messages are never found.
    async fn find_any(
        &self,
        project: &ProjectId,
        readers: &[Principal],
        words: &[String],
        limit: usize,
    ) -> Result<Vec<Message>, Failure>;
}

/// Tasks, batches, artifacts and the graph of a project.
#[async_trait]
pub trait Work: Send + Sync {
    /// Reads a task.
    async fn task(&self, id: &TaskId) -> Result<Option<Task>, Failure>;

    /// Lists the tasks of a project.
    async fn tasks(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Task>, Failure>;

    /// The latest tasks of a project, newest first, at most `limit`.
    async fn recent_tasks(&self, project: &ProjectId, limit: usize) -> Result<Vec<Task>, Failure>;

    /// Reads a batch.
    async fn batch(&self, id: &BatchId) -> Result<Option<Batch>, Failure>;

    /// Lists the batches of a project.
    async fn batches(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Batch>, Failure>;

    /// Reads an artifact's record.
    async fn artifact(&self, id: &ArtifactId) -> Result<Option<Artifact>, Failure>;

    /// Lists the artifacts of a project that the caller may see.
    async fn artifacts(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Artifact>, Failure>;

    /// The graph of a project as the caller may see it.
    ///
    /// It contains the newest `GRAPH_MESSAGES_MAX` messages that are the root of a thread, carry an artifact or mention a
    /// member. Things that the caller may not read have no node and no edge.
    async fn graph(&self, project: &ProjectId, caller: &Principal) -> Result<Graph, Failure>;
}
