//! What sends an answer in the background: gathers, sends, repeats, and gives signs of life.

use std::{future::Future, time::Duration};

use parlour_core::{
    Code,
    id::{MessageId, ProjectId},
    live::{AddChunk, Cancel, Complete, Fail},
    message::{Message, State},
    policy::StreamRules,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout_at},
};

use super::{StreamError, text::OutgoingText};
use crate::{
    Client, ClientError, Retry,
    answers::{Finished, Posted},
    live::{Backoff, draw},
};

/// How long writes are gathered before they are sent.
const GATHER_TIME: Duration = Duration::from_millis(100);
/// How long a quiet producer waits between two signs of life. It also learns by them that the answer was cancelled.
const BEAT_PAUSE_MAX: Duration = Duration::from_secs(3);
/// Signs of life in one lease, so that one or two may be lost.
const BEATS_PER_LEASE: u32 = 3;
/// How long a call is repeated while the hub cannot be reached.
const PATIENCE: Duration = Duration::from_secs(120);
/// Pauses between tries are short, because somebody watches the text grow.
const PAUSE_FIRST: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// What the writer wants.
#[derive(Debug)]
pub(super) enum Deed {
    Write(String),
    End(Ending),
}

/// How the producer ends its answer.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    Complete(Complete),
    Fail(Fail),
    Cancel(Cancel),
}

/// What is to be done next.
enum Next {
    Do(Deed),
    Send,
    Beat,
    /// The writer was dropped.
    Leave,
}

pub(super) struct Sender {
    client: Client,
    id: MessageId,
    project: ProjectId,
    text: OutgoingText,
    deeds: mpsc::Receiver<Deed>,
    /// When the gathered writes are to be sent.
    due: Option<Instant>,
    /// When the hub heard of the producer last.
    signed: Instant,
    beat_pause: Duration,
}

impl Sender {
    pub(super) fn new(client: &Client, message: &Message, deeds: mpsc::Receiver<Deed>) -> Self {
        Self {
            // Tries are counted here: each is made with the piece that is due then.
            client: client.clone().with_retry(Retry::NEVER),
            id: message.id.clone(),
            project: message.project_id.clone(),
            text: OutgoingText::known(&message.body),
            deeds,
            due: None,
            signed: Instant::now(),
            beat_pause: beat_pause(StreamRules::default().lease_seconds),
        }
    }

    /// Works until the answer has ended.
    pub(super) async fn run(mut self) -> Result<Finished, StreamError> {
        if let Ok(project) = self.client.project(&self.project).await {
            self.beat_pause = beat_pause(project.policy.streams.lease_seconds);
        }
        loop {
            match self.next().await {
                Next::Do(Deed::Write(text)) => self.gather(&text),
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
        // Asked first: a writer that never pauses must not keep the text back.
        if at <= Instant::now() {
            return then;
        }
        match timeout_at(at, self.deeds.recv()).await {
            Ok(Some(deed)) => Next::Do(deed),
            Ok(None) => Next::Leave,
            Err(_) => then,
        }
    }

    fn gather(&mut self, text: &str) {
        self.text.push(text);
        if self.text.is_pending() {
            self.due.get_or_insert_with(|| Instant::now() + GATHER_TIME);
        }
    }

    /// Sends everything that the hub lacks.
    async fn send_pending(&mut self) -> Result<(), StreamError> {
        self.due = None;
        while let Some(piece) = self.text.next_piece() {
            let chunk = AddChunk { start: Some(piece.start), text: piece.text };
            match patiently(|| self.client.add_chunk(&self.id, &chunk)).await {
                Ok(_) => self.text.arrived(),
                Err(error) if is(&error, Code::ChunkMisplaced) => self.find_place().await?,
                Err(error) => return Err(self.explain(error).await),
            }
            self.signed = Instant::now();
        }
        Ok(())
    }

    /// The hub has more or less than was thought: goes on from there.
    async fn find_place(&mut self) -> Result<(), StreamError> {
        let message = self.read().await?;
        if message.state != State::Streaming {
            return Err(StreamError::Ended(Box::new(message)));
        }
        if self.text.go_on_from(&message.body) { Ok(()) } else { Err(StreamError::OtherText(self.id.clone())) }
    }

    async fn beat(&mut self) -> Result<(), StreamError> {
        match patiently(|| self.client.beat_stream(&self.id)).await {
            Ok(_) => self.signed = Instant::now(),
            Err(error) => return Err(self.explain(error).await),
        }
        Ok(())
    }

    async fn end(mut self, ending: Ending) -> Result<Finished, StreamError> {
        self.send_pending().await?;
        match patiently(|| self.call(&ending)).await {
            Ok(posted) => Ok(posted.into()),
            Err(error) => match self.explain(error).await {
                // The answer to an earlier try was lost.
                StreamError::Ended(message) if message.state == ending.state() => Ok((*message).into()),
                error => Err(error),
            },
        }
    }

    async fn call(&self, ending: &Ending) -> Result<Posted, ClientError> {
        match ending {
            Ending::Complete(end) => self.client.complete_stream(&self.id, end).await,
            Ending::Fail(end) => self.client.fail_stream(&self.id, end).await,
            Ending::Cancel(end) => self.client.cancel_stream(&self.id, end).await,
        }
    }

    /// What a refused call means: most often that the answer has ended, and then how.
    async fn explain(&self, error: ClientError) -> StreamError {
        if !is(&error, Code::StreamEnded) && !is(&error, Code::Removed) {
            return StreamError::Call(error);
        }
        match self.read().await {
            Ok(message) => StreamError::Ended(Box::new(message)),
            Err(_) => StreamError::Call(error),
        }
    }

    async fn read(&self) -> Result<Message, StreamError> {
        patiently(|| self.client.message(&self.id)).await.map_err(StreamError::Call)
    }
}

impl Ending {
    fn state(&self) -> State {
        match self {
            Self::Complete(_) => State::Complete,
            Self::Fail(_) => State::Failed,
            Self::Cancel(_) => State::Cancelled,
        }
    }
}

fn is(error: &ClientError, code: Code) -> bool {
    error.problem().is_some_and(|problem| problem.is(code))
}

fn beat_pause(lease_seconds: u64) -> Duration {
    (Duration::from_secs(lease_seconds) / BEATS_PER_LEASE).min(BEAT_PAUSE_MAX)
}

/// Repeats a call while the hub cannot be reached, up to `PATIENCE`. It must be harmless to repeat.
async fn patiently<T, F>(mut call: impl FnMut() -> F) -> Result<T, ClientError>
where
    F: Future<Output = Result<T, ClientError>>,
{
    let until = Instant::now() + PATIENCE;
    let mut backoff = Backoff::new(PAUSE_FIRST, PAUSE_MAX, PATIENCE);
    loop {
        match call().await {
            Err(error) if error.is_retryable() && Instant::now() < until => {
                sleep(backoff.pause_after_failure(draw())).await;
            }
            outcome => return outcome,
        }
    }
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
