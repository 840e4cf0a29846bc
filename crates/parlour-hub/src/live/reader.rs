//! A reader: one session's walk along one project.

use std::sync::Arc;

use parlour_core::{
    access::Principal,
    id::{MemberId, ProjectId},
    limits,
    live::{Gap, GapReason, ProjectFrame, ReachedPosition, ServerFrame},
    position::Position,
};

use super::{
    Ended, FrameFilter, Start, Told,
    feed::{Feed, Join, Place},
    frame::{self, Frame},
    sabotage,
    session::Following,
};
use crate::{Failure, Hub};

/// One session's walk along one project. It stops following when it is dropped.
pub struct Reader {
    hub: Arc<Hub>,
    member: MemberId,
    feed: Arc<Feed>,
    /// Everything up to this offset was told, or is not for this reader; none before a reader of what comes has joined.
    after: Option<u64>,
    stage: Stage,
    interest: FrameFilter,
    following: Following,
}

/// How far a reader is.
enum Stage {
    /// It must learn first that events are missing.
    Missing(GapReason),
    /// It takes from the log what it missed.
    CatchingUp,
    /// It walks along the feed.
    Live(Place),
}

impl Reader {
    pub(super) async fn open(
        hub: &Arc<Hub>,
        caller: &Principal,
        following: Following,
        start: Start,
    ) -> Result<Self, Failure> {
        let feed = hub.feeds.get_or_open(following.project()).await?;
        let (after, stage) = match start {
            Start::Now => (None, Stage::CatchingUp),
            Start::After(position) => match hub.missing_after(&feed, &position).await? {
                Some(reason) => (None, Stage::Missing(reason)),
                None => (Some(position.offset()), Stage::CatchingUp),
            },
        };
        let (hub, member) = (Arc::clone(hub), caller.member.clone());
        Ok(Self { hub, member, feed, after, stage, interest: FrameFilter::Everything, following })
    }

    /// The same reader, told only what is of interest. To be said before its first frame.
    #[must_use]
    pub fn with_interest(mut self, interest: FrameFilter) -> Self {
        self.interest = interest;
        self
    }

    /// The project that it follows.
    pub fn project_id(&self) -> &ProjectId {
        self.following.project()
    }

    /// Everything up to here was told, or is not for this reader.
    pub fn position(&self) -> Position {
        self.feed.position(self.after.unwrap_or_else(|| self.feed.offset()))
    }

    /// Waits for the next frames, in order: first what was missed, then a `live` frame and the running streams, then
    /// what happens. Cancelling the wait loses nothing. Who wants events alone is told no streams and nothing else of
    /// the moment, and is not woken by it.
    pub async fn next(&mut self) -> Result<Vec<Told>, Ended> {
        loop {
            let told = match self.stage {
                Stage::Missing(reason) => self.tell_gap(reason),
                Stage::CatchingUp => sabotage::spoil_missed(self.catch_up().await?),
                Stage::Live(place) => match self.interest {
                    FrameFilter::Everything => self.walk_on(place).await?,
                    FrameFilter::Events => self.walk_events().await?,
                },
            };
            if !told.is_empty() {
                return Ok(told);
            }
        }
    }

    /// Says that events are missing, and goes on at the end of the feed.
    fn tell_gap(&mut self, reason: GapReason) -> Vec<Told> {
        let offset = self.feed.offset();
        self.after = Some(offset);
        self.stage = Stage::CatchingUp;
        let gap = Gap { project_id: self.project_id().clone(), reason, position: self.feed.position(offset) };
        vec![frame::told(&ServerFrame::Gap(gap))]
    }

    /// Joins the feed if that still holds what is missing; otherwise tells the next events of the log.
    async fn catch_up(&mut self) -> Result<Vec<Told>, Ended> {
        self.feed.reached(self.after.unwrap_or(0)).await?;
        if let Some(told) = self.join() {
            return Ok(told);
        }
        let after = self.after.expect("a reader of what comes joins at once");
        self.tell_log(after).await.map_err(|failure| {
            tracing::error!(project = %self.project_id(), cause = %failure, "a reader could not resume");
            Ended::Fault
        })
    }

    /// Takes a place in the feed, with the running streams as they are at that place.
    fn join(&mut self) -> Option<Vec<Told>> {
        let feed = Arc::clone(&self.feed);
        let (joined, running) = match self.interest {
            // The book of streams tells chunks under its lock, so place and texts belong together.
            FrameFilter::Everything => {
                self.hub.streams.with_running(feed.project_id(), |running| (feed.join(self.after), running))
            }
            FrameFilter::Events => (feed.join(self.after), Vec::new()),
        };
        let Join::Live(missed, place, offset) = joined else { return None };
        let mut told = feed.show(&missed, &self.member);
        let reached = ReachedPosition { project_id: feed.project_id().clone(), position: feed.position(offset) };
        told.push(frame::told(&ServerFrame::Live(reached)));
        let streams = running.into_iter().map(|(audience, what)| {
            let project_id = feed.project_id().clone();
            Frame::of_moment(&ServerFrame::Stream(ProjectFrame { project_id, what }), audience)
        });
        told.extend(feed.show(&streams.collect::<Vec<_>>(), &self.member));
        self.after = Some(offset);
        self.stage = Stage::Live(place);
        Some(told)
    }

    async fn tell_log(&mut self, after: u64) -> Result<Vec<Told>, Failure> {
        let hub = Arc::clone(&self.hub);
        let _turn = hub.sessions.turn().await;
        // Further events may be in the log already, but the private channel members do not follow them yet.
        let reached = self.feed.offset();
        let mut events = self.hub.store.events_after(self.project_id(), after, limits::CATCH_UP_EVENTS_MAX).await?;
        events.retain(|event| event.position.offset() <= reached);
        let Some(first) = events.first().map(|event| event.position.offset()) else {
            // The feed has events that the log does not show: it was pruned up to its end meanwhile.
            return Ok(self.tell_gap(GapReason::Expired));
        };
        if first != after + 1 {
            return Ok(self.tell_gap(GapReason::Expired));
        }
        let last = events.last().map_or(after, |event| event.position.offset());
        let frames = self.hub.frames_of(events).await?;
        self.after = Some(last);
        Ok(self.feed.show(&frames, &self.member))
    }

    async fn walk_on(&mut self, mut place: Place) -> Result<Vec<Told>, Ended> {
        let feed = Arc::clone(&self.feed);
        let (frames, offset) = loop {
            let mut arrival = std::pin::pin!(feed.arrival());
            arrival.as_mut().enable();
            let (frames, offset) = feed.take(&mut place)?;
            if !frames.is_empty() {
                break (frames, offset);
            }
            arrival.await;
        };
        self.after = Some(offset);
        self.stage = Stage::Live(place);
        Ok(feed.show(&frames, &self.member))
    }

    /// Walks from event to event: its offset is its place, so nothing of the moment can leave it behind.
    async fn walk_events(&mut self) -> Result<Vec<Told>, Ended> {
        let feed = Arc::clone(&self.feed);
        let after = self.after.expect("a reader that has joined knows its offset");
        let (events, offset) = loop {
            let mut happening = std::pin::pin!(feed.happening());
            happening.as_mut().enable();
            let (events, offset) = feed.take_events(after)?;
            if !events.is_empty() {
                break (events, offset);
            }
            happening.await;
        };
        self.after = Some(offset);
        Ok(feed.show(&events, &self.member))
    }
}

impl Hub {
    /// Why the events after this position cannot all be told; nothing when they can.
    async fn missing_after(&self, feed: &Feed, position: &Position) -> Result<Option<GapReason>, Failure> {
        let Some(range) = self.store.log_range(feed.project_id()).await? else { return Ok(Some(GapReason::Epoch)) };
        if position.epoch() != range.end.epoch() {
            return Ok(Some(GapReason::Epoch));
        }
        if position.offset() > range.end.offset() {
            return Ok(Some(GapReason::Ahead));
        }
        Ok((position.offset() + 1 < range.first).then_some(GapReason::Expired))
    }
}
