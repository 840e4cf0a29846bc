//! `parlour post --stream`: stdin as it comes becomes a message that grows.

use std::io::{self, Read, Write};

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

use super::pieces::{NotText, Pieces};
use crate::{
    commands::interrupt::Interrupt,
    failure::{EXIT_INTERRUPTED, Failure},
    resolve::Place,
    session::Session,
};

/// How much is read at once.
const READ_BYTES_MAX: usize = 8 * 1024;
/// Reads that wait to be sent; a faster program than the hub waits.
const READS_WAITING_MAX: usize = 16;

/// What was read from stdin; its end is the end of the input.
type Reads = mpsc::Receiver<io::Result<Vec<u8>>>;

/// Why the copying has stopped.
enum Stop {
    /// The input has ended.
    Done,
    /// The input cannot be read further, or the message is full.
    Broken(String),
    /// Ctrl+C.
    Interrupted,
    /// The answer has ended, or the hub refused a piece.
    Ended(StreamError),
}

/// Posts stdin as it comes. Whatever happens, the message comes to an end.
pub(super) async fn post_stdin(
    session: &Session,
    place: &Place,
    id: &MessageId,
    request: &PostMessage,
) -> Result<Finished, Failure> {
    let mut interrupt = Interrupt::catch()?;
    let mut writer = StreamWriter::open(&session.client, id, request).await?;
    say(&format!("Writing {id} to {}; Ctrl+C cancels.", place.label));
    let mut copy = Copy { pieces: Pieces::default(), is_blank: true };
    let stop = copy.run(&mut writer, &mut interrupt).await;
    if matches!(stop, Stop::Interrupted) {
        say("Cancelling; Ctrl+C once more does not wait for the hub.");
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
    // The first error is the one to tell. Without this the message would stay open until its lease runs out.
    let _ = session.client.fail_stream(id, &Fail { reason, ..Fail::default() }).await;
    Err(failure.into())
}

/// Nobody may be listening on stderr.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

fn left_open(id: &MessageId) -> Failure {
    let text = format!("stopped without the hub: {id} ends as interrupted when its lease runs out");
    Failure::new(text).with_exit(EXIT_INTERRUPTED)
}

/// Ends the message as the input has ended, and says what the user is told.
async fn end(
    writer: StreamWriter,
    id: &MessageId,
    stop: Stop,
    is_blank: bool,
) -> Result<Result<Finished, Failure>, StreamError> {
    let failure = match stop {
        Stop::Ended(error) => return Err(error),
        Stop::Done if is_blank => {
            cancel(writer, "there was no text on stdin").await?;
            Failure::new(format!("there was no text on stdin, so {id} was cancelled"))
        }
        Stop::Done => return writer.complete(Complete::default()).await.map(Ok),
        Stop::Broken(reason) => {
            writer.fail(Fail { reason: reason.clone(), ..Fail::default() }).await?;
            Failure::new(format!("{reason}; what was read before stands in {id}"))
        }
        Stop::Interrupted => {
            cancel(writer, "its author stopped it").await?;
            Failure::new(format!("{id} was cancelled; what was written stands")).with_exit(EXIT_INTERRUPTED)
        }
    };
    Ok(Err(failure))
}

async fn cancel(writer: StreamWriter, reason: &str) -> Result<(), StreamError> {
    writer.cancel(Cancel { reason: Some(reason.to_owned()) }).await.map(drop)
}

/// The way from stdin to the hub.
struct Copy {
    pieces: Pieces,
    /// Whether nothing was written yet.
    is_blank: bool,
}

impl Copy {
    async fn run(&mut self, writer: &mut StreamWriter, interrupt: &mut Interrupt) -> Stop {
        let mut input = read_stdin();
        loop {
            tokio::select! {
                // First: Ctrl+C ends the program before us in the pipe too, and its end must not look complete.
                biased;
                () = interrupt.caught() => return Stop::Interrupted,
                step = self.step(&mut input, writer) => match step {
                    Ok(()) => {}
                    Err(stop) => return stop,
                }
            }
        }
    }

    /// Passes on what comes next. When it is cancelled, what it had read is lost.
    async fn step(&mut self, input: &mut Reads, writer: &mut StreamWriter) -> Result<(), Stop> {
        tokio::select! {
            biased;
            error = writer.ended() => Err(Stop::Ended(error)),
            read = input.recv() => self.take(read, writer).await,
        }
    }

    async fn take(&mut self, read: Option<io::Result<Vec<u8>>>, writer: &mut StreamWriter) -> Result<(), Stop> {
        let (text, outcome) = match read {
            Some(Ok(bytes)) => self.pieces.take(&bytes),
            Some(Err(error)) => return Err(Stop::Broken(format!("stdin cannot be read: {error}"))),
            None => {
                std::mem::take(&mut self.pieces).finish()?;
                return Err(Stop::Done);
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

impl From<NotText> for Stop {
    fn from(error: NotText) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<StreamError> for Stop {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::TooLong => Self::Broken(error.to_string()),
            error => Self::Ended(error),
        }
    }
}

/// Reads stdin in a thread of its own, which does not hold up the end of the program.
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
