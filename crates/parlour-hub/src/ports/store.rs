use async_trait::async_trait;
use parlour_core::{
    Refusal, Timestamp,
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
    write::{Appended, Entry},
};
use tokio::sync::mpsc;

use super::{Audits, CallRecords, ContextRecords, Deliveries, Inboxes, Questions, RelatedLookups, Runs};
use crate::Failure;

/// The durable truth. What a method answers is committed and would survive a power cut.
///
/// Reads see every write that was answered before they began. Lists come in pages in a fixed order, oldest first
/// unless the method says otherwise, and a page key is the id of its last item. A key of something that the list cannot
/// show to the caller is refused (`BadQuery`) like one that never was.
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

/// People, tokens and passwords: what belongs to the hub as a whole and stands in no project's log. Each change writes an
/// entry of the audit log in the same transaction. About a token it names the member too, and about a link the session,
/// because nothing else tells that when the token is gone.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Adds a person with a token. A name that looks like another person's is refused (`NameTaken`), and for an
    /// administrator, who counts as a member everywhere, one that looks like any agent's.
    async fn create_person(&self, attribution: Attribution, person: Person, token: NewToken)
    -> Result<Person, Failure>;

    /// Gives a person another name, and tells every project that it takes part in (`projects.person_updated`), in one
    /// write. The name that it has already changes nothing. What it wrote keeps the name that it had then.
    ///
    /// An unknown person is refused (`NotFound`), and a name that looks like that of another person, or of an agent
    /// whom the person may meet (`NameTaken`).
    async fn rename_person(&self, attribution: Attribution, id: &PersonId, name: Name) -> Result<Person, Failure>;

    /// Reads a person.
    async fn person(&self, id: &PersonId) -> Result<Option<Person>, Failure>;

    /// Lists the people of the hub.
    async fn people(&self, page: &PageRequest) -> Result<Page<Person>, Failure>;

    /// Keeps a token for a member, alone or beside the others.
    ///
    /// An unknown member or maker is refused (`NotFound`), a member that has `TOKENS_PER_MEMBER_MAX` already too (`Full`; those that
    /// have expired at the time of the attribution do not count and are forgotten), and a key that is kept already
    /// (`OutOfBounds`).
    async fn add_token(&self, attribution: Attribution, new: NewToken, others: OtherTokens) -> Result<Token, Failure>;

    /// Reads a token.
    async fn token(&self, id: &TokenId) -> Result<Option<Token>, Failure>;

    /// Lists the tokens of a member, also those that have expired.
    async fn tokens(&self, member: &MemberId, page: &PageRequest) -> Result<Page<Token>, Failure>;

    /// Ends a token: from now on it is unknown. An unknown one is refused (`NotFound`).
    async fn revoke_token(&self, attribution: Attribution, id: &TokenId) -> Result<Token, Failure>;

    /// Ends the link with this hash and keeps the session in its place, in one write: a link works once.
    ///
    /// A link that is unknown or has expired at the time of the attribution is refused (`SignInFailed`). The session is kept
    /// for the member of the link, whoever it names.
    async fn redeem_link(
        &self,
        attribution: Attribution,
        link: &TokenHash,
        session: NewToken,
    ) -> Result<Token, Failure>;

    /// Tells whom the token lets in, and for what. Each kind of key is looked up among its own. A token that has
    /// expired is told too: the hub knows what time it is.
    async fn principal(&self, key: &TokenKey) -> Result<Option<Principal>, Failure>;

    /// Forgets the tokens that have expired at this moment, and answers how many. That is no change to be audited.
    async fn forget_expired_tokens(&self, now: Timestamp) -> Result<u64, Failure>;

    /// Gives a person this hashed password, and ends its sessions and links except the token of the attribution. An unknown
    /// person is refused (`NotFound`).
    async fn set_password(&self, attribution: Attribution, person: &PersonId, hash: String) -> Result<(), Failure>;

    /// The person whose name looks like this one, and the hash of its password if it has one.
    async fn sign_in_record(&self, name: &Name) -> Result<Option<(Person, Option<String>)>, Failure>;
}

/// Invites of agents. They stand in no project's log; each change writes an entry of the audit log.
#[async_trait]
pub trait Invites: Send + Sync {
    /// Keeps an invite, known by the hash of its code.
    ///
    /// A project with `INVITES_PER_PROJECT_MAX` invites that are open at the time of the attribution is refused (`Full`), an
    /// unknown project or maker too (`NotFound`), and a code that is kept already (`OutOfBounds`).
    async fn add_invite(&self, attribution: Attribution, invite: Invite, code: TokenHash) -> Result<Invite, Failure>;

    /// Reads an invite.
    async fn invite(&self, id: &InviteId) -> Result<Option<Invite>, Failure>;

    /// Reads the invite with this code.
    async fn invite_by_code(&self, code: &TokenHash) -> Result<Option<Invite>, Failure>;

    /// Lists the invites of a project, also those that have ended.
    async fn invites(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Invite>, Failure>;

    /// Takes an invite back: from now on it is unknown. An unknown one is refused (`NotFound`).
    async fn revoke_invite(&self, attribution: Attribution, id: &InviteId) -> Result<Invite, Failure>;
}

/// The logs: the only way to change anything in a project.
#[async_trait]
pub trait Log: Send + Sync {
    /// Makes one change and writes its event, both in one transaction, and answers after the disk has both.
    ///
    /// - Either everything is written or nothing: a refused or failed write leaves no trace.
    /// - Offsets of a project's log are 1, 2, 3 … without gaps; numbers of a conversation's messages too.
    /// - A write that finds everything as wanted is `Repeated`: it writes no event and answers what is there.
    /// - A message id is used once: the same digest by the same author answers the first result again,
    ///   anything else is refused (`ClientIdReused`).
    /// - A post advances its author's read position and adds one inbox row for each delivery, and no other row per member.
    /// - A post, and the end of a stream, records one call for each agent that it calls and that can read it; the message
    ///   names exactly those, and nobody is called twice by the same message.
    /// - An answer takes the call that it names and the earlier open calls of its agent in the conversation of that call,
    ///   as long as its agent was called by that message; passing closes one call. Removing a message closes its open
    ///   calls, and an agent that loses a channel loses its open calls there.
    /// - A blocking post keeps its question with it. A complete answer that names an open question settles it in the same
    ///   write, and that is a second event (`messaging.question`) right after the first; when the question has ended
    ///   meanwhile, the message is kept without `answer_to`. Removing a message withdraws its question.
    /// - A complete answer of an agent (`call::is_answer`) makes these deliveries to it answered, in the same write: the message
    ///   that it replies to, and those whose calls it took and that it had been shown. Whatever settles a question answers its
    ///   message. Nothing else does, whatever it replies to.
    /// - A run that would be one too many is refused (`Full`): `RUNS_PER_AGENT_MAX` of its agent, `RUNS_PER_PROJECT_MAX`.
    /// - A task that is not as far as the change expects is refused (`TaskMoved`).
    /// - A post to an archived channel is refused (`Archived`), a name that looks like one in use `NameTaken`,
    ///   a thing that does not exist `NotFound`.
    /// - An agent never looks like a person who counts as a member of its project: its people, its owner, any
    ///   administrator. Whichever of the two comes second is refused (`NameTaken`).
    async fn append(&self, entry: Entry) -> Result<Appended, Failure>;

    /// Makes several changes one after the other, each as `append` does, all in one transaction.
    ///
    /// - They are made in this order, and no change of others comes between them.
    /// - The first that is refused ends the series: those before it are made, it and those after it leave no trace.
    async fn append_all(&self, entries: Vec<Entry>) -> Result<AppendedBatch, Failure>;

    /// Reads up to `limit` events after the one with this offset, in order.
    ///
    /// Events about messages show the message as it is now, so a removed text is gone from the log too.
    async fn events_after(&self, project: &ProjectId, offset: u64, limit: usize) -> Result<Vec<Event>, Failure>;

    /// The end of the log: the position after its last event.
    async fn end_of_log(&self, project: &ProjectId) -> Result<Option<Position>, Failure>;

    /// What the log still holds.
    async fn log_range(&self, project: &ProjectId) -> Result<Option<LogRange>, Failure>;

    /// Forgets the events that are older than the `retention.event_days_max` of their project, and answers how many.
    ///
    /// What they have made stays, and so does the last event of each log, so numbers are never reused.
    async fn prune_logs(&self, now: Timestamp) -> Result<u64, Failure>;

    /// Hands over the events of all projects that are committed from now on, each as it was committed.
    ///
    /// - Events of one project come in the order of its log; none comes before it is on the disk.
    /// - An event comes even when the caller of its `append` has gone away.
    /// - The queue holds `WATCH_QUEUE_LEN_MAX` events. What does not fit is left out and never waited for; whoever
    ///   watches sees the hole by the offsets and reads it with `events_after`.
    fn watch(&self) -> mpsc::Receiver<Event>;
}

/// What has become of several changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendedBatch {
    /// The answers to those that were made, in order.
    pub appended: Vec<Appended>,
    /// Why the next one, and with it the rest, was not made.
    pub refusal: Option<Refusal>,
}

/// What a log still holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRange {
    /// The offset of the oldest event that can be read; 1 unless events were pruned.
    pub first: u64,
    /// The position after the last event.
    pub end: Position,
}

/// The private channel members of a project at one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateChannelMembersAt {
    /// The last event that they follow.
    pub position: Position,
    /// Who sits in the private channels.
    pub private_members: PrivateChannelMembers,
}

/// A project as a whole, at one position of its log.
#[async_trait]
pub trait Snapshots: Send + Sync {
    /// Reads a project as the caller sees it, all of it at the same position; without running streams and presence,
    /// which the store does not know.
    ///
    /// It holds exactly what the lists show to the caller, of windows the newest. Who does not see the project gets
    /// none. A task names its thread only to those who may read there.
    async fn snapshot(&self, project: &ProjectId, caller: &Principal) -> Result<Option<Snapshot>, Failure>;

    /// Reads who sits in the private channels of a project.
    async fn private_members(&self, project: &ProjectId) -> Result<Option<PrivateChannelMembersAt>, Failure>;
}

/// The text and steps of a running answer, as they were at some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedStream {
    /// The message that is being written.
    pub message_id: MessageId,
    /// Its text so far.
    pub text: String,
    /// Its steps so far.
    pub steps: Vec<Step>,
}

/// Answers that are being written. Their messages are in the history; their growing text is not.
#[async_trait]
pub trait Streams: Send + Sync {
    /// Keeps the texts of running answers in one transaction, for the case that the hub dies before they end.
    ///
    /// A text replaces the one kept before. A message that is not streaming (any more) keeps none.
    async fn save_streams(&self, streams: Vec<SavedStream>) -> Result<(), Failure>;

    /// All messages that are streaming, each with what was kept of its text: the body it began with when nothing was.
    async fn open_streams(&self) -> Result<Vec<(Message, SavedStream)>, Failure>;
}

/// Projects and their members.
#[async_trait]
pub trait Directory: Send + Sync {
    /// Reads a project.
    async fn project(&self, id: &ProjectId) -> Result<Option<Project>, Failure>;

    /// Tells whether the member belongs to the project.
    async fn is_member(&self, project: &ProjectId, member: &MemberId) -> Result<bool, Failure>;

    /// Lists the projects that the caller sees.
    async fn projects(&self, caller: &Principal, page: &PageRequest) -> Result<Page<Project>, Failure>;

    /// Lists the people of a project, by id.
    async fn project_people(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Person>, Failure>;

    /// Reads an agent.
    async fn agent(&self, id: &AgentId) -> Result<Option<Agent>, Failure>;

    /// Lists the agents of a project.
    async fn agents(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Agent>, Failure>;

    /// Lists the agents of all projects that have an engine, by id: those that the hub runs itself.
    async fn hosted_agents(&self, page: &PageRequest) -> Result<Page<Agent>, Failure>;

    /// The names of all members of a project, for mentions.
    async fn roster(&self, project: &ProjectId) -> Result<Vec<(MemberId, Name)>, Failure>;
}

/// What the hub needs to know before a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostContext {
    /// The conversation.
    pub conversation: Conversation,
    /// How the author stands to it.
    pub membership: Membership,
    /// Which agents may have to be told; each of them can read the conversation.
    pub listeners: Listeners,
}

/// Channels, threads and dms.
#[async_trait]
pub trait Conversations: Send + Sync {
    /// Reads a conversation and how this member stands to it. Whether it may be seen is for the core to say.
    async fn conversation(
        &self,
        id: &ConversationId,
        viewer: &MemberId,
    ) -> Result<Option<(Conversation, Membership)>, Failure>;

    /// Reads what a post by this member needs to know, in one look.
    async fn post_context(&self, id: &ConversationId, author: &MemberId) -> Result<Option<PostContext>, Failure>;

    /// Those of the members who can read the conversation by membership.
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

    /// Lists the dms of a member, in one project or in all of them.
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

/// Which messages of a conversation are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryRange {
    /// The newest, newest first.
    Newest,
    /// Those before this number, newest first.
    Before(u64),
    /// Those after this number, oldest first.
    After(u64),
}

/// What a post refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostRefs {
    /// The message it answers; must stand in the same conversation, or be the message above the thread.
    pub reply_to: Option<MessageId>,
    /// Artifacts that the author must be able to see.
    pub artifacts: Vec<ArtifactId>,
    /// The task it is about.
    pub task_id: Option<TaskId>,
    /// The batch it is about.
    pub batch_id: Option<BatchId>,
}

/// Something that a post refers to and that is not there for its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingRef {
    /// The field of the post.
    pub field: &'static str,
    /// What it named.
    pub id: String,
}

/// One page of a search.
pub type SearchPage = Page<Message>;

/// Messages and what became of them.
#[async_trait]
pub trait History: Send + Sync {
    /// Reads a message.
    async fn message(&self, id: &MessageId) -> Result<Option<Message>, Failure>;

    /// Reads up to `limit` messages of a conversation. The cost does not grow with the length of the history.
    async fn messages(&self, id: &ConversationId, slice: HistoryRange, limit: usize) -> Result<Vec<Message>, Failure>;

    /// The number of the last message of the conversation that was written before this moment; 0 when there is none.
    /// Where messages were taken over behind younger ones, it is one of those after which the moment comes.
    async fn seq_before(&self, id: &ConversationId, at: Timestamp) -> Result<u64, Failure>;

    /// Lists the events about one message, oldest first; a page key is an offset.
    async fn message_events(&self, id: &MessageId, page: &PageRequest) -> Result<Page<Event>, Failure>;

    /// Those of the things a post refers to that are not there for its author.
    async fn missing_refs(
        &self,
        conversation: &ConversationId,
        author: &Principal,
        refs: &PostRefs,
    ) -> Result<Vec<MissingRef>, Failure>;

    /// Finds messages of a project that the caller may read and that hold all words of the query, newest first.
    ///
    /// One call looks at `SEARCH_CANDIDATES_MAX` messages at the most; a page may hold fewer items than asked for,
    /// or none, and still have a `next` to go on from. Within that bound there is a `next` only for another hit, so that
    /// hidden messages are not betrayed by it. Removed messages are never found.
    async fn search(
        &self,
        project: &ProjectId,
        caller: &Principal,
        query: &SearchQuery,
        page: &PageRequest,
    ) -> Result<SearchPage, Failure>;

    /// Finds messages of a project that all of these may read and that hold some of these words, at most `limit`. Words are
    /// compared as `search` compares them; the first `FIND_WORDS_MAX` are looked for, and each counts once.
    ///
    /// The fewer of the messages that they may read hold a word, the more it counts. Those come first whose words
    /// count the most together, among equals the newest.
    ///
    /// The cost is bounded, however often the words occur: of each word the newest `FIND_PER_WORD_MAX` messages that they
    /// may read come into question. Hidden messages change nothing in what is found, however many they are; beyond
    /// `FIND_CANDIDATES_MAX` of a word they make it slower. Removed ones are never found.
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
    /// Messages stand in it when they open a thread, carry an artifact or mention someone: the newest
    /// `GRAPH_MESSAGES_MAX` of these. What the caller may not read leaves no node and no edge.
    async fn graph(&self, project: &ProjectId, caller: &Principal) -> Result<Graph, Failure>;
}
