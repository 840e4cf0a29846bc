//! What a runner needs of a hub for its runs, for questions that block, and for what has become of messages.

use async_trait::async_trait;
use parlour_core::{
    checkpoint::{Checkpoint, RunFinished},
    delivery::DeliveryStep,
    id::{ConversationId, MessageId, RunId},
    message::Message,
    run::{FinishRun, Run, StartRun},
};

use super::LinkError;

/// How long one wait for a change may take; then it is looked again.
pub const WAIT_SECONDS: u64 = 20;

/// The runs of one agent at its hub. Every call has an end, also those that wait.
#[async_trait]
pub trait RunLink: Send + Sync {
    /// Begins a run of the agent; a repeated id answers the first result.
    async fn start_run(&self, request: &StartRun) -> Result<Run, LinkError>;

    /// Asks whether a run may go on, and renews its lease.
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
