//! Streamed answers.
//!
//! [`StreamWriter`] opens an answer, sends its text in chunks with their positions, retries lost requests, renews the
//! lease while there is nothing to write, and fails when the answer was ended by somebody else.
//!
//! ```no_run
//! use parlour_agent::{Client, streaming::StreamWriter};
//! use parlour_core::{id::{ChannelId, MessageId}, live::Complete, post::PostMessage};
//!
//! # async fn example(client: Client, general: ChannelId, id: MessageId) -> Result<(), Box<dyn std::error::Error>> {
//! let request = PostMessage { channel_id: Some(general), ..PostMessage::default() };
//! let mut writer = StreamWriter::open(&client, &id, &request).await?;
//! for word in ["Streams ", "always ", "end."] {
//!     writer.write(word).await?;
//! }
//! let finished = writer.complete(Complete::default()).await?;
//! println!("{}", finished.message.body);
//! # Ok(())
//! # }
//! ```

use std::{future::Future, time::Duration};

use parlour_core::{
    Code,
    id::MessageId,
    limits,
    live::{AddChunk, Cancel, Complete, Fail},
    message::{Message, State},
    post::PostMessage,
    step::{FinishStep, StartStep},
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    Client, ClientError, Retry,
    answers::{Finished, Posted},
    live::{Backoff, draw},
};

mod sender;

pub(crate) use sender::{StreamCommand, StreamHandle};

/// Writes one streamed answer. If it is dropped, the answer stays open until its lease expires.
#[derive(Debug)]
pub struct StreamWriter {
    posted: Posted,
    bytes: usize,
    stream: StreamHandle<ClientError>,
}

/// Why a streamed answer cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum StreamError<E = ClientError> {
    /// The text would exceed the size limit of a message.
    #[error("the text is longer than {} bytes, the most that a message can have", limits::MESSAGE_BODY_BYTES_MAX)]
    TooLong,
    /// The answer was cancelled or interrupted.
    #[error("{}", describe_end(.0))]
    Ended(Box<Message>),
    /// The hub refused a request or could not be reached for too long.
    #[error(transparent)]
    Call(E),
    /// The hub has a different text than this writer wrote.
    #[error("somebody else writes into the answer {0}")]
    OtherText(MessageId),
    /// The answer has ended; the cause was returned before.
    #[error("the answer has ended")]
    Over,
}

fn describe_end(message: &Message) -> String {
    let how = match message.state {
        State::Cancelled => "was cancelled",
        State::Interrupted => "was interrupted",
        State::Failed => "has failed",
        State::Complete => "is already complete",
        State::Streaming => "can no longer be written",
    };
    let reason = message.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("the answer {how}{reason}")
}

impl StreamWriter {
    /// Posts the message of the answer under this id; its text starts with the body of the request, which may be
    /// empty.
    pub async fn open(client: &Client, id: &MessageId, request: &PostMessage) -> Result<Self, ClientError> {
        let request = PostMessage { stream: true, ..request.clone() };
        let posted = client.post_message(id, &request).await?;
        let calls = ClientCalls::new(client, &posted.message);
        let stream = StreamHandle::start(calls, &posted.message, CancellationToken::new());
        Ok(Self { bytes: posted.message.body.len(), posted, stream })
    }

    /// The response to the post that opened the answer.
    pub fn opened(&self) -> &Posted {
        &self.posted
    }

    /// Appends to the text, which is sent within 100 ms. Fails if the answer has ended meanwhile.
    pub async fn write(&mut self, text: &str) -> Result<(), StreamError> {
        if sender::is_too_long(self.bytes + text.len()) {
            return Err(StreamError::TooLong);
        }
        self.stream.send(StreamCommand::Write(text.to_owned())).await?;
        self.bytes += text.len();
        Ok(())
    }

    /// Waits until the answer has ended without its producer. Cancel-safe.
    pub async fn ended(&mut self) -> StreamError {
        self.stream.ended().await
    }

    /// Sends the rest of the text and completes the answer.
    pub async fn complete(self, end: Complete) -> Result<Finished, StreamError> {
        self.stream.end(Ending::Complete(end)).await
    }

    /// Ends the answer as failed; the text stays.
    pub async fn fail(self, end: Fail) -> Result<Finished, StreamError> {
        self.stream.end(Ending::Fail(end)).await
    }

    /// Ends the answer as cancelled; the text stays.
    pub async fn cancel(self, end: Cancel) -> Result<Finished, StreamError> {
        self.stream.end(Ending::Cancel(end)).await
    }
}

/// The requests of a streamed answer. Implementations do not retry; the caller does.
pub(crate) trait StreamCalls: Send + Sync + 'static {
    type Error: StreamCallError;

    fn lease_seconds(&self) -> impl Future<Output = Result<u64, Self::Error>> + Send;

    fn add_chunk(&self, id: &MessageId, chunk: &AddChunk) -> impl Future<Output = Result<(), Self::Error>> + Send;

    fn beat(&self, id: &MessageId) -> impl Future<Output = Result<(), Self::Error>> + Send;

    fn step(&self, id: &MessageId, step: &StepUpdate) -> impl Future<Output = Result<(), Self::Error>> + Send;

    fn end(&self, id: &MessageId, ending: &Ending) -> impl Future<Output = Result<Finished, Self::Error>> + Send;

    fn read(&self, id: &MessageId) -> impl Future<Output = Result<Message, Self::Error>> + Send;
}

/// The properties of an error that a writer needs.
pub(crate) trait StreamCallError: std::error::Error + Send + Sync + 'static {
    /// Whether the same request may succeed later.
    fn is_retryable(&self) -> bool;

    fn is(&self, code: Code) -> bool;
}

/// The start or the end of a step.
#[derive(Clone, Debug)]
pub(crate) enum StepUpdate {
    Start(StartStep),
    Finish(String, FinishStep),
}

/// The final state that the producer requests.
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

/// Streams over the HTTP client.
#[derive(Debug)]
pub(super) struct ClientCalls {
    client: Client,
    project: parlour_core::id::ProjectId,
}

impl ClientCalls {
    pub(super) fn new(client: &Client, message: &Message) -> Self {
        // The writer retries itself, with the chunk that is due then.
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

    async fn step(&self, id: &MessageId, step: &StepUpdate) -> Result<(), ClientError> {
        match step {
            StepUpdate::Start(step) => self.client.start_step(id, step).await.map(drop),
            StepUpdate::Finish(step, end) => self.client.finish_step(id, step, end).await.map(drop),
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

impl StreamCallError for ClientError {
    fn is_retryable(&self) -> bool {
        self.is_retryable()
    }

    fn is(&self, code: Code) -> bool {
        self.problem().is_some_and(|problem| problem.is(code))
    }
}

/// Time limit of retries while the hub cannot be reached.
const RETRY_TIME_MAX: Duration = Duration::from_secs(120);
/// Pauses between attempts are short because people watch the text grow.
const PAUSE_FIRST: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// Repeats an idempotent request while the hub cannot be reached, up to `RETRY_TIME_MAX`.
pub(crate) async fn retry_while_away<T, E, F>(mut call: impl FnMut() -> F) -> Result<T, E>
where
    E: StreamCallError,
    F: Future<Output = Result<T, E>>,
{
    let until = Instant::now() + RETRY_TIME_MAX;
    let mut backoff = Backoff::new(PAUSE_FIRST, PAUSE_MAX, RETRY_TIME_MAX);
    loop {
        match call().await {
            Err(error) if error.is_retryable() && Instant::now() < until => {
                sleep(backoff.pause_after_failure(draw())).await;
            }
            outcome => return outcome,
        }
    }
}
