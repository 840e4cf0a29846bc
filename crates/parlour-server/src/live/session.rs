//! What both live surfaces wait for: the end of the session, heartbeats, and frames of subscribed projects.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures_util::future::{pending, select_all};
use parlour_core::{
    id::ProjectId,
    limits,
    live::{CloseCode, ReachedPosition, ServerFrame},
    position::Position,
};
use parlour_hub::{
    live::{EncodedFrame, Reader, Session, SessionEnd},
    ports::Clock,
};
use tokio_util::sync::CancellationToken;

use super::ws_transport::code_of;

/// A session that ends by itself or when the hub stops.
pub(super) struct SessionGuard {
    pub(super) session: Arc<Session>,
    /// Kept between two waits, so that the waiter is registered once per session and not once per frame.
    ended: Pin<Box<dyn Future<Output = CloseCode> + Send>>,
}

impl SessionGuard {
    pub(super) fn new(session: Session, stop: CancellationToken) -> Self {
        let session = Arc::new(session);
        let ended = Box::pin(ended(Arc::clone(&session), stop));
        Self { session, ended }
    }

    /// Waits until the session must be closed and returns the close code, once. Every other wait is raced against it.
    pub(super) async fn ended(&mut self) -> CloseCode {
        self.ended.as_mut().await
    }
}

async fn ended(session: Arc<Session>, stop: CancellationToken) -> CloseCode {
    tokio::select! {
        biased;
        () = stop.cancelled() => CloseCode::Restart,
        why = session.ended() => code_of(why),
    }
}

/// Sleeps by the hub's clock. No timer exists before the first poll.
pub(super) async fn sleep(clock: &Arc<dyn Clock>, duration: Duration) {
    let ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    clock.sleep_until(clock.now().plus_millis(ms)).await;
}

/// The heartbeat timer of one session.
pub(super) struct Heartbeat {
    clock: Arc<dyn Clock>,
    /// Kept between two waits, so that a timer is set once per beat and not once per frame.
    next: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Heartbeat {
    /// Heartbeat from now on.
    pub(super) fn new(clock: &Arc<dyn Clock>) -> Self {
        Self { clock: Arc::clone(clock), next: next_beat(clock) }
    }

    /// Waits for the next beat; cancelling the wait does not move it.
    pub(super) async fn next(&mut self) {
        self.next.as_mut().await;
        self.next = next_beat(&self.clock);
    }
}

fn next_beat(clock: &Arc<dyn Clock>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let at = clock.now().plus_millis(limits::LIVE_HEARTBEAT_SECONDS as u64 * 1_000);
    let clock = Arc::clone(clock);
    Box::pin(async move { clock.sleep_until(at).await })
}

/// A reader of one project's feed, with the last offset sent to the client.
pub(super) struct ProjectReader {
    reader: Reader,
    sent_offset: u64,
}

impl ProjectReader {
    pub(super) fn new(reader: Reader) -> Self {
        let sent_offset = reader.position().offset();
        Self { reader, sent_offset }
    }

    pub(super) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Waits for the next frames; cancel-safe.
    pub(super) async fn next(&mut self) -> Result<Vec<EncodedFrame>, SessionEnd> {
        let frames = self.reader.next().await?;
        let last = frames.iter().rev().find_map(|frame| self.position_of(frame));
        self.sent_offset = last.map_or(self.sent_offset, |position| position.offset());
        Ok(frames)
    }

    /// The position to resume from after this frame; `None` for ephemeral frames.
    pub(super) fn position_of(&self, frame: &EncodedFrame) -> Option<Position> {
        let here = self.reader.position();
        match (frame.offset, frame.name) {
            (Some(offset), _) => Some(here.at_offset(offset).expect("a position of the log")),
            // Both frames contain the reader's position, and no later frame of their batch has another one.
            (None, "live" | "gap") => Some(here),
            (None, _) => None,
        }
    }

    /// The reader's position when it has passed events that are invisible to the client; returned once.
    pub(super) fn moved(&mut self) -> Option<Position> {
        let here = self.reader.position();
        let has_moved = here.offset() != self.sent_offset;
        self.sent_offset = here.offset();
        has_moved.then_some(here)
    }
}

/// The subscriptions of one socket; the hub limits their number.
#[derive(Default)]
pub(super) struct Subscriptions(Vec<ProjectReader>);

impl Subscriptions {
    pub(super) fn add(&mut self, reader: Reader) {
        self.0.push(ProjectReader::new(reader));
    }

    /// Ends a subscription; without effect when there is none.
    pub(super) fn remove(&mut self, project: &ProjectId) {
        self.0.retain(|project_reader| project_reader.reader().project_id() != project);
    }

    /// Waits for the next frames of any project; cancel-safe.
    pub(super) async fn next(&mut self) -> Result<Vec<EncodedFrame>, SessionEnd> {
        match self.0.as_mut_slice() {
            [] => pending().await,
            [only] => only.next().await,
            several => select_all(several.iter_mut().map(|project_reader| Box::pin(project_reader.next()))).await.0,
        }
    }

    /// Position frames of the readers that advanced without sending an event.
    pub(super) fn moved(&mut self) -> Vec<ServerFrame> {
        let moved = self.0.iter_mut().filter_map(|project_reader| {
            let position = project_reader.moved()?;
            let project_id = project_reader.reader().project_id().clone();
            Some(ServerFrame::Position(ReachedPosition { project_id, position }))
        });
        moved.collect()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use parlour_testkit::ManualClock;

    use super::*;

    #[tokio::test]
    async fn heartbeats_keep_their_interval_when_waits_are_cancelled() {
        let manual = Arc::new(ManualClock::new());
        let clock: Arc<dyn Clock> = manual.clone();
        let mut heartbeat = Heartbeat::new(&clock);
        for _ in 0..2 {
            manual.advance(limits::LIVE_HEARTBEAT_SECONDS as u32 * 1_000 - 1);
            assert!(heartbeat.next().now_or_never().is_none());
            manual.advance(1);
            heartbeat.next().await;
            assert!(heartbeat.next().now_or_never().is_none());
        }
    }

    #[tokio::test]
    async fn sleep_ends_after_its_duration() {
        let manual = Arc::new(ManualClock::new());
        let clock: Arc<dyn Clock> = manual.clone();
        let mut waiting = std::pin::pin!(sleep(&clock, Duration::from_secs(1)));
        assert!(waiting.as_mut().now_or_never().is_none());
        manual.advance(1_000);
        waiting.await;
    }
}
