//! The calls that an answer in the making needs of a hub, whichever way it is reached.

use std::future::Future;

use parlour_core::{
    Code,
    id::MessageId,
    live::{AddChunk, Cancel, Complete, Fail},
    message::{Message, State},
    step::{FinishStep, StartStep},
};

use crate::{Client, ClientError, Retry, answers::Finished};

/// A way to write an answer. Every call is made once; whoever uses it repeats what is harmless to repeat.
pub(crate) trait StreamCalls: Send + Sync + 'static {
    /// How a call fails.
    type Error: StreamFault;

    /// How long an answer stays open without a sign of its producer.
    fn lease_seconds(&self) -> impl Future<Output = Result<u64, Self::Error>> + Send;

    /// Adds a piece.
    fn add_chunk(&self, id: &MessageId, chunk: &AddChunk) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Gives a sign of life.
    fn beat(&self, id: &MessageId) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Begins or ends a step.
    fn step(&self, id: &MessageId, step: &StepDeed) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Ends it.
    fn end(&self, id: &MessageId, ending: &Ending) -> impl Future<Output = Result<Finished, Self::Error>> + Send;

    /// Reads it.
    fn read(&self, id: &MessageId) -> impl Future<Output = Result<Message, Self::Error>> + Send;
}

/// Why a call failed, as far as a writer has to know.
pub(crate) trait StreamFault: std::error::Error + Send + Sync + 'static {
    /// Whether the same call may succeed later.
    fn is_retryable(&self) -> bool;

    /// Whether it is this refusal.
    fn is(&self, code: Code) -> bool;
}

/// What is done on the way to an answer.
#[derive(Clone, Debug)]
pub(crate) enum StepDeed {
    Start(StartStep),
    Finish(String, FinishStep),
}

/// How the producer ends its answer.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    Complete(Complete),
    Fail(Fail),
    Cancel(Cancel),
}

impl Ending {
    pub(super) fn state(&self) -> State {
        match self {
            Self::Complete(_) => State::Complete,
            Self::Fail(_) => State::Failed,
            Self::Cancel(_) => State::Cancelled,
        }
    }
}

/// The hub of a client.
#[derive(Debug)]
pub(super) struct ClientCalls {
    client: Client,
    project: parlour_core::id::ProjectId,
}

impl ClientCalls {
    pub(super) fn new(client: &Client, message: &Message) -> Self {
        // Tries are counted by the writer: each is made with the piece that is due then.
        Self { client: client.clone().with_retry(Retry::NEVER), project: message.project_id.clone() }
    }
}

impl StreamCalls for ClientCalls {
    type Error = ClientError;

    async fn lease_seconds(&self) -> Result<u64, ClientError> {
        Ok(self.client.project(&self.project).await?.policy.streams.lease_seconds)
    }

    async fn add_chunk(&self, id: &MessageId, chunk: &AddChunk) -> Result<(), ClientError> {
        self.client.add_chunk(id, chunk).await.map(drop)
    }

    async fn beat(&self, id: &MessageId) -> Result<(), ClientError> {
        self.client.beat_stream(id).await.map(drop)
    }

    async fn step(&self, id: &MessageId, step: &StepDeed) -> Result<(), ClientError> {
        match step {
            StepDeed::Start(step) => self.client.start_step(id, step).await.map(drop),
            StepDeed::Finish(step, end) => self.client.finish_step(id, step, end).await.map(drop),
        }
    }

    async fn end(&self, id: &MessageId, ending: &Ending) -> Result<Finished, ClientError> {
        let posted = match ending {
            Ending::Complete(end) => self.client.complete_stream(id, end).await,
            Ending::Fail(end) => self.client.fail_stream(id, end).await,
            Ending::Cancel(end) => self.client.cancel_stream(id, end).await,
        };
        posted.map(Finished::from)
    }

    async fn read(&self, id: &MessageId) -> Result<Message, ClientError> {
        self.client.message(id).await
    }
}

impl StreamFault for ClientError {
    fn is_retryable(&self) -> bool {
        self.is_retryable()
    }

    fn is(&self, code: Code) -> bool {
        self.problem().is_some_and(|problem| problem.is(code))
    }
}
