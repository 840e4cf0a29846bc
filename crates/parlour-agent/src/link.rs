//! The hub interface of a runner, implemented over the HTTP API ([`RemoteLink`]) and inside the hub's process.

use async_trait::async_trait;
use parlour_core::{
    Code,
    call::Call,
    checkpoint::{Checkpoint, RunFinished},
    context::{ContextRequest, Pack},
    delivery::DeliveryStep,
    event::Event,
    id::{ArtifactId, ConversationId, MessageId, RunId, TaskId},
    live::{AddChunk, Cancel, Complete, Fail},
    member::Agent,
    message::Message,
    policy::StreamRules,
    post::PostMessage,
    presence::PresenceUpdate,
    run::{FinishRun, Run, StartRun},
    step::{FinishStep, StartStep},
    task::{Task, TaskPatch},
};

use crate::answers::Finished;

mod remote_link;

pub use remote_link::RemoteLink;

/// The hub from the viewpoint of one agent. Every request is bounded: it fails after a number of attempts.
#[async_trait]
pub trait HubLink: RunCalls {
    /// The current settings of the agent.
    async fn agent(&self) -> Result<Agent, LinkError>;

    /// The agents of the project.
    async fn agents(&self) -> Result<Vec<Agent>, LinkError>;

    /// The lease of a streamed answer in seconds.
    async fn lease_seconds(&self) -> Result<u64, LinkError> {
        Ok(StreamRules::default().lease_seconds)
    }

    /// The agent's open calls, oldest first.
    async fn open_calls(&self) -> Result<Vec<Call>, LinkError>;

    /// Reports that the agent does not answer this message.
    async fn pass(&self, message: &MessageId, reason: Option<String>) -> Result<(), LinkError>;

    /// Reads a message unredacted, to check its state. Its text must not reach a model: use [`view`](Self::view) for
    /// that.
    async fn message(&self, id: &MessageId) -> Result<Message, LinkError>;

    /// Reads the redacted form of a message. A message that no model may see is not found.
    async fn view(&self, id: &MessageId) -> Result<Message, LinkError>;

    /// Requests the context of the agent's model: the only way in which messages of others enter a prompt. The result
    /// is redacted. Context that is requested for a run is stored with it, twice if a lost response is requested
    /// again.
    async fn context(&self, ask: &ContextRequest) -> Result<Pack, LinkError>;

    /// Posts a message under this id. Repeating the same request returns the first result; another request with a
    /// used id is refused (`ClientIdReused`).
    async fn post(&self, id: &MessageId, request: &PostMessage) -> Result<Message, LinkError>;

    /// Appends a chunk to an open answer. An answer that has ended is refused (`StreamEnded`).
    async fn add_chunk(&self, id: &MessageId, chunk: AddChunk) -> Result<(), LinkError>;

    /// Renews the lease of an open answer.
    async fn beat(&self, id: &MessageId) -> Result<(), LinkError>;

    /// Starts a step of an open answer.
    async fn start_step(&self, id: &MessageId, step: StartStep) -> Result<(), LinkError>;

    /// Ends a step of an open answer.
    async fn finish_step(&self, id: &MessageId, step_id: &str, end: FinishStep) -> Result<(), LinkError>;

    /// Completes an answer. If it replies to a question that it does not fit, the result contains the problem.
    async fn complete(&self, id: &MessageId, end: Complete) -> Result<Finished, LinkError>;

    /// Ends an answer as failed.
    async fn fail(&self, id: &MessageId, end: Fail) -> Result<Message, LinkError>;

    /// Ends an answer as cancelled, because its run was cancelled.
    async fn cancel(&self, id: &MessageId, end: Cancel) -> Result<Message, LinkError>;

    /// Uploads a file to a conversation.
    async fn upload(&self, file: Upload) -> Result<ArtifactId, LinkError>;

    /// The open tasks that are assigned to the agent, oldest first.
    async fn open_tasks(&self) -> Result<Vec<Task>, LinkError>;

    /// Changes a task.
    async fn update_task(&self, id: &TaskId, patch: TaskPatch) -> Result<Task, LinkError>;

    /// Creates a follow-up of a task.
    async fn follow_up(&self, task: FollowUpTask) -> Result<Task, LinkError>;

    /// Subscribes to the events of the project.
    fn follow(&self) -> Box<dyn HubEvents>;
}

/// A subscription to the events of the agent's project.
#[async_trait]
pub trait HubEvents: Send {
    /// Waits for the next event. Cancel-safe; an error ends the subscription.
    async fn next(&mut self) -> Result<HubEvent, LinkError>;

    /// Publishes the agent's presence, now and after every reconnect.
    fn set_presence(&self, request: PresenceUpdate);
}

/// One item of a subscription.
#[derive(Clone, Debug, PartialEq)]
pub enum HubEvent {
    /// The subscription is live: read the open calls and tasks now. Sent first and after every gap, possibly more
    /// often.
    Live,
    /// An event of the project.
    Event(Box<Event>),
    /// The hub cannot be reached, with the cause; the subscription reconnects.
    Lost(String),
}

/// A file to upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// The conversation to which it belongs.
    pub conversation_id: ConversationId,
    /// The file name.
    pub filename: String,
    /// The media type.
    pub media_type: String,
    /// The content.
    pub content: Vec<u8>,
}

/// A follow-up task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUpTask {
    /// The preceding task.
    pub parent: Task,
    /// The title.
    pub title: String,
    /// The description.
    pub description: Option<String>,
    /// The member who works on it.
    pub assignee: parlour_core::id::MemberId,
}

/// Why a request of a link failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The hub refused the request.
    #[error("{detail} ({code})")]
    Refused {
        /// The refusal code.
        code: String,
        /// The detail.
        detail: String,
    },
    /// The hub could not be reached after several attempts.
    #[error("the hub cannot be reached: {0}")]
    Away(String),
    /// The token was revoked or expired, or the agent is no longer a member.
    #[error("the hub no longer accepts the agent: {0}")]
    Over(String),
}

impl LinkError {
    /// Whether the error is this refusal.
    pub fn is(&self, code: Code) -> bool {
        matches!(self, Self::Refused { code: text, .. } if text == code.as_str())
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Away(_) => true,
            Self::Refused { code, .. } => Code::ALL.iter().any(|known| known.as_str() == code && known.is_retryable()),
            Self::Over(_) => false,
        }
    }
}

/// How long one wait for a change may take; then it is looked again.
pub const WAIT_SECONDS: u64 = 20;

/// The runs of one agent at its hub. Every call has an end, also those that wait.
#[async_trait]
pub trait RunCalls: Send + Sync {
    /// Begins a run of the agent; a repeated id answers the first result.
    async fn start_run(&self, request: &StartRun) -> Result<Run, LinkError>;

    /// Asks whether a run may go on, and renews its lease. A pause is recorded as one that a separate run answers: the
    /// engine of a paused run never gets the message.
    async fn checkpoint(&self, id: &RunId) -> Result<Checkpoint, LinkError>;

    /// Renews the lease of a run, from the middle of a step. A run that has ended is refused (`RunEnded`).
    async fn beat_run(&self, id: &RunId) -> Result<(), LinkError>;

    /// Reads a run as soon as it is not paused, or after `WAIT_SECONDS` as it is.
    async fn await_run(&self, id: &RunId) -> Result<Run, LinkError>;

    /// Says that the agent has handled a message, so that whatever it paused goes on. One that goes on already is
    /// refused (`NotPaused`).
    async fn resume_run(&self, id: &RunId, message: &MessageId) -> Result<(), LinkError>;

    /// Ends a run, and answers what the agent has not read.
    async fn finish_run(&self, id: &RunId, end: &FinishRun) -> Result<RunFinished, LinkError>;

    /// Stops a run.
    async fn cancel_run(&self, id: &RunId, reason: Option<String>) -> Result<(), LinkError>;

    /// The agent's runs that have not ended, whoever began them.
    async fn open_runs(&self) -> Result<Vec<Run>, LinkError>;

    /// The messages with open questions that address the agent.
    async fn open_questions(&self) -> Result<Vec<Message>, LinkError>;

    /// Reads a message as soon as its question is closed, or after `WAIT_SECONDS` as it is.
    async fn await_answer(&self, id: &MessageId) -> Result<Message, LinkError>;

    /// The messages of a conversation that the agent has not read, as far as one page holds.
    async fn unread(&self, id: &ConversationId) -> Result<Vec<MessageId>, LinkError>;

    /// Says what was really done with messages of the agent.
    async fn report_deliveries(&self, messages: &[MessageId], step: &DeliveryStep) -> Result<(), LinkError>;
}
