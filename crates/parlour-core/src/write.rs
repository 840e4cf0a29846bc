//! Writes: what the hub asks a store to change. Each becomes one event, or none when nothing changes; a
//! message that answers a question, and a run that goes on or ends, may tell more in the same write.

use serde_json::Value;

use crate::{
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

/// One change to be made to one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The project whose log gets the event.
    pub project_id: ProjectId,
    /// Who does it, when and by which way.
    pub attribution: Attribution,
    /// What.
    pub write: Write,
}

/// What is to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    FinishMessage(MessageId, Ending),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Archival {
    /// Only reading from now on.
    Archived,
    /// Writing again.
    Active,
}

/// A message to be posted. The store gives it its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    /// The message; its `seq` is set by the store.
    pub message: Message,
    /// The fingerprint of the request, to tell a repeated one from another under the same id.
    pub digest: PostDigest,
    /// The agents that get it into their inbox.
    pub deliveries: Vec<Recipient>,
    /// The agents that it calls; those that are held stand in the message already.
    pub calls: Calls,
    /// The message whose call it answers, when an agent writes it: that call and the agent's earlier open calls in the
    /// same conversation as that message are taken by it.
    pub answers: Option<MessageId>,
}

/// The new text of a message, with what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewText {
    /// The text.
    pub body: String,
    /// The members it calls now.
    pub mentions: Vec<MemberId>,
    /// Agents that get it into their inbox because they are mentioned only now.
    pub deliveries: Vec<Recipient>,
}

/// How a stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
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
