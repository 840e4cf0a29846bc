//! A reader: follows one project for one session.

use std::sync::Arc;

use parlour_core::{
    access::Principal,
    id::{MemberId, ProjectId},
    limits,
    live::{Gap, GapReason, ProjectFrame, ReachedPosition, ServerFrame},
    position::Position,
};

use crate::{
    Failure,
    live::{
        EncodedFrame, FrameFilter, LiveService, SessionEnd, StartPosition,
        feed::{self, Feed, FeedCursor, Frame, JoinOutcome},
        sabotage,
        session::Subscription,
    },
};

/// Follows one project for one session, until it is dropped.
pub struct Reader {
    live: Arc<LiveService>,
    member: MemberId,
    feed: Arc<Feed>,
    /// Everything up to this offset was delivered or is hidden from this reader; none before a reader of new events
    /// has joined.
    after: Option<u64>,
    state: ReaderState,
    interest: FrameFilter,
    subscription: Subscription,
}

enum ReaderState {
    /// It has to report missing events first.
    Missing(GapReason),
    /// It reads missed events from the log.
    CatchingUp,
    /// It follows the feed.
    Live(FeedCursor),
}

impl Reader {
    pub(super) async fn open(
        live: &Arc<LiveService>,
        caller: &Principal,
        subscription: Subscription,
        start: StartPosition,
    ) -> Result<Self, Failure> {
        let feed = live.feeds.get_or_open(subscription.project()).await?;
        let (after, state) = match start {
            StartPosition::Now => (None, ReaderState::CatchingUp),
            StartPosition::After(position) => match live.missing_after(&feed, &position).await? {
                Some(reason) => (None, ReaderState::Missing(reason)),
                None => (Some(position.offset()), ReaderState::CatchingUp),
            },
        };
        let (live, member) = (Arc::clone(live), caller.member.clone());
        Ok(Self { live, member, feed, after, state, interest: FrameFilter::Everything, subscription })
    }

    /// The same reader with a frame filter. Call it before the first frame.
    #[must_use]
    pub fn with_interest(mut self, interest: FrameFilter) -> Self {
        self.interest = interest;
        self
    }

    /// The project that it follows.
    pub fn project_id(&self) -> &ProjectId {
        self.subscription.project()
    }

    /// Everything up to here was delivered or is hidden from this reader.
    pub fn position(&self) -> Position {
        self.feed.position(self.after.unwrap_or_else(|| self.feed.offset()))
    }

    /// Waits for the next frames, in order: missed events, then a `live` frame and the open streams, then new frames.
    /// Cancelling the wait loses nothing. A reader of events receives no streams and no ephemeral frames, and is not
    /// woken by them.
    pub async fn next(&mut self) -> Result<Vec<EncodedFrame>, SessionEnd> {
        loop {
            let encoded = match self.state {
                ReaderState::Missing(reason) => self.report_gap(reason),
                ReaderState::CatchingUp => sabotage::spoil_missed(self.catch_up().await?),
                ReaderState::Live(cursor) => match self.interest {
                    FrameFilter::Everything => self.follow_feed(cursor).await?,
                    FrameFilter::Events => self.follow_events().await?,
                },
            };
            if !encoded.is_empty() {
                return Ok(encoded);
            }
        }
    }

    /// Reports missing events and continues at the end of the feed.
    fn report_gap(&mut self, reason: GapReason) -> Vec<EncodedFrame> {
        let offset = self.feed.offset();
        self.after = Some(offset);
        self.state = ReaderState::CatchingUp;
        let gap = Gap { project_id: self.project_id().clone(), reason, position: self.feed.position(offset) };
        vec![feed::encoded(&ServerFrame::Gap(gap))]
    }

    /// Joins the feed if it contains the missed events; otherwise returns the next events of the log.
    async fn catch_up(&mut self) -> Result<Vec<EncodedFrame>, SessionEnd> {
        self.feed.wait_until(self.after.unwrap_or(0)).await?;
        if let Some(encoded) = self.join() {
            return Ok(encoded);
        }
        let after = self.after.expect("a reader of what comes joins at once");
        self.read_log(after).await.map_err(|failure| {
            tracing::error!(project = %self.project_id(), cause = %failure, "a reader could not resume");
            SessionEnd::Fault
        })
    }

    /// Joins the feed, with the open streams as published at that position.
    fn join(&mut self) -> Option<Vec<EncodedFrame>> {
        let feed = Arc::clone(&self.feed);
        let (joined, running) = match self.interest {
            // Chunks are published under the lock of the registry, so the position and the texts match.
            FrameFilter::Everything => {
                self.live.streams.registry.with_running(feed.project_id(), |running| (feed.join(self.after), running))
            }
            FrameFilter::Events => (feed.join(self.after), Vec::new()),
        };
        let JoinOutcome::Live(missed, cursor, offset) = joined else { return None };
        let mut encoded = feed.visible_frames(&missed, &self.member);
        let reached = ReachedPosition { project_id: feed.project_id().clone(), position: feed.position(offset) };
        encoded.push(feed::encoded(&ServerFrame::Live(reached)));
        let streams = running.into_iter().map(|(audience, what)| {
            let project_id = feed.project_id().clone();
            Frame::ephemeral(&ServerFrame::Stream(ProjectFrame { project_id, what }), audience)
        });
        encoded.extend(feed.visible_frames(&streams.collect::<Vec<_>>(), &self.member));
        self.after = Some(offset);
        self.state = ReaderState::Live(cursor);
        Some(encoded)
    }

    async fn read_log(&mut self, after: u64) -> Result<Vec<EncodedFrame>, Failure> {
        let live = Arc::clone(&self.live);
        let _permit = live.sessions.store_permit().await;
        // The log may contain further events, but the private channel members do not include them yet.
        let reached = self.feed.offset();
        let mut events = self.live.store.events_after(self.project_id(), after, limits::CATCH_UP_EVENTS_MAX).await?;
        events.retain(|event| event.position.offset() <= reached);
        let Some(first) = events.first().map(|event| event.position.offset()) else {
            // The log was pruned up to its end meanwhile.
            return Ok(self.report_gap(GapReason::Expired));
        };
        if first != after + 1 {
            return Ok(self.report_gap(GapReason::Expired));
        }
        let last = events.last().map_or(after, |event| event.position.offset());
        let frames = self.live.frames_of(events).await?;
        self.after = Some(last);
        Ok(self.feed.visible_frames(&frames, &self.member))
    }

    async fn follow_feed(&mut self, mut cursor: FeedCursor) -> Result<Vec<EncodedFrame>, SessionEnd> {
        let feed = Arc::clone(&self.feed);
        let (frames, offset) = loop {
            let mut next_frame = std::pin::pin!(feed.next_frame());
            next_frame.as_mut().enable();
            let (frames, offset) = feed.take(&mut cursor)?;
            if !frames.is_empty() {
                break (frames, offset);
            }
            next_frame.await;
        };
        self.after = Some(offset);
        self.state = ReaderState::Live(cursor);
        Ok(feed.visible_frames(&frames, &self.member))
    }

    /// Follows events by offset, so that ephemeral frames cannot make it too slow.
    async fn follow_events(&mut self) -> Result<Vec<EncodedFrame>, SessionEnd> {
        let feed = Arc::clone(&self.feed);
        let after = self.after.expect("a reader that has joined has an offset");
        let (events, offset) = loop {
            let mut next_event = std::pin::pin!(feed.next_event());
            next_event.as_mut().enable();
            let (events, offset) = feed.take_events(after)?;
            if !events.is_empty() {
                break (events, offset);
            }
            next_event.await;
        };
        self.after = Some(offset);
        Ok(feed.visible_frames(&events, &self.member))
    }
}

impl LiveService {
    /// Why not all events after this position can be delivered; none if they can.
    async fn missing_after(&self, feed: &Feed, position: &Position) -> Result<Option<GapReason>, Failure> {
        let Some(range) = self.store.log_range(feed.project_id()).await? else { return Ok(Some(GapReason::Epoch)) };
        if position.epoch() != range.end.epoch() {
            return Ok(Some(GapReason::Epoch));
        }
        let end = match position.start_tag() {
            Some(tag) => self.store.end_of_start(feed.project_id(), tag).await?,
            None => Some(range.end.offset()),
        };
        let Some(end) = end else { return Ok(Some(GapReason::Epoch)) };
        if position.offset() > end {
            return Ok(Some(GapReason::Ahead));
        }
        Ok((position.offset() + 1 < range.first).then_some(GapReason::Expired))
    }
}
