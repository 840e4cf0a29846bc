//! Answers that are written piece by piece.
//!
//! [`StreamWriter`] opens an answer and keeps it alive: it gathers what is written for a short while, sends it with its
//! place in the text, repeats what was lost on the way, gives a sign of life while there is nothing to write, and
//! notices when the answer has ended without it, for example because somebody has cancelled it.
//!
//! ```no_run
//! use parlour_agent::{Client, streaming::StreamWriter};
//! use parlour_core::{id::{ChannelId, MessageId}, live::Complete, post::PostMessage};
//!
//! # async fn example(client: Client, general: ChannelId, id: MessageId) -> Result<(), Box<dyn std::error::Error>> {
//! let wish = PostMessage { channel_id: Some(general), ..PostMessage::default() };
//! let mut writer = StreamWriter::open(&client, &id, &wish).await?;
//! for word in ["Streams ", "always ", "end."] {
//!     writer.write(word).await?;
//! }
//! let finished = writer.complete(Complete::default()).await?;
//! println!("{}", finished.message.body);
//! # Ok(())
//! # }
//! ```

use parlour_core::{
    id::MessageId,
    limits,
    live::{Cancel, Complete, Fail},
    message::{Message, State},
    post::PostMessage,
};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    Client, ClientError,
    answers::{Finished, Posted},
};

mod sender;
mod text;

use sender::{Deed, Ending, Sender};

/// Writes that wait while a piece is on its way; then the writer waits.
const WRITES_WAITING_MAX: usize = 64;

/// The producer's end of an answer. Dropping it leaves the answer open until its lease runs out.
#[derive(Debug)]
pub struct StreamWriter {
    posted: Posted,
    bytes: usize,
    deeds: mpsc::Sender<Deed>,
    /// Absent after it has told why it ended.
    task: Option<AbortOnDropHandle<Result<Finished, StreamError>>>,
}

/// Why an answer cannot be written further.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The text would be longer than a message can be.
    #[error("the text is longer than {} bytes, the most that a message can have", limits::MESSAGE_BODY_BYTES_MAX)]
    TooLong,
    /// It has ended without its producer: somebody cancelled it, or it was interrupted.
    #[error("{}", told_end(.0))]
    Ended(Box<Message>),
    /// The hub refused a piece, or could not be reached for too long.
    #[error(transparent)]
    Call(ClientError),
    /// The hub has another text than this writer has written.
    #[error("somebody else writes into the answer {0}")]
    OtherText(MessageId),
    /// It has ended, and why was told before.
    #[error("the answer has ended")]
    Over,
}

fn told_end(message: &Message) -> String {
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
    /// Posts the start of an answer under this id; its text begins with the body of the wish, which may be empty.
    pub async fn open(client: &Client, id: &MessageId, wish: &PostMessage) -> Result<Self, ClientError> {
        let wish = PostMessage { stream: true, ..wish.clone() };
        let posted = client.post_message(id, &wish).await?;
        let (deeds, queue) = mpsc::channel(WRITES_WAITING_MAX);
        let task = tokio::spawn(Sender::new(client, &posted.message, queue).run());
        Ok(Self { bytes: posted.message.body.len(), posted, deeds, task: Some(AbortOnDropHandle::new(task)) })
    }

    /// The answer as it was when it was opened.
    pub fn opened(&self) -> &Posted {
        &self.posted
    }

    /// Adds to the text; it is sent within a moment. An answer that has ended meanwhile is an error.
    pub async fn write(&mut self, text: &str) -> Result<(), StreamError> {
        if text::is_too_long(self.bytes + text.len()) {
            return Err(StreamError::TooLong);
        }
        match self.deeds.send(Deed::Write(text.to_owned())).await {
            Ok(()) => self.bytes += text.len(),
            Err(_) => return Err(self.ended().await),
        }
        Ok(())
    }

    /// Waits until the answer has ended without its producer. Cancelling the wait loses nothing.
    pub async fn ended(&mut self) -> StreamError {
        let Some(task) = &mut self.task else { return StreamError::Over };
        let outcome = task.await;
        self.task = None;
        match outcome {
            Ok(Err(error)) => error,
            Ok(Ok(_)) | Err(_) => StreamError::Over,
        }
    }

    /// Ends the answer: everything written is sent, then it is complete.
    pub async fn complete(self, end: Complete) -> Result<Finished, StreamError> {
        self.end(Ending::Complete(end)).await
    }

    /// Ends the answer with an error; what was written stays.
    pub async fn fail(self, end: Fail) -> Result<Finished, StreamError> {
        self.end(Ending::Fail(end)).await
    }

    /// Stops the answer; what was written stays.
    pub async fn cancel(self, end: Cancel) -> Result<Finished, StreamError> {
        self.end(Ending::Cancel(end)).await
    }

    async fn end(mut self, ending: Ending) -> Result<Finished, StreamError> {
        let Some(task) = self.task.take() else { return Err(StreamError::Over) };
        // When the queue is closed the task has ended already, and says why.
        let _ = self.deeds.send(Deed::End(ending)).await;
        task.await.unwrap_or(Err(StreamError::Over))
    }
}
