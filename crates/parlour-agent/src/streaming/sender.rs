//! Sends a streamed answer in the background: collects writes, sends chunks, retries them and sends heartbeats.

use std::time::Duration;

use parlour_core::{
    Code,
    id::MessageId,
    limits,
    live::AddChunk,
    message::{Message, State},
    policy::StreamRules,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{Ending, StepUpdate, StreamCallError, StreamCalls, StreamError, retry_while_away};
use crate::answers::Finished;

/// Reads of an ended message until its final state is stored.
const END_LOOKS_MAX: u32 = 40;
const END_LOOK_PAUSE: Duration = Duration::from_millis(50);
/// Writes are collected for this time and sent as one chunk. The first write after a silence is sent at once.
const GATHER_TIME: Duration = Duration::from_millis(100);
/// Maximum interval of heartbeats. A producer also learns by them that its answer was cancelled.
const BEAT_PAUSE_MAX: Duration = Duration::from_secs(3);
/// Heartbeats per lease: one or two may be lost.
const BEATS_PER_LEASE: u32 = 3;
/// Writes that wait while a chunk is being sent; then the writer blocks.
const WRITES_WAITING_MAX: usize = 64;

/// A command of the writer.
#[derive(Debug)]
pub(crate) enum StreamCommand {
    Write(String),
    Step(StepUpdate),
    End(Ending),
}

/// Handle of an answer that is sent in the background. If it is dropped, the answer stays open until its lease
/// expires.
#[derive(Debug)]
pub(crate) struct StreamHandle<E: StreamCallError> {
    commands: mpsc::Sender<StreamCommand>,
    /// Absent after its result was returned.
    task: Option<AbortOnDropHandle<Result<Finished, StreamError<E>>>>,
}

impl<E: StreamCallError> StreamHandle<E> {
    /// Continues an open answer. `ended` is cancelled when nothing more can be sent, for any reason.
    pub(crate) fn start(calls: impl StreamCalls<Error = E>, message: &Message, ended: CancellationToken) -> Self {
        let (commands, queue) = mpsc::channel(WRITES_WAITING_MAX);
        let sender = StreamTask::new(calls, message, queue);
        let task = tokio::spawn(async move {
            let _told = ended.drop_guard();
            sender.run().await
        });
        Self { commands, task: Some(AbortOnDropHandle::new(task)) }
    }

    /// Queues a command. Fails if the answer has ended meanwhile.
    pub(crate) async fn send(&mut self, command: StreamCommand) -> Result<(), StreamError<E>> {
        match self.commands.send(command).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.ended().await),
        }
    }

    /// Waits until the answer has ended without its producer. Cancel-safe.
    pub(crate) async fn ended(&mut self) -> StreamError<E> {
        let Some(task) = &mut self.task else { return StreamError::Over };
        let outcome = task.await;
        self.task = None;
        match outcome {
            Ok(Err(error)) => error,
            Ok(Ok(_)) | Err(_) => StreamError::Over,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.commands.is_closed()
    }

    /// Ends the answer after all queued writes.
    pub(crate) async fn end(mut self, ending: Ending) -> Result<Finished, StreamError<E>> {
        let Some(task) = self.task.take() else { return Err(StreamError::Over) };
        // If the queue is closed, the task has already ended and returns the cause.
        let _ = self.commands.send(StreamCommand::End(ending)).await;
        task.await.unwrap_or(Err(StreamError::Over))
    }
}

enum Next {
    Do(StreamCommand),
    Send,
    Beat,
    Leave,
}

struct StreamTask<C> {
    calls: C,
    id: MessageId,
    text: OutgoingText,
    commands: mpsc::Receiver<StreamCommand>,
    /// When the collected writes are due.
    due: Option<Instant>,
    /// Number of commands handled since then.
    taken_along: usize,
    sent: Option<Instant>,
    /// Time of the last successful request.
    signed: Instant,
    beat_pause: Duration,
}

impl<C: StreamCalls> StreamTask<C> {
    fn new(calls: C, message: &Message, commands: mpsc::Receiver<StreamCommand>) -> Self {
        Self {
            calls,
            id: message.id.clone(),
            text: OutgoingText::known(&message.body),
            commands,
            due: None,
            taken_along: 0,
            sent: None,
            signed: Instant::now(),
            beat_pause: beat_pause(StreamRules::default().lease_seconds),
        }
    }

    async fn run(mut self) -> Result<Finished, StreamError<C::Error>> {
        if let Ok(seconds) = self.calls.lease_seconds().await {
            self.beat_pause = beat_pause(seconds);
        }
        loop {
            match self.next().await {
                Next::Do(StreamCommand::Write(text)) => self.gather(&text),
                Next::Do(StreamCommand::Step(step)) => self.tell_step(&step).await?,
                Next::Do(StreamCommand::End(ending)) => return self.end(ending).await,
                Next::Send => self.send_pending().await?,
                Next::Beat => self.beat().await?,
                Next::Leave => return Err(StreamError::Over),
            }
        }
    }

    async fn next(&mut self) -> Next {
        let (at, then) = match self.due {
            Some(due) => (due, Next::Send),
            None => (self.signed + self.beat_pause, Next::Beat),
        };
        if at <= Instant::now() {
            return self.waiting().map_or(then, Next::Do);
        }
        match timeout_at(at, self.commands.recv()).await {
            Ok(Some(command)) => Next::Do(command),
            Ok(None) => Next::Leave,
            Err(_) => then,
        }
    }

    /// Handles queued commands before sending what is due, up to a bound: a writer that never pauses must not delay
    /// the text.
    fn waiting(&mut self) -> Option<StreamCommand> {
        self.taken_along += 1;
        if self.taken_along > WRITES_WAITING_MAX { None } else { self.commands.try_recv().ok() }
    }

    fn gather(&mut self, text: &str) {
        self.text.push(text);
        if self.text.is_pending() {
            let now = Instant::now();
            let due = self.sent.map_or(now, |sent| (sent + GATHER_TIME).max(now));
            self.due.get_or_insert(due);
        }
    }

    /// Sends the text that the hub does not have yet.
    async fn send_pending(&mut self) -> Result<(), StreamError<C::Error>> {
        (self.due, self.taken_along) = (None, 0);
        while let Some(piece) = self.text.next_chunk() {
            let chunk = AddChunk { start: Some(piece.start), text: piece.text };
            match retry_while_away(|| self.calls.add_chunk(&self.id, &chunk)).await {
                Ok(()) => self.text.arrived(),
                Err(error) if error.is(Code::ChunkMisplaced) => self.find_place().await?,
                Err(error) => return Err(self.explain(error).await),
            }
            self.signed = Instant::now();
        }
        self.sent = Some(Instant::now());
        Ok(())
    }

    /// Continues from the text that the hub has.
    async fn find_place(&mut self) -> Result<(), StreamError<C::Error>> {
        let message = self.read().await?;
        if message.state != State::Streaming {
            return Err(StreamError::Ended(Box::new(message)));
        }
        if self.text.go_on_from(&message.body) { Ok(()) } else { Err(StreamError::OtherText(self.id.clone())) }
    }

    async fn beat(&mut self) -> Result<(), StreamError<C::Error>> {
        self.taken_along = 0;
        match retry_while_away(|| self.calls.beat(&self.id)).await {
            Ok(()) => self.signed = Instant::now(),
            Err(error) => return Err(self.explain(error).await),
        }
        Ok(())
    }

    /// Sends a step after the text before it. A rejected step does not fail the answer.
    async fn tell_step(&mut self, step: &StepUpdate) -> Result<(), StreamError<C::Error>> {
        self.send_pending().await?;
        match retry_while_away(|| self.calls.step(&self.id, step)).await {
            Err(error) if is_over(&error) => return Err(self.explain(error).await),
            _ => self.signed = Instant::now(),
        }
        Ok(())
    }

    async fn end(mut self, ending: Ending) -> Result<Finished, StreamError<C::Error>> {
        self.send_pending().await?;
        match retry_while_away(|| self.calls.end(&self.id, &ending)).await {
            Ok(finished) => Ok(finished),
            Err(error) => match self.explain(error).await {
                // The response to an earlier attempt was lost.
                StreamError::Ended(message) if message.state == ending.state() => Ok((*message).into()),
                error => Err(error),
            },
        }
    }

    /// Explains a refused request: usually the answer has ended.
    async fn explain(&self, error: C::Error) -> StreamError<C::Error> {
        if !is_over(&error) {
            return StreamError::Call(error);
        }
        match self.read_ended().await {
            Ok(message) => StreamError::Ended(Box::new(message)),
            Err(_) => StreamError::Call(error),
        }
    }

    /// Reads the ended message. The hub rejects chunks as soon as it begins to store the end, so the read is repeated
    /// until the end is stored.
    async fn read_ended(&self) -> Result<Message, StreamError<C::Error>> {
        let mut looks = 1;
        loop {
            let message = self.read().await?;
            if message.state != State::Streaming || looks >= END_LOOKS_MAX {
                return Ok(message);
            }
            looks += 1;
            sleep(END_LOOK_PAUSE).await;
        }
    }

    async fn read(&self) -> Result<Message, StreamError<C::Error>> {
        retry_while_away(|| self.calls.read(&self.id)).await.map_err(StreamError::Call)
    }
}

fn is_over(error: &impl StreamCallError) -> bool {
    error.is(Code::StreamEnded) || error.is(Code::Removed)
}

fn beat_pause(lease_seconds: u64) -> Duration {
    (Duration::from_secs(lease_seconds) / BEATS_PER_LEASE).min(BEAT_PAUSE_MAX)
}

const CHUNK_BYTES_MAX: usize = 16 * 1024;

/// A growing text that is sent to the hub in chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OutgoingText {
    text: String,
    /// The part that the hub has, in bytes and in characters.
    had_bytes: usize,
    had_chars: u64,
    /// Length of the chunk that is being sent. It must not change until the hub has replied: a longer chunk at the
    /// same position would overlap what the hub may have.
    sent_bytes: Option<usize>,
}

/// A chunk and its position in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextChunk {
    pub(super) start: u64,
    pub(super) text: String,
}

impl OutgoingText {
    /// A text that the hub has completely.
    pub(super) fn known(text: &str) -> Self {
        let had_chars = text.chars().count() as u64;
        Self { text: text.to_owned(), had_bytes: text.len(), had_chars, sent_bytes: None }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn is_pending(&self) -> bool {
        self.had_bytes < self.text.len()
    }

    /// The next chunk to send; the same one until it was acknowledged.
    pub(super) fn next_chunk(&mut self) -> Option<TextChunk> {
        if !self.is_pending() {
            return None;
        }
        let rest = &self.text[self.had_bytes..];
        let bytes = *self.sent_bytes.get_or_insert_with(|| rest.floor_char_boundary(CHUNK_BYTES_MAX));
        Some(TextChunk { start: self.had_chars, text: rest[..bytes].to_owned() })
    }

    /// Marks the current chunk as acknowledged.
    pub(super) fn arrived(&mut self) {
        let bytes = self.sent_bytes.take().unwrap_or(0);
        self.had_chars += self.text[self.had_bytes..self.had_bytes + bytes].chars().count() as u64;
        self.had_bytes += bytes;
    }

    /// Continues after `had`, if the text starts with it.
    pub(super) fn go_on_from(&mut self, had: &str) -> bool {
        if !self.text.starts_with(had) {
            return false;
        }
        self.had_bytes = had.len();
        self.had_chars = had.chars().count() as u64;
        self.sent_bytes = None;
        true
    }
}

pub(super) fn is_too_long(bytes: usize) -> bool {
    bytes > limits::MESSAGE_BODY_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use parlour_core::stream::GrowingText;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn heartbeats_are_sent_several_times_per_lease() {
        assert_eq!(beat_pause(30), BEAT_PAUSE_MAX);
        assert_eq!(beat_pause(3), Duration::from_secs(1));
    }

    #[test]
    fn a_chunk_stays_the_same_until_it_is_acknowledged() {
        let mut text = OutgoingText::default();
        assert_eq!(text.next_chunk(), None);
        text.push("é1");
        let first = text.next_chunk();
        text.push("2");
        assert_eq!((text.next_chunk(), first), (Some(TextChunk { start: 0, text: "é1".into() }), text.next_chunk()));
        text.arrived();
        assert_eq!(text.next_chunk(), Some(TextChunk { start: 2, text: "2".into() }));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let mut text = OutgoingText::known("x");
        text.push(&"é".repeat(CHUNK_BYTES_MAX));
        text.push("y");
        let chunk = text.next_chunk().expect("a chunk");
        assert_eq!((chunk.start, chunk.text.len()), (1, CHUNK_BYTES_MAX));
    }

    #[test]
    fn a_text_continues_at_the_length_of_the_hub() {
        let mut text = OutgoingText::default();
        text.push("Hello");
        text.next_chunk();
        assert!(!text.go_on_from("Help") && !text.go_on_from("Hello world"));
        assert!(text.go_on_from("Hel"));
        assert_eq!(text.next_chunk(), Some(TextChunk { start: 3, text: "lo".into() }));
    }

    proptest! {
        #[test]
        fn the_hub_has_the_same_text_despite_lost_requests(
            writes in proptest::collection::vec("\\PC{0,6}", 0..20),
            fates in proptest::collection::vec(0_u8..3, 0..60),
        ) {
            let (mut text, mut hub) = (OutgoingText::default(), GrowingText::default());
            let mut fates = fates.into_iter();
            let mut deliver = |text: &mut OutgoingText, fate: Option<u8>| {
                let Some(chunk) = text.next_chunk() else { return };
                match fate {
                    // The request was lost.
                    Some(0) => {}
                    // The answer was lost.
                    Some(1) => hub.add(Some(chunk.start), &chunk.text).expect("fits"),
                    _ => {
                        hub.add(Some(chunk.start), &chunk.text).expect("fits");
                        text.arrived();
                    }
                }
            };
            for write in &writes {
                text.push(write);
                deliver(&mut text, fates.next());
            }
            while text.is_pending() {
                deliver(&mut text, fates.next());
            }
            prop_assert_eq!(hub.as_str(), writes.concat());
        }
    }
}
