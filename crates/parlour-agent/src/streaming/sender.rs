//! What sends an answer in the background: gathers, sends, repeats, and gives signs of life.

use std::time::Duration;

use parlour_core::{
    Code,
    id::MessageId,
    live::AddChunk,
    message::{Message, State},
    policy::StreamRules,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    StreamError,
    calls::{Ending, StepDeed, StreamCalls, StreamFault},
    patience::patiently,
    text::OutgoingText,
};
use crate::answers::Finished;

/// How long writes are gathered before they are sent. What comes after a silence of this length is sent at once, so
/// How often an answer that takes no more is looked at until its end is written down.
const END_LOOKS_MAX: u32 = 40;
const END_LOOK_PAUSE: Duration = Duration::from_millis(50);
/// that the first words are seen as soon as they are there.
const GATHER_TIME: Duration = Duration::from_millis(100);
/// How long a quiet producer waits between two signs of life. It also learns by them that the answer was cancelled.
const BEAT_PAUSE_MAX: Duration = Duration::from_secs(3);
/// Signs of life in one lease, so that one or two may be lost.
const BEATS_PER_LEASE: u32 = 3;
/// Writes that wait while a piece is on its way; then the writer waits.
const WRITES_WAITING_MAX: usize = 64;

/// What the writer wants.
#[derive(Debug)]
pub(crate) enum Deed {
    Write(String),
    Step(StepDeed),
    End(Ending),
}

/// An answer that is sent in the background. Dropping it leaves the answer open until its lease runs out.
#[derive(Debug)]
pub(crate) struct Sending<E: StreamFault> {
    deeds: mpsc::Sender<Deed>,
    /// Absent after it has told why it ended.
    task: Option<AbortOnDropHandle<Result<Finished, StreamError<E>>>>,
}

impl<E: StreamFault> Sending<E> {
    /// Goes on with an answer that is open. `ended` is cancelled when there is nothing more to send, for whatever
    /// reason.
    pub(crate) fn start(calls: impl StreamCalls<Error = E>, message: &Message, ended: CancellationToken) -> Self {
        let (deeds, queue) = mpsc::channel(WRITES_WAITING_MAX);
        let sender = Sender::new(calls, message, queue);
        let task = tokio::spawn(async move {
            let _told = ended.drop_guard();
            sender.run().await
        });
        Self { deeds, task: Some(AbortOnDropHandle::new(task)) }
    }

    /// Hands over what is to be done. An answer that has ended meanwhile is an error.
    pub(crate) async fn hand(&mut self, deed: Deed) -> Result<(), StreamError<E>> {
        match self.deeds.send(deed).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.ended().await),
        }
    }

    /// Waits until the answer has ended without its producer. Cancelling the wait loses nothing.
    pub(crate) async fn ended(&mut self) -> StreamError<E> {
        let Some(task) = &mut self.task else { return StreamError::Over };
        let outcome = task.await;
        self.task = None;
        match outcome {
            Ok(Err(error)) => error,
            Ok(Ok(_)) | Err(_) => StreamError::Over,
        }
    }

    /// Whether there is nothing more to send.
    pub(crate) fn is_over(&self) -> bool {
        self.deeds.is_closed()
    }

    /// Ends the answer after everything that was written.
    pub(crate) async fn end(mut self, ending: Ending) -> Result<Finished, StreamError<E>> {
        let Some(task) = self.task.take() else { return Err(StreamError::Over) };
        // When the queue is closed the task has ended already, and says why.
        let _ = self.deeds.send(Deed::End(ending)).await;
        task.await.unwrap_or(Err(StreamError::Over))
    }
}

/// What is to be done next.
enum Next {
    Do(Deed),
    Send,
    Beat,
    /// The writer was dropped.
    Leave,
}

struct Sender<C> {
    calls: C,
    id: MessageId,
    text: OutgoingText,
    deeds: mpsc::Receiver<Deed>,
    /// When the gathered writes are to be sent.
    due: Option<Instant>,
    /// How many writes were taken along since.
    taken_along: usize,
    /// When a piece was sent last.
    sent: Option<Instant>,
    /// When the hub heard of the producer last.
    signed: Instant,
    beat_pause: Duration,
}

impl<C: StreamCalls> Sender<C> {
    fn new(calls: C, message: &Message, deeds: mpsc::Receiver<Deed>) -> Self {
        Self {
            calls,
            id: message.id.clone(),
            text: OutgoingText::known(&message.body),
            deeds,
            due: None,
            taken_along: 0,
            sent: None,
            signed: Instant::now(),
            beat_pause: beat_pause(StreamRules::default().lease_seconds),
        }
    }

    /// Works until the answer has ended.
    async fn run(mut self) -> Result<Finished, StreamError<C::Error>> {
        if let Ok(seconds) = self.calls.lease_seconds().await {
            self.beat_pause = beat_pause(seconds);
        }
        loop {
            match self.next().await {
                Next::Do(Deed::Write(text)) => self.gather(&text),
                Next::Do(Deed::Step(step)) => self.tell_step(&step).await?,
                Next::Do(Deed::End(ending)) => return self.end(ending).await,
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
        match timeout_at(at, self.deeds.recv()).await {
            Ok(Some(deed)) => Next::Do(deed),
            Ok(None) => Next::Leave,
            Err(_) => then,
        }
    }

    /// What waits already goes along with what is due; but a writer that never pauses must not keep the text back.
    fn waiting(&mut self) -> Option<Deed> {
        self.taken_along += 1;
        if self.taken_along > WRITES_WAITING_MAX { None } else { self.deeds.try_recv().ok() }
    }

    fn gather(&mut self, text: &str) {
        self.text.push(text);
        if self.text.is_pending() {
            let now = Instant::now();
            let due = self.sent.map_or(now, |sent| (sent + GATHER_TIME).max(now));
            self.due.get_or_insert(due);
        }
    }

    /// Sends everything that the hub lacks.
    async fn send_pending(&mut self) -> Result<(), StreamError<C::Error>> {
        (self.due, self.taken_along) = (None, 0);
        while let Some(piece) = self.text.next_piece() {
            let chunk = AddChunk { start: Some(piece.start), text: piece.text };
            match patiently(|| self.calls.add_chunk(&self.id, &chunk)).await {
                Ok(()) => self.text.arrived(),
                Err(error) if error.is(Code::ChunkMisplaced) => self.find_place().await?,
                Err(error) => return Err(self.explain(error).await),
            }
            self.signed = Instant::now();
        }
        self.sent = Some(Instant::now());
        Ok(())
    }

    /// The hub has more or less than was thought: goes on from there.
    async fn find_place(&mut self) -> Result<(), StreamError<C::Error>> {
        let message = self.read().await?;
        if message.state != State::Streaming {
            return Err(StreamError::Ended(Box::new(message)));
        }
        if self.text.go_on_from(&message.body) { Ok(()) } else { Err(StreamError::OtherText(self.id.clone())) }
    }

    async fn beat(&mut self) -> Result<(), StreamError<C::Error>> {
        self.taken_along = 0;
        match patiently(|| self.calls.beat(&self.id)).await {
            Ok(()) => self.signed = Instant::now(),
            Err(error) => return Err(self.explain(error).await),
        }
        Ok(())
    }

    /// Tells a step after the text before it. A step that the hub does not take is no reason to lose the answer.
    async fn tell_step(&mut self, step: &StepDeed) -> Result<(), StreamError<C::Error>> {
        self.send_pending().await?;
        match patiently(|| self.calls.step(&self.id, step)).await {
            Err(error) if is_over(&error) => return Err(self.explain(error).await),
            _ => self.signed = Instant::now(),
        }
        Ok(())
    }

    async fn end(mut self, ending: Ending) -> Result<Finished, StreamError<C::Error>> {
        self.send_pending().await?;
        match patiently(|| self.calls.end(&self.id, &ending)).await {
            Ok(finished) => Ok(finished),
            Err(error) => match self.explain(error).await {
                // The answer to an earlier try was lost.
                StreamError::Ended(message) if message.state == ending.state() => Ok((*message).into()),
                error => Err(error),
            },
        }
    }

    /// What a refused call means: most often that the answer has ended, and then how.
    async fn explain(&self, error: C::Error) -> StreamError<C::Error> {
        if !is_over(&error) {
            return StreamError::Call(error);
        }
        match self.read_ended().await {
            Ok(message) => StreamError::Ended(Box::new(message)),
            Err(_) => StreamError::Call(error),
        }
    }

    /// The message as it has ended. The hub says that it takes no more as soon as it begins to write the end down, so a
    /// look that comes too early is repeated.
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
        patiently(|| self.calls.read(&self.id)).await.map_err(StreamError::Call)
    }
}

fn is_over(error: &impl StreamFault) -> bool {
    error.is(Code::StreamEnded) || error.is(Code::Removed)
}

fn beat_pause(lease_seconds: u64) -> Duration {
    (Duration::from_secs(lease_seconds) / BEATS_PER_LEASE).min(BEAT_PAUSE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_life_come_several_times_in_a_lease() {
        assert_eq!(beat_pause(30), BEAT_PAUSE_MAX);
        assert_eq!(beat_pause(3), Duration::from_secs(1));
    }
}
