//! The feed of one project: its latest frames in order, shared by all readers.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use parlour_core::{
    audience::{Audience, PrivateChannelMembers},
    event::{Change, Event},
    id::{MemberId, ProjectId},
    limits,
    live::ServerFrame,
    position::Position,
};
use tokio::sync::{Notify, futures::Notified};

use crate::live::{SessionEnd, sabotage};

/// The latest frames of one project. Old frames are dropped when the feed is full.
pub(crate) struct Feed {
    project_id: ProjectId,
    /// A position of the log, from which others are derived.
    origin: Position,
    state: Mutex<FeedState>,
    private_members: RwLock<PrivateChannelMembers>,
    frame_arrived: Notify,
    /// Notified for events only, so that readers of events are not woken by ephemeral frames.
    event_arrived: Notify,
}

struct FeedState {
    frames: VecDeque<Arc<Frame>>,
    bytes: usize,
    /// The number of the first frame. Numbers count all frames, including ephemeral ones.
    first: u64,
    /// The offset of the last event, or of the event before the first.
    offset: u64,
    /// A reader that joins takes events up to this offset from the log, where removed texts are gone.
    stale: u64,
    ended: Option<SessionEnd>,
}

/// A reader's position in a feed: the number of its next frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FeedCursor(u64);

/// The result of joining a feed.
#[derive(Debug)]
pub(crate) enum JoinOutcome {
    /// The events after the reader's offset, its position in the feed, and the offset of the last event.
    Live(Vec<Arc<Frame>>, FeedCursor, u64),
    /// The feed no longer contains the next event of the reader; the log does.
    Behind,
}

impl Feed {
    /// A feed that continues after this position; `recent` are the events before it.
    ///
    /// After a restart all readers return at once, each a little behind: with the recent events they need not read
    /// the log.
    pub(crate) fn new(
        project_id: ProjectId,
        position: &Position,
        private_members: PrivateChannelMembers,
        recent: Vec<Frame>,
    ) -> Self {
        let offset = position.offset();
        let mut state = FeedState { frames: VecDeque::new(), bytes: 0, first: 0, offset, stale: 0, ended: None };
        recent.into_iter().for_each(|frame| state.push(frame));
        let (frame_arrived, event_arrived) = (Notify::new(), Notify::new());
        Self {
            project_id,
            origin: position.clone(),
            state: Mutex::new(state),
            private_members: RwLock::new(private_members),
            frame_arrived,
            event_arrived,
        }
    }

    pub(crate) fn project_id(&self) -> &ProjectId {
        &self.project_id
    }

    /// The offset of its last event.
    pub(crate) fn offset(&self) -> u64 {
        self.state.lock().offset
    }

    /// A position in the log of the project.
    pub(crate) fn position(&self, offset: u64) -> Position {
        self.origin.at_offset(offset).expect("offsets come from the log")
    }

    /// Appends an event. From now on access is checked with the private channel members after it.
    pub(crate) fn put_event(&self, event: Event, audience: Audience) {
        let offset = event.position.offset();
        let takes_back = matches!(event.change, Change::MessageRemoved(_) | Change::MessageEdited(_));
        self.private_members.write().apply(&event.change);
        let frame = Frame::event(event, audience);
        {
            let mut state = self.state.lock();
            debug_assert_eq!(offset, state.offset + 1, "events come in order");
            state.offset = offset;
            state.stale = if takes_back { offset } else { state.stale };
            state.push(frame);
        }
        self.frame_arrived.notify_waiters();
        self.event_arrived.notify_waiters();
    }

    /// Appends an ephemeral frame.
    pub(crate) fn put_ephemeral(&self, frame: Frame) {
        self.state.lock().push(frame);
        self.frame_arrived.notify_waiters();
    }

    pub(crate) fn end(&self, why: SessionEnd) {
        self.state.lock().ended = Some(why);
        self.frame_arrived.notify_waiters();
        self.event_arrived.notify_waiters();
    }

    /// Joins a reader that has everything up to this offset; without one, a reader of new frames only.
    pub(crate) fn join(&self, after: Option<u64>) -> JoinOutcome {
        let state = self.state.lock();
        let after = after.unwrap_or(state.offset);
        match state.events_after(after) {
            Some(events) => JoinOutcome::Live(events, FeedCursor(state.next()), state.offset),
            None => JoinOutcome::Behind,
        }
    }

    /// Returns the frames after the cursor and advances it, with the offset of the last event.
    pub(crate) fn take(&self, cursor: &mut FeedCursor) -> Result<(Vec<Arc<Frame>>, u64), SessionEnd> {
        let state = self.state.lock();
        if let Some(why) = state.ended {
            return Err(why);
        }
        let skipped = cursor.0.checked_sub(state.first).ok_or(SessionEnd::TooSlow)?;
        let skipped = usize::try_from(skipped).expect("cursors lie within the feed");
        let frames: Vec<_> = state.frames.iter().skip(skipped).cloned().collect();
        cursor.0 = state.next();
        Ok((frames, state.offset))
    }

    /// Returns the events after this offset without ephemeral frames, with the offset of the last event.
    pub(crate) fn take_events(&self, after: u64) -> Result<(Vec<Arc<Frame>>, u64), SessionEnd> {
        let state = self.state.lock();
        if let Some(why) = state.ended {
            return Err(why);
        }
        let events = state.newest_events(after).ok_or(SessionEnd::TooSlow)?;
        Ok((events, state.offset))
    }

    /// A wait for the next frame. Create it before looking, so that no frame is missed.
    pub(crate) fn next_frame(&self) -> Notified<'_> {
        self.frame_arrived.notified()
    }

    /// A wait for the next event or the end. Create it before looking, so that no event is missed.
    pub(crate) fn next_event(&self) -> Notified<'_> {
        self.event_arrived.notified()
    }

    /// Waits until the feed contains the event with this offset: a reader may know a later position from a post, a
    /// snapshot or the log.
    pub(crate) async fn wait_until(&self, offset: u64) -> Result<(), SessionEnd> {
        loop {
            let mut next_event = std::pin::pin!(self.next_event());
            next_event.as_mut().enable();
            let (so_far, ended) = {
                let state = self.state.lock();
                (state.offset, state.ended)
            };
            match ended {
                Some(why) => return Err(why),
                None if so_far >= offset => return Ok(()),
                None => next_event.await,
            }
        }
    }

    /// The frames that this member may see.
    pub(crate) fn visible_frames(&self, frames: &[impl AsRef<Frame>], member: &MemberId) -> Vec<EncodedFrame> {
        let private_members = self.private_members.read();
        let is_inside = |frame: &Frame| private_members.admit(&frame.audience, member) || sabotage::admits_everybody();
        frames.iter().map(AsRef::as_ref).filter_map(|frame| frame.for_reader(is_inside(frame))).collect()
    }
}

impl FeedState {
    /// The number of the next frame.
    fn next(&self) -> u64 {
        self.first + self.frames.len() as u64
    }

    fn push(&mut self, frame: Frame) {
        self.bytes += frame.bytes();
        self.frames.push_back(Arc::new(frame));
        self.forget_oldest();
    }

    fn forget_oldest(&mut self) {
        let is_over = |state: &Self| {
            let is_full = state.frames.len() > limits::FEED_FRAMES_MAX || state.bytes > limits::FEED_BYTES_MAX;
            // The newest frame stays, however large: readers wait for it.
            is_full && state.frames.len() > 1
        };
        while is_over(self) {
            let oldest = self.frames.pop_front().expect("there is more than one");
            self.first += 1;
            self.bytes -= oldest.bytes();
        }
    }

    /// The events after this offset for a joining reader, if the feed has all of them unchanged.
    fn events_after(&self, after: u64) -> Option<Vec<Arc<Frame>>> {
        let missing = self.offset.checked_sub(after)?;
        if missing > 0 && after + 1 < self.stale {
            return None;
        }
        self.newest_events(after)
    }

    /// The events after this offset, if the feed has all of them. Searches from the end, because few are needed
    /// usually.
    fn newest_events(&self, after: u64) -> Option<Vec<Arc<Frame>>> {
        let missing = usize::try_from(self.offset.checked_sub(after)?).ok()?;
        let newest = self.frames.iter().rev().filter(|frame| frame.encoded.offset.is_some());
        let mut events: Vec<_> = newest.take(missing).cloned().collect();
        events.reverse();
        (events.len() == missing).then_some(events)
    }
}

/// An encoded frame for one reader. Cheap to clone: readers share the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedFrame {
    /// The event name, or the type of an ephemeral frame.
    pub name: &'static str,
    /// The offset of an event in the log; none for ephemeral frames.
    pub offset: Option<u64>,
    /// The frame as JSON, a `ServerFrame`.
    pub json: Bytes,
}

/// A frame in a feed, with its audience.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) audience: Audience,
    pub(crate) encoded: EncodedFrame,
    /// The encoding for readers outside the audience, if they receive anything.
    outside: Option<Bytes>,
}

impl AsRef<Frame> for Frame {
    fn as_ref(&self) -> &Frame {
        self
    }
}

impl Frame {
    /// Encodes an event.
    pub(crate) fn event(event: Event, audience: Audience) -> Self {
        let outside = event.change.seen_from_outside().map(|change| {
            let event = Event { change, ..event.clone() };
            to_json(&ServerFrame::Event(Box::new(event)))
        });
        let (name, offset) = (event.change.name(), Some(event.position.offset()));
        let json = to_json(&ServerFrame::Event(Box::new(event)));
        Self { audience, encoded: EncodedFrame { name, offset, json }, outside }
    }

    /// Encodes an ephemeral frame.
    pub(crate) fn ephemeral(frame: &ServerFrame, audience: Audience) -> Self {
        Self { audience, encoded: encoded(frame), outside: None }
    }

    /// The encoding for a reader inside or outside the audience.
    pub(crate) fn for_reader(&self, is_inside: bool) -> Option<EncodedFrame> {
        if is_inside {
            return Some(self.encoded.clone());
        }
        self.outside.as_ref().map(|json| EncodedFrame { json: json.clone(), ..self.encoded.clone() })
    }

    /// Its size for the limit of the feed.
    pub(crate) fn bytes(&self) -> usize {
        self.encoded.json.len()
    }
}

/// Encodes a frame for a single reader.
pub(crate) fn encoded(frame: &ServerFrame) -> EncodedFrame {
    EncodedFrame { name: frame.name(), offset: None, json: to_json(frame) }
}

fn to_json(frame: &ServerFrame) -> Bytes {
    serde_json::to_vec(frame).expect("a frame is plain data").into()
}

#[cfg(test)]
mod tests;
