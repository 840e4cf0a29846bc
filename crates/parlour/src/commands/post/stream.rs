//! `parlour post --stream`: publishes stdin as a streaming message.

use std::{
    fmt,
    io::{self, Read, Write},
};

use parlour_agent::{
    answers::Finished,
    streaming::{StreamError, StreamWriter},
};
use parlour_core::{
    id::MessageId,
    limits,
    live::{Cancel, Complete, Fail},
    post::PostMessage,
};
use tokio::sync::mpsc;

use crate::{
    commands::interrupt::Interrupt,
    failure::{EXIT_INTERRUPTED, Failure},
    resolve::ResolvedConversation,
    session::Session,
};

/// How much is read at once.
const READ_BYTES_MAX: usize = 8 * 1024;
/// Maximum number of waiting reads: a faster program is slowed down.
const READS_WAITING_MAX: usize = 16;

/// Reads of stdin; the channel closes at the end of the input.
type Reads = mpsc::Receiver<io::Result<Vec<u8>>>;

enum CopyEnd {
    Done,
    /// A read error, or the message is full.
    Broken(String),
    /// Ctrl+C.
    Interrupted,
    /// The stream was ended by the hub, or a chunk was refused.
    Ended(StreamError),
}

/// Streams stdin into a message. The message always ends.
pub(super) async fn post_stdin(
    session: &Session,
    conversation: &ResolvedConversation,
    id: &MessageId,
    request: &PostMessage,
) -> Result<Finished, Failure> {
    let mut interrupt = Interrupt::catch()?;
    let mut writer = StreamWriter::open(&session.client, id, request).await?;
    say(&format!("Streaming stdin to {} as {id}; cancel with Ctrl+C.", conversation.label));
    let mut copy = StdinCopy { pieces: Utf8Buffer::default(), is_blank: true };
    let stop = copy.run(&mut writer, &mut interrupt).await;
    if matches!(stop, CopyEnd::Interrupted) {
        say("Cancelling; press Ctrl+C again to stop without waiting for the hub.");
    }
    let ending = tokio::select! {
        ending = end(writer, id, stop, copy.is_blank) => ending,
        () = interrupt.caught() => return Err(left_open(id)),
    };
    let failure = match ending {
        Ok(outcome) => return outcome,
        Err(StreamError::Call(error)) => error,
        Err(error) => return Err(Failure::new(error.to_string())),
    };
    let reason = failure.to_string().chars().take(limits::REASON_CHARS_MAX).collect();
    // Best effort: otherwise the message stays open until its lease expires.
    let _ = session.client.fail_stream(id, &Fail { reason, ..Fail::default() }).await;
    Err(failure.into())
}

/// Write errors of stderr are ignored.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

fn left_open(id: &MessageId) -> Failure {
    let text = format!("stopped without waiting for the hub: {id} will end as interrupted when its lease expires");
    Failure::new(text).with_exit(EXIT_INTERRUPTED)
}

/// Ends the message according to the end of the input, and returns the result for the user.
async fn end(
    writer: StreamWriter,
    id: &MessageId,
    stop: CopyEnd,
    is_blank: bool,
) -> Result<Result<Finished, Failure>, StreamError> {
    let failure = match stop {
        CopyEnd::Ended(error) => return Err(error),
        CopyEnd::Done if is_blank => {
            cancel(writer, "no text on stdin").await?;
            Failure::new(format!("no text on stdin; {id} was cancelled"))
        }
        CopyEnd::Done => return writer.complete(Complete::default()).await.map(Ok),
        CopyEnd::Broken(reason) => {
            writer.fail(Fail { reason: reason.clone(), ..Fail::default() }).await?;
            Failure::new(format!("{reason}; {id} contains the text before that"))
        }
        CopyEnd::Interrupted => {
            cancel(writer, "cancelled by its author").await?;
            Failure::new(format!("{id} was cancelled; its text so far is kept")).with_exit(EXIT_INTERRUPTED)
        }
    };
    Ok(Err(failure))
}

async fn cancel(writer: StreamWriter, reason: &str) -> Result<(), StreamError> {
    writer.cancel(Cancel { reason: Some(reason.to_owned()) }).await.map(drop)
}

/// Copies stdin to a stream.
struct StdinCopy {
    pieces: Utf8Buffer,
    is_blank: bool,
}

impl StdinCopy {
    async fn run(&mut self, writer: &mut StreamWriter, interrupt: &mut Interrupt) -> CopyEnd {
        let mut input = read_stdin();
        loop {
            tokio::select! {
                // First: Ctrl+C also ends the program before in the pipe, and its end must not complete the message.
                biased;
                () = interrupt.caught() => return CopyEnd::Interrupted,
                step = self.step(&mut input, writer) => match step {
                    Ok(()) => {}
                    Err(stop) => return stop,
                }
            }
        }
    }

    /// Copies one read. Not cancel safe: a read can be lost.
    async fn step(&mut self, input: &mut Reads, writer: &mut StreamWriter) -> Result<(), CopyEnd> {
        tokio::select! {
            biased;
            error = writer.ended() => Err(CopyEnd::Ended(error)),
            read = input.recv() => self.take(read, writer).await,
        }
    }

    async fn take(&mut self, read: Option<io::Result<Vec<u8>>>, writer: &mut StreamWriter) -> Result<(), CopyEnd> {
        let (text, outcome) = match read {
            Some(Ok(bytes)) => self.pieces.take(&bytes),
            Some(Err(error)) => return Err(CopyEnd::Broken(format!("cannot read stdin: {error}"))),
            None => {
                std::mem::take(&mut self.pieces).finish()?;
                return Err(CopyEnd::Done);
            }
        };
        if self.pieces.held_bytes() > limits::MESSAGE_BODY_BYTES_MAX {
            return Err(StreamError::TooLong.into());
        }
        if !text.is_empty() {
            self.is_blank = false;
            writer.write(&text).await?;
        }
        Ok(outcome?)
    }
}

impl From<NotText> for CopyEnd {
    fn from(error: NotText) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<StreamError> for CopyEnd {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::TooLong => Self::Broken(error.to_string()),
            error => Self::Ended(error),
        }
    }
}

/// Reads stdin in a detached thread, which does not delay the end of the process.
fn read_stdin() -> Reads {
    let (reads, receiver) = mpsc::channel(READS_WAITING_MAX);
    std::thread::spawn(move || {
        let mut buffer = vec![0; READ_BYTES_MAX];
        loop {
            let read = match io::stdin().read(&mut buffer) {
                Ok(0) => return,
                Ok(bytes) => Ok(buffer[..bytes].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let is_broken = read.is_err();
            if reads.blocking_send(read).is_err() || is_broken {
                return;
            }
        }
    });
    receiver
}

/// Converts bytes to text at character boundaries. Trailing white space is held back, because it is dropped at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Utf8Buffer {
    /// Bytes read before the held ones.
    taken: usize,
    held: Vec<u8>,
}

/// Invalid UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotText {
    /// The position of the first invalid byte, from 1.
    at: usize,
}

impl Utf8Buffer {
    /// Adds bytes; returns the text that can be sent now, and an error if invalid bytes follow.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (String, Result<(), NotText>) {
        self.held.extend_from_slice(bytes);
        let (valid, is_text) = match std::str::from_utf8(&self.held) {
            Ok(_) => (self.held.len(), true),
            // No length: the character is incomplete.
            Err(error) => (error.valid_up_to(), error.error_len().is_none()),
        };
        let text = std::str::from_utf8(&self.held[..valid]).expect("valid up to there").trim_end().to_owned();
        let outcome = if is_text { Ok(()) } else { Err(NotText { at: self.taken + valid + 1 }) };
        self.held.drain(..text.len());
        self.taken += text.len();
        (text, outcome)
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.held.len()
    }

    /// Ends the input: an incomplete character is an error, held white space is dropped.
    pub(super) fn finish(self) -> Result<(), NotText> {
        match std::str::from_utf8(&self.held) {
            Ok(_) => Ok(()),
            Err(error) => Err(NotText { at: self.taken + error.valid_up_to() + 1 }),
        }
    }
}

impl fmt::Display for NotText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "stdin is not valid UTF-8 at byte {}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text for bytes that are sound.
    fn text(pieces: &mut Utf8Buffer, bytes: &[u8]) -> String {
        let (text, outcome) = pieces.take(bytes);
        outcome.expect("text");
        text
    }

    #[test]
    fn an_incomplete_character_waits_for_its_remaining_bytes() {
        let mut pieces = Utf8Buffer::default();
        assert_eq!((text(&mut pieces, b"a\xC3"), text(&mut pieces, b"\xA9")), ("a".into(), "é".into()));
        assert_eq!(pieces.finish(), Ok(()));
    }

    #[test]
    fn white_space_is_held_until_text_follows() {
        let mut pieces = Utf8Buffer::default();
        assert_eq!((text(&mut pieces, b"a \n\n"), text(&mut pieces, b"\tb\n")), ("a".into(), " \n\n\tb".into()));
        assert_eq!((pieces.held_bytes(), pieces.finish()), (1, Ok(())));
    }

    #[test]
    fn invalid_utf_8_is_refused_with_its_offset_after_the_text_before_it() {
        let mut pieces = Utf8Buffer::default();
        text(&mut pieces, b"ab");
        let (before, outcome) = pieces.take(b"c\xFFd");
        assert_eq!((before.as_str(), outcome), ("c", Err(NotText { at: 4 })));
        assert_eq!(NotText { at: 4 }.to_string(), "stdin is not valid UTF-8 at byte 4");
    }

    #[test]
    fn an_incomplete_character_at_the_end_is_invalid() {
        let mut pieces = Utf8Buffer::default();
        text(&mut pieces, b"a\xC3");
        assert_eq!(pieces.finish(), Err(NotText { at: 2 }));
    }

    proptest! {
        #[test]
        fn the_text_does_not_depend_on_chunk_boundaries(whole in "\\PC{0,40}|[ \\n\\té日🏠a]{0,40}", cut in 1_usize..7) {
            let mut pieces = Utf8Buffer::default();
            let got: String = whole.as_bytes().chunks(cut).map(|bytes| text(&mut pieces, bytes)).collect();
            prop_assert_eq!(pieces.finish(), Ok(()));
            prop_assert_eq!(got, whole.trim_end());
        }
    }
}
