//! Writes: the changes that the hub sends to a store.
//!
//! A write records one event, or none when it changes nothing. A message that answers a question, and a run that
//! resumes or ends, can record further events in the same write.
//!
//! An [`Entry`] has a stable serialised form, one JSON object on one line:
//!
//! ```json
//!
//! {"v":1,"project_id":"prj_…","attribution":{"actor":…,"at":…,"origin":…},"write":{"type":"add_person","data":"per_…"}}
//! ```
//!
//! `v` is the version of the form. `type` is the name of the [`Write`] in snake case. `data` is its value; a write with
//! several values has them as an array, in the order of the variant. Hashes are lower-case hexadecimal text. Values
//! have the native wire format. `docs/adr/0022-entries-are-versioned-json.md` lists the changes that need a new
//! version, and `tests/golden/entries_v1.jsonl` holds at least one entry of every write.
//!
//! A store takes times, ids and positions from the entry, never from a clock or from randomness.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Code, Refusal,
    artifact::Artifact,
    attribution::Attribution,
    call::{Calls, PassedCall},
    conversation::{Channel, ChannelPatch, Dm, Thread},
    delivery::DeliveryReport,
    engine::Usage,
    event::{Change, ChannelMember, Subscription},
    id::{AgentId, ChannelId, InviteId, MemberId, MessageId, PersonId, ProjectId, RunId, TaskId},
    inbox::Recipient,
    member::{Agent, AgentPatch},
    message::{Message, State},
    position::Position,
    post::PostDigest,
    project::{Project, ProjectPatch},
    question::{AnswerTo, Settlement},
    run::{Pause, Run, RunEnd},
    step::Step,
    task::{Batch, Task, TaskPatch},
    token::NewToken,
};

/// The version of the serialised form of [`Entry`].
pub const ENTRY_VERSION: u64 = 1;

/// One change of one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The project whose log gets the event.
    pub project_id: ProjectId,
    /// Actor, time, surface and token of the change.
    pub attribution: Attribution,
    /// The change.
    pub write: Write,
}

/// The reason why a text is not the serialised form of an entry.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// The entry has another version.
    #[error("entry has version {found}; this program reads version {ENTRY_VERSION}")]
    Version {
        /// The version of the entry.
        found: u64,
    },
    /// The text is not JSON, or lacks a field, or a value is invalid.
    #[error("entry is not valid JSON of version {ENTRY_VERSION}")]
    Malformed(#[from] serde_json::Error),
    /// The entry has a field that this program would lose.
    #[error("entry has the unknown field \"{path}\"; update this program before it applies the entry")]
    UnknownField {
        /// The path of the field, for example `write.data.message.colour`.
        path: String,
    },
}

/// The version alone, so that another version is reported as such and not as a malformed entry.
#[derive(Deserialize)]
struct EntryVersion {
    v: u64,
}

impl Entry {
    /// The serialised form, on one line.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct VersionedEntry<'a> {
            v: u64,
            #[serde(flatten)]
            entry: &'a Entry,
        }
        serde_json::to_string(&VersionedEntry { v: ENTRY_VERSION, entry: self }).expect("an entry is plain data")
    }

    /// Reads the serialised form.
    ///
    /// Another version, an unknown write and an unknown field at any depth are errors: a store that ignored them would
    /// differ from the store that wrote the entry.
    pub fn from_json(text: &str) -> Result<Self, EntryError> {
        let EntryVersion { v: found } = serde_json::from_str(text)?;
        if found != ENTRY_VERSION {
            return Err(EntryError::Version { found });
        }
        let mut fields: Map<String, Value> = serde_json::from_str(text)?;
        fields.remove("v");
        let given = Value::Object(fields);
        let entry: Self = serde_json::from_value(given.clone())?;
        match unknown_field(&given, &serde_json::to_value(&entry)?) {
            None => Ok(entry),
            Some(path) => Err(EntryError::UnknownField { path: path.join(".") }),
        }
    }
}

/// The path of the first field of `given` that is missing in `known`. A field that is null counts as absent.
fn unknown_field(given: &Value, known: &Value) -> Option<Vec<String>> {
    let below = |key: String, given: &Value, known: Option<&Value>| match known {
        None if given.is_null() => None,
        None => Some(vec![key]),
        Some(known) => unknown_field(given, known).map(|path| [vec![key], path].concat()),
    };
    match given {
        Value::Object(fields) => fields.iter().find_map(|(key, given)| below(key.clone(), given, known.get(key))),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, given)| below(index.to_string(), given, known.get(index)))
        }
        _ => None,
    }
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "nearly all writes are posts, the largest: a box would only cost them")]
pub enum Write {
    /// Creates the project and its log; its owner becomes a member.
    CreateProject(Project),
    /// Changes the project.
    UpdateProject(ProjectPatch),
    /// Adds a person to the project.
    AddPerson(PersonId),
    /// Removes a person from the project and from its private channels.
    RemovePerson(PersonId),
    /// Adds an agent with its token. An agent that joins by an invite uses it in the same write; refused
    /// (`InviteEnded`) when the invite has expired, is used up, was revoked or belongs to another project.
    CreateAgent(Agent, NewToken, Option<InviteId>),
    /// Changes an agent.
    UpdateAgent(AgentId, AgentPatch),
    /// Creates a channel; a private one has these members.
    CreateChannel(Channel, Vec<MemberId>),
    /// Changes a channel. When it becomes private, these members stay.
    UpdateChannel(ChannelId, ChannelPatch, Vec<MemberId>),
    /// Makes a channel read-only, or writable again.
    ArchiveChannel(ChannelId, Archival),
    /// Adds a member to a private channel.
    AddChannelMember(ChannelMember),
    /// Removes a member from a private channel; an agent loses its subscription too.
    RemoveChannelMember(ChannelMember),
    /// Subscribes an agent to a channel.
    Subscribe(Subscription),
    /// Ends a subscription.
    Unsubscribe(Subscription),
    /// Creates a thread; a message that has a thread keeps it.
    CreateThread(Thread),
    /// Creates a DM; participants that have one keep it.
    CreateDm(Dm),
    /// Posts a message.
    PostMessage(NewMessage),
    /// Changes the text of a message and closes the open calls of agents that it no longer addresses
    /// (`wake::no_longer_called`); the message no longer lists these calls.
    EditMessage(MessageId, NewText),
    /// Ends the stream of a message with its final text. The same ending again changes nothing; another ending is
    /// refused (`StreamEnded`).
    FinishMessage(MessageId, StreamEnding),
    /// Closes an open call that its agent will not answer. A call that is not open stays as it is.
    PassCall(PassedCall),
    /// Removes a message.
    RemoveMessage(MessageId),
    /// Adds a member's reaction to a message.
    React(MessageId, String, MemberId),
    /// Removes a member's reaction.
    Unreact(MessageId, String, MemberId),
    /// Marks a message as read by a member.
    MarkRead(MessageId, MemberId),
    /// Records a delivery step of messages to an agent. A step that a delivery is already past changes nothing.
    ReportDeliveries(DeliveryReport),
    /// Settles the question of a message, or records that an addressee ignores it. Refused (`QuestionClosed`) when the
    /// question has ended.
    SettleQuestion(MessageId, Settlement),
    /// Starts a run. The same id by the same agent returns the first result.
    StartRun(Run),
    /// Pauses a run by the rules of `Run::paused`.
    PauseRun(RunId, Vec<Pause>),
    /// Resumes a run by the rules of `Run::resumed` and marks the messages that had paused it as handled. The text is
    /// the timeline's description of how it was resumed.
    ResumeRun(RunId, Option<MessageId>, String),
    /// Ends a run by the rules of `Run::ended`.
    EndRun(RunId, RunEnd),
    /// Creates a task.
    CreateTask(Task),
    /// Changes a task.
    UpdateTask(TaskId, TaskPatch),
    /// Creates a batch.
    CreateBatch(Batch),
    /// Records an uploaded file.
    CreateArtifact(Artifact),
}

/// Whether a channel is read-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Archival {
    /// Read-only.
    Archived,
    /// Writable.
    Active,
}

/// A message to be posted. The store assigns its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMessage {
    /// The message; the store sets its `seq`.
    pub message: Message,
    /// The fingerprint of the request: a different request under the same id is refused.
    #[serde(with = "crate::hex_bytes")]
    pub digest: PostDigest,
    /// The agents that get it into their inbox.
    pub deliveries: Vec<Recipient>,
    /// The agents that it calls. The message itself lists the held ones.
    pub calls: Calls,
    /// The message whose call an agent's message answers. It takes exactly that call.
    pub answers: Option<MessageId>,
    /// Further messages of the same conversation whose open calls it takes, because the agent got them in one prompt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers_also: Vec<MessageId>,
}

impl NewMessage {
    /// Refuses (`ClientIdReused`) a post under the id of another message. It repeats the first post when author,
    /// project and fingerprint are the same.
    pub fn check_repeated(&self, first: &Message, is_same_digest: bool, project_id: &ProjectId) -> Result<(), Refusal> {
        let (was, is) = (&first.from, &self.message.from);
        let is_same_author = (was.author_type, &was.id) == (is.author_type, &is.id);
        if is_same_digest && is_same_author && first.project_id == *project_id {
            return Ok(());
        }
        let detail = format!("the id {} is already used by another message", self.message.id);
        Err(Refusal::new(Code::ClientIdReused, detail).at("id"))
    }
}

/// The new text of a message, with its mentions and deliveries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewText {
    /// The text.
    pub body: String,
    /// The members that it mentions.
    pub mentions: Vec<MemberId>,
    /// The agents that get the message into their inbox because of this text.
    pub deliveries: Vec<Recipient>,
}

/// The end of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamEnding {
    /// The final state; never `Streaming`.
    pub state: State,
    /// The reason, when the state is not `Complete`.
    pub reason: Option<String>,
    /// The final text.
    pub text: NewText,
    /// The structured content; it replaces the one that the message was posted with.
    pub content: Option<Value>,
    /// The steps of the producer.
    pub steps: Vec<Step>,
    /// The agents that the final text calls, and the held ones.
    pub calls: Calls,
    /// The usage that the provider reported.
    pub usage: Option<Usage>,
    /// The question that the final text answers.
    pub answer_to: Option<AnswerTo>,
}

/// The result of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The change, with the values that the store has set.
    pub change: Change,
    /// The position of the event. A repeated write returns the position of the first event, or the end of the log.
    pub position: Position,
    /// Whether something was written.
    pub novelty: Novelty,
}

/// Whether a write changed the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    /// The write recorded an event.
    New,
    /// The store was in the wanted state already and wrote nothing.
    Repeated,
}
