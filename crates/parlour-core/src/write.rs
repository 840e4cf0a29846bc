//! Writes: the changes that the hub asks a store to make.
//!
//! A write records one event, or none when it changes nothing. A message that answers a question, and a run that resumes
//! or ends, may record further events in the same write.
//!
//! An [`Entry`] has a stable serialised form, one JSON object:
//!
//! ```json
//! {"v":1,"project_id":"prj_…","attribution":{"actor":…,"at":…,"origin":…},"write":{"type":"add_person","data":"per_…"}}
//! ```
//!
//! `v` is the version of the form. `type` is the name of the [`Write`] in snake case. `data` is its value; a write with
//! several values has them as an array, in the order of the variant. Hashes are lower-case hexadecimal text. Values have
//! the native wire format, and a field that is absent there is absent here. A change of the form needs a new version.
//!
//! A store takes times, ids and positions from the entry alone, never from a clock or from randomness.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Code, Refusal,
    artifact::Artifact,
    attribution::Attribution,
    call::{Calls, PassedCall},
    conversation::{Channel, ChannelPatch, Dm, Thread},
    delivery::DeliveryReport,
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
    usage::Usage,
};

/// The version of the serialised form of [`Entry`].
pub const ENTRY_VERSION: u64 = 1;

/// One change to be made to one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The project whose log gets the event.
    pub project_id: ProjectId,
    /// Who makes the change, when, through which surface and with which token.
    pub attribution: Attribution,
    /// The change.
    pub write: Write,
}

/// Why a text is not the serialised form of an entry.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// The entry has another version.
    #[error("entry has version {found}; this program reads version {ENTRY_VERSION}")]
    Version {
        /// The version of the entry.
        found: u64,
    },
    /// The text is not JSON, or not of the form.
    #[error("entry is not valid JSON of version {ENTRY_VERSION}")]
    Malformed(#[from] serde_json::Error),
}

/// The version alone, to tell another version from a malformed entry.
#[derive(Deserialize)]
struct Versioned {
    v: u64,
}

impl Entry {
    /// The serialised form, on one line.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Envelope<'a> {
            v: u64,
            #[serde(flatten)]
            entry: &'a Entry,
        }
        serde_json::to_string(&Envelope { v: ENTRY_VERSION, entry: self }).expect("an entry is plain data")
    }

    /// Reads the serialised form. An unknown version, an unknown write and an unknown field of the envelope are errors.
    pub fn from_json(text: &str) -> Result<Self, EntryError> {
        let Versioned { v: found } = serde_json::from_str(text)?;
        if found != ENTRY_VERSION {
            return Err(EntryError::Version { found });
        }
        let mut envelope: serde_json::Map<String, Value> = serde_json::from_str(text)?;
        envelope.remove("v");
        Ok(serde_json::from_value(Value::Object(envelope))?)
    }
}

/// A change to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "nearly all writes are posts, the largest: a box would only cost them")]
pub enum Write {
    /// Makes the project; its owner becomes a member. Begins the log.
    CreateProject(Project),
    /// Changes the project.
    UpdateProject(ProjectPatch),
    /// Lets a person take part.
    AddPerson(PersonId),
    /// Ends a person's part, in the private channels of the project too.
    RemovePerson(PersonId),
    /// Adds an agent with its token. When it joins by an invite, that is used once more in the same write, and refused
    /// (`InviteEnded`) when it has ended, is used up, was taken back or is another project's.
    CreateAgent(Agent, NewToken, Option<InviteId>),
    /// Changes an agent.
    UpdateAgent(AgentId, AgentPatch),
    /// Makes a channel; a private one has these members.
    CreateChannel(Channel, Vec<MemberId>),
    /// Changes a channel. When it becomes private, these members keep it.
    UpdateChannel(ChannelId, ChannelPatch, Vec<MemberId>),
    /// Makes a channel read-only, or writable again.
    ArchiveChannel(ChannelId, Archival),
    /// Lets a member into a private channel.
    AddChannelMember(ChannelMember),
    /// Takes a member out of a private channel; an agent loses its subscription too.
    RemoveChannelMember(ChannelMember),
    /// Lets an agent follow a channel.
    Subscribe(Subscription),
    /// Ends that.
    Unsubscribe(Subscription),
    /// Opens a thread; a message that has one keeps it.
    CreateThread(Thread),
    /// Opens a dm; the same participants keep theirs.
    CreateDm(Dm),
    /// Posts a message.
    PostMessage(NewMessage),
    /// Changes the text of a message.
    EditMessage(MessageId, NewText),
    /// Ends the stream of a message: the text is final. A message that has ended so already keeps its end, and one
    /// that has ended in another way is refused (`StreamEnded`).
    FinishMessage(MessageId, StreamEnding),
    /// Closes an open call: its agent does not answer. One that is no longer open stays as it is.
    PassCall(PassedCall),
    /// Removes a message.
    RemoveMessage(MessageId),
    /// Adds a member's reaction to a message.
    React(MessageId, String, MemberId),
    /// Takes it back.
    Unreact(MessageId, String, MemberId),
    /// Marks a message as read by a member.
    MarkRead(MessageId, MemberId),
    /// Notes what has become of messages on their way to an agent. What is no news changes nothing.
    ReportDeliveries(DeliveryReport),
    /// Settles the question of a message, or notes that one will not answer it. Refused (`QuestionClosed`) when it has
    /// ended.
    SettleQuestion(MessageId, Settlement),
    /// Begins a run. A repeated id by the same agent answers the first result again.
    StartRun(Run),
    /// Pauses a run, as `Run::paused` says.
    PauseRun(RunId, Vec<Pause>),
    /// Lets a run go on, as `Run::resumed` says, and notes of each message that had paused it that its agent has
    /// handled it. The text says how, for the timeline.
    ResumeRun(RunId, Option<MessageId>, String),
    /// Ends a run, as `Run::ended` says.
    EndRun(RunId, RunEnd),
    /// Gives a task.
    CreateTask(Task),
    /// Changes a task.
    UpdateTask(TaskId, TaskPatch),
    /// Makes a batch.
    CreateBatch(Batch),
    /// Records an uploaded file.
    CreateArtifact(Artifact),
}

/// Whether a channel is to be read-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Archival {
    /// Only reading from now on.
    Archived,
    /// Writing again.
    Active,
}

/// A message to be posted. The store gives it its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMessage {
    /// The message; its `seq` is set by the store.
    pub message: Message,
    /// The fingerprint of the request, to tell a repeated one from another under the same id.
    #[serde(with = "crate::hex_bytes")]
    pub digest: PostDigest,
    /// The agents that get it into their inbox.
    pub deliveries: Vec<Recipient>,
    /// The agents that it calls; those that are held stand in the message already.
    pub calls: Calls,
    /// The message whose call it answers, when an agent writes it: that call and the agent's earlier open calls in the
    /// same conversation as that message are taken by it.
    pub answers: Option<MessageId>,
}

impl NewMessage {
    /// Refuses (`ClientIdReused`) a post under the id of another message. It repeats the first post when author, project
    /// and fingerprint are the same.
    pub fn check_repeated(&self, first: &Message, is_same_digest: bool, project_id: &ProjectId) -> Result<(), Refusal> {
        let (was, is) = (&first.from, &self.message.from);
        let is_same_author = (was.author_type, &was.id) == (is.author_type, &is.id);
        if is_same_digest && is_same_author && first.project_id == *project_id {
            return Ok(());
        }
        let detail = format!("{} is the id of another message", self.message.id);
        Err(Refusal::new(Code::ClientIdReused, detail).at("id"))
    }
}

/// The new text of a message, with what follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewText {
    /// The text.
    pub body: String,
    /// The members it calls now.
    pub mentions: Vec<MemberId>,
    /// Agents that get it into their inbox because they are mentioned only now.
    pub deliveries: Vec<Recipient>,
}

/// How a stream ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamEnding {
    /// How; anything but `Streaming`.
    pub state: State,
    /// Why, when it is not complete.
    pub reason: Option<String>,
    /// The final text, with what follows from it.
    pub text: NewText,
    /// A structured form of what it says, in place of the one it began with.
    pub content: Option<Value>,
    /// What the producer did on the way.
    pub steps: Vec<Step>,
    /// The agents that the final text calls, and those that are held.
    pub calls: Calls,
    /// What it has cost.
    pub usage: Option<Usage>,
    /// The question that the final text answers.
    pub answer_to: Option<AnswerTo>,
}

/// What a store answers to a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// What is now so, with everything that the store has set.
    pub change: Change,
    /// Where the event stands; for a repeated write, where the first one does or the end of the log.
    pub position: Position,
    /// Whether something was written.
    pub novelty: Novelty,
}

/// Whether a write changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    /// It did, and there is an event.
    New,
    /// It was so already: nothing was written.
    Repeated,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    fn entry(write: Write) -> Entry {
        let attribution = Attribution::of_host(Timestamp::from_millis(1_700_000_000_123));
        Entry { project_id: ProjectId::from_bits(1), attribution, write }
    }

    #[test]
    fn a_serialised_entry_is_read_back_as_it_was() {
        let (message, person) = (MessageId::from_bits(2), PersonId::from_bits(3));
        for write in [
            Write::AddPerson(person.clone()),
            Write::React(message.clone(), "+1".to_owned(), person.into()),
            Write::ArchiveChannel(ChannelId::from_bits(4), Archival::Archived),
            Write::SettleQuestion(message.clone(), Settlement::Expired),
            Write::RemoveMessage(message),
        ] {
            let entry = entry(write);
            assert_eq!(Entry::from_json(&entry.to_json()).expect("own form"), entry);
        }
    }

    #[test]
    fn an_entry_of_another_version_is_an_error() {
        let json = entry(Write::AddPerson(PersonId::from_bits(3))).to_json();
        assert!(json.starts_with(r#"{"v":1,"#), "{json}");
        let newer = json.replacen(r#"{"v":1,"#, r#"{"v":2,"#, 1);
        assert!(matches!(Entry::from_json(&newer), Err(EntryError::Version { found: 2 })));
        let unversioned = json.replacen(r#"{"v":1,"#, "{", 1);
        assert!(matches!(Entry::from_json(&unversioned), Err(EntryError::Malformed(_))));
    }
}
