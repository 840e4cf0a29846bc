//! What a runner needs of a hub: the same whether the agent runs on another machine or inside the hub itself.
//!
//! [`ClientLink`] goes over the native API. A hub that runs agents itself brings its own.

use async_trait::async_trait;
use parlour_core::{
    Code,
    call::Call,
    context::{ContextRequest, Pack},
    event::Event,
    id::{ArtifactId, ConversationId, MessageId, TaskId},
    live::{AddChunk, Cancel, Complete, Fail},
    member::Agent,
    message::Message,
    policy::StreamRules,
    post::PostMessage,
    presence::PresenceUpdate,
    step::{FinishStep, StartStep},
    task::{Task, TaskPatch},
};

use crate::answers::Finished;

mod client_link;
mod client_runs;
mod run_link;

pub use client_link::ClientLink;
pub use run_link::{RunLink, WAIT_SECONDS};

/// The hub as the runner of one agent sees it. Every call has an end: what cannot be had after some tries is an error.
#[async_trait]
pub trait Link: RunLink {
    /// The agent, as it is now.
    async fn agent(&self) -> Result<Agent, LinkError>;

    /// The agents of the project.
    async fn agents(&self) -> Result<Vec<Agent>, LinkError>;

    /// How long an answer stays open without a sign of its producer; a link that cannot ask says what is usual.
    async fn lease_seconds(&self) -> Result<u64, LinkError> {
        Ok(StreamRules::default().lease_seconds)
    }

    /// The agent's open calls, oldest first.
    async fn open_calls(&self) -> Result<Vec<Call>, LinkError>;

    /// Says that the agent does not answer this message.
    async fn pass(&self, message: &MessageId, reason: Option<String>) -> Result<(), LinkError>;

    /// Reads a message as it is, to see how it stands. Its words are not for models: [`view`](Self::view) has those.
    async fn message(&self, id: &MessageId) -> Result<Message, LinkError>;

    /// Reads a message as a model may read it: without what the rules of the project take out. One that no model may
    /// see is not found.
    async fn view(&self, id: &MessageId) -> Result<Message, LinkError>;

    /// Asks what the agent's model is to see, as a pack, an injection or a native list: the only way in which messages
    /// of others come into a prompt. Nothing in it is more than a view: no secret that the rules know, and nothing that
    /// no model may see. What is asked for a run is kept with it; when an answer is lost and it is asked again, twice.
    async fn context(&self, ask: &ContextRequest) -> Result<Pack, LinkError>;

    /// Posts under this id; a repetition of the same request answers the first result, another request under the id of a
    /// message is refused (`ClientIdReused`).
    async fn post(&self, id: &MessageId, request: &PostMessage) -> Result<Message, LinkError>;

    /// Adds a piece to an open answer. An answer that has ended is refused (`StreamEnded`).
    async fn add_chunk(&self, id: &MessageId, chunk: AddChunk) -> Result<(), LinkError>;

    /// Keeps an open answer open.
    async fn beat(&self, id: &MessageId) -> Result<(), LinkError>;

    /// Begins a step of an open answer.
    async fn start_step(&self, id: &MessageId, step: StartStep) -> Result<(), LinkError>;

    /// Ends a step of an open answer.
    async fn finish_step(&self, id: &MessageId, step_id: &str, end: FinishStep) -> Result<(), LinkError>;

    /// Ends an answer as complete, and says why it does not fit when it replies to a question.
    async fn complete(&self, id: &MessageId, end: Complete) -> Result<Finished, LinkError>;

    /// Ends an answer as failed.
    async fn fail(&self, id: &MessageId, end: Fail) -> Result<Message, LinkError>;

    /// Ends an answer as cancelled: somebody has stopped the run that made it.
    async fn cancel(&self, id: &MessageId, end: Cancel) -> Result<Message, LinkError>;

    /// Keeps a file that belongs to a conversation.
    async fn upload(&self, file: Upload) -> Result<ArtifactId, LinkError>;

    /// The open tasks that are given to the agent, oldest first.
    async fn open_tasks(&self) -> Result<Vec<Task>, LinkError>;

    /// Changes a task.
    async fn update_task(&self, id: &TaskId, patch: TaskPatch) -> Result<Task, LinkError>;

    /// Gives a follow-up of a task.
    async fn follow_up(&self, task: FollowUp) -> Result<Task, LinkError>;

    /// Follows the project from now on: events only.
    fn follow(&self) -> Box<dyn News>;
}

/// What happens in the project of an agent.
#[async_trait]
pub trait News: Send {
    /// Waits for what happens next. Cancelling the wait loses nothing; an error is the end.
    async fn next(&mut self) -> Result<NewsItem, LinkError>;

    /// Says that the agent is there, now and after every reconnect.
    fn be_present(&self, request: PresenceUpdate);
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum NewsItem {
    /// From here on nothing is missed: read the open calls and tasks now. Comes first, and again after
    /// every gap; more often than that is harmless.
    Live,
    /// Something happened.
    Event(Box<Event>),
    /// The hub cannot be reached; it is tried again. Why, in plain words.
    Lost(String),
}

/// A file to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Where it is talked about.
    pub conversation_id: ConversationId,
    /// Its name.
    pub filename: String,
    /// What it is.
    pub media_type: String,
    /// What is in it.
    pub content: Vec<u8>,
}

/// A follow-up task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUp {
    /// The task that it follows.
    pub parent: Task,
    /// What is to be done.
    pub title: String,
    /// What is to be done, at length.
    pub description: Option<String>,
    /// Who is to do it.
    pub assignee: parlour_core::id::MemberId,
}

/// Why a link did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The hub said no.
    #[error("{detail} ({code})")]
    Refused {
        /// The stable code.
        code: String,
        /// What was wrong.
        detail: String,
    },
    /// The hub could not be reached, however often it was tried.
    #[error("the hub cannot be reached: {0}")]
    Away(String),
    /// The token has ended, or the agent is no longer a member.
    #[error("the agent is no longer let in: {0}")]
    Over(String),
}

impl LinkError {
    /// Whether this is that refusal.
    pub fn is(&self, code: Code) -> bool {
        matches!(self, Self::Refused { code: text, .. } if text == code.as_str())
    }

    /// Whether the same may succeed later without a change.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Away(_) => true,
            Self::Refused { code, .. } => Code::ALL.iter().any(|known| known.as_str() == code && known.is_retryable()),
            Self::Over(_) => false,
        }
    }
}
