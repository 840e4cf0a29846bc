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

use parlour_core::{
    id::MessageId,
    limits,
    live::{Cancel, Complete, Fail},
    message::{Message, State},
    post::PostMessage,
};
use tokio_util::sync::CancellationToken;

use crate::{
    Client, ClientError,
    answers::{Finished, Posted},
};

mod calls;
mod patience;
mod sender;
mod text;

use calls::ClientCalls;
pub(crate) use calls::{Ending, StepDeed, StreamCalls, StreamFault};
pub(crate) use patience::patiently;
pub(crate) use sender::{Deed, Sending};

/// The producer's end of an answer. Dropping it leaves the answer open until its lease runs out.
#[derive(Debug)]
pub struct StreamWriter {
    posted: Posted,
    bytes: usize,
    sending: Sending<ClientError>,
}

/// Why an answer cannot be written further.
#[derive(Debug, thiserror::Error)]
pub enum StreamError<E = ClientError> {
    /// The text would be longer than a message can be.
    #[error("the text is longer than {} bytes, the most that a message can have", limits::MESSAGE_BODY_BYTES_MAX)]
    TooLong,
    /// It has ended without its producer: somebody cancelled it, or it was interrupted.
    #[error("{}", told_end(.0))]
    Ended(Box<Message>),
    /// The hub refused a piece, or could not be reached for too long.
    #[error(transparent)]
    Call(E),
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
    /// Posts the start of an answer under this id; its text begins with the body of the request, which may be empty.
    pub async fn open(client: &Client, id: &MessageId, request: &PostMessage) -> Result<Self, ClientError> {
        let request = PostMessage { stream: true, ..request.clone() };
        let posted = client.post_message(id, &request).await?;
        let calls = ClientCalls::new(client, &posted.message);
        let sending = Sending::start(calls, &posted.message, CancellationToken::new());
        Ok(Self { bytes: posted.message.body.len(), posted, sending })
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
        self.sending.hand(Deed::Write(text.to_owned())).await?;
        self.bytes += text.len();
        Ok(())
    }

    /// Waits until the answer has ended without its producer. Cancelling the wait loses nothing.
    pub async fn ended(&mut self) -> StreamError {
        self.sending.ended().await
    }

    /// Ends the answer: everything written is sent, then it is complete.
    pub async fn complete(self, end: Complete) -> Result<Finished, StreamError> {
        self.sending.end(Ending::Complete(end)).await
    }

    /// Ends the answer with an error; what was written stays.
    pub async fn fail(self, end: Fail) -> Result<Finished, StreamError> {
        self.sending.end(Ending::Fail(end)).await
    }

    /// Stops the answer; what was written stays.
    pub async fn cancel(self, end: Cancel) -> Result<Finished, StreamError> {
        self.sending.end(Ending::Cancel(end)).await
    }
}
