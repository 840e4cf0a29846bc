//! The fan-out: puts each committed event into the feed of its project, in log order.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use parlour_core::{
    Refusal,
    audience::Audience,
    event::{Change, Event},
    id::ProjectId,
    limits,
    live::ServerFrame,
    message::State,
};
use tokio::sync::{mpsc, oneshot};

use crate::{
    Failure, Fault,
    live::{
        LiveService, SessionEnd,
        feed::{Feed, Frame},
    },
};

/// Events that are taken from the store at once.
const BATCH_LEN_MAX: usize = 256;
/// How often unused feeds are removed.
const SWEEP_MS: u64 = 60_000;

/// The single task that fills all feeds.
pub(super) struct Fanout<'a> {
    live: &'a LiveService,
    committed: mpsc::Receiver<Event>,
    requests: mpsc::Receiver<FeedRequest>,
    /// The offset of the last handled event of each project, to detect events that the store has dropped.
    handled: HashMap<ProjectId, u64>,
    /// Whether the queue was so full that the store may have dropped its last events.
    may_have_missed: bool,
}

impl<'a> Fanout<'a> {
    /// A fan-out of events committed from now on. Only the first of a service receives feed requests.
    pub(super) fn new(live: &'a LiveService) -> Option<Self> {
        let requests = live.feeds.take_requests()?;
        Some(Self { live, committed: live.store.watch(), requests, handled: HashMap::new(), may_have_missed: false })
    }

    /// Runs until the store closes or it is dropped.
    pub(super) async fn run(mut self) {
        let mut batch = Vec::with_capacity(BATCH_LEN_MAX);
        let mut sweep_at = self.live.clock.now().plus_millis(SWEEP_MS);
        loop {
            tokio::select! {
                // Events first, so that a feed opened later begins later.
                biased;
                count = self.committed.recv_many(&mut batch, BATCH_LEN_MAX) => match count {
                    0 => return,
                    _ => self.handle_all(&mut batch).await,
                },
                Some(request) = self.requests.recv() => self.answer(request).await,
                () = self.live.clock.sleep_until(sweep_at) => {
                    self.live.feeds.forget_unused();
                    sweep_at = self.live.clock.now().plus_millis(SWEEP_MS);
                }
            }
        }
    }

    async fn handle_all(&mut self, batch: &mut Vec<Event>) {
        self.may_have_missed |= batch.len() + self.committed.len() >= limits::WATCH_QUEUE_LEN_MAX;
        for event in batch.drain(..) {
            let project = event.project_id.clone();
            let outcome = self.handle(event).await;
            self.end_feed_on_failure(&project, outcome);
        }
        if self.may_have_missed && self.committed.is_empty() {
            self.may_have_missed = false;
            self.handle_missed_ends().await;
        }
    }

    /// An event with an unknown audience must reach nobody and must not be skipped: its readers are disconnected and
    /// find it in the log.
    fn end_feed_on_failure(&mut self, project: &ProjectId, outcome: Result<(), Failure>) {
        if let Err(failure) = outcome {
            tracing::error!(%project, cause = %failure, "events could not be published");
            self.live.feeds.end(project, SessionEnd::Fault);
            self.handled.remove(project);
        }
    }

    /// Handles dropped events at the end of logs, where no later event reveals the gap.
    async fn handle_missed_ends(&mut self) {
        let projects: Vec<ProjectId> = self.handled.keys().cloned().collect();
        for project in projects {
            let outcome = match self.live.store.end_of_log(&project).await {
                Ok(Some(end)) => self.handle_missed(&project, end.offset()).await,
                Ok(None) => Ok(()),
                Err(failure) => Err(failure),
            };
            self.end_feed_on_failure(&project, outcome);
        }
    }

    /// Handles an event after the dropped events before it.
    async fn handle(&mut self, event: Event) -> Result<(), Failure> {
        self.handle_missed(&event.project_id, event.position.offset() - 1).await?;
        self.publish(event).await
    }

    /// Handles the events up to this offset that were not handled yet.
    async fn handle_missed(&mut self, project: &ProjectId, up_to: u64) -> Result<(), Failure> {
        while let Some(last) = self.last_handled(project).filter(|last| *last < up_to) {
            let mut missed = self.live.store.events_after(project, last, limits::EVENTS_PER_READ_MAX).await?;
            missed.retain(|event| event.position.offset() <= up_to);
            if missed.first().is_none_or(|first| first.position.offset() != last + 1) {
                return Err(Fault::new("read missed events", "they were forgotten meanwhile").into());
            }
            for event in missed {
                self.publish(event).await?;
            }
        }
        Ok(())
    }

    /// The last event that both the feed and the streams of a project have handled; none if it has neither.
    fn last_handled(&self, project: &ProjectId) -> Option<u64> {
        let handled = self.handled.get(project).copied();
        let fed = self.live.feeds.get(project).map(|feed| feed.offset());
        [handled, fed].into_iter().flatten().min()
    }

    /// Publishes an event where it is new: a feed may have begun after it while the streams have not seen it.
    async fn publish(&mut self, event: Event) -> Result<(), Failure> {
        let (project, offset) = (event.project_id.clone(), event.position.offset());
        let handled = self.handled.get(&project).copied().unwrap_or(offset - 1);
        let feed = self.live.feeds.get(&project);
        self.live.writer.invalidate_caches_after(&project, &event.change);
        let begun = match &event.change {
            _ if offset <= handled => None,
            Change::MessagePosted(message) if message.state == State::Streaming => Some(message.clone()),
            Change::MessageFinished(message) | Change::MessageRemoved(message) => {
                // First, so that no chunk is published after the end.
                self.live.streams.forget_stream(&message.id);
                None
            }
            _ => None,
        };
        if let Some(message) = &begun {
            // The poster may have gone away, so the registry of streams follows the log.
            self.live.streams.prepare_stream(message).await;
        }
        let outcome = match feed.filter(|feed| offset > feed.offset()) {
            Some(feed) => self.put(event, &feed).await,
            None => Ok(()),
        };
        if let Some(message) = begun {
            // Last, so that no chunk is published before the message.
            self.live.streams.announce_stream(&message).await;
        }
        self.handled.insert(project, handled.max(offset));
        outcome
    }

    /// Puts an event into the feed of its project.
    async fn put(&self, event: Event, feed: &Feed) -> Result<(), Failure> {
        let audience = Audience::of(
            &event.change,
            self.live.projects.access_root_of_change(&event.project_id, &event.change).await?,
        );
        let removed = match &event.change {
            Change::PersonRemoved(person) => Some(person.id.clone()),
            _ => None,
        };
        match &event.change {
            Change::MessagePosted(message) if message.state == State::Streaming => {
                let id = message.id.clone();
                self.live.streams.registry.announce_with(&self.live.feeds, &id, || feed.put_event(event, audience));
            }
            _ => feed.put_event(event, audience),
        }
        if let Some(person) = removed {
            self.live.sessions.end_in_project(&person.into(), feed.project_id());
        }
        Ok(())
    }

    async fn answer(&mut self, request: FeedRequest) {
        let FeedRequest { project_id, answer } = request;
        let feed = match self.live.feeds.get(&project_id) {
            Some(feed) => Ok(feed),
            None => self.open(&project_id).await,
        };
        // The requester may have gone away; the unused feed is removed later.
        let _ = answer.send(feed);
    }

    /// Opens a feed at the position of its private channel members. Events up to there are ignored when they arrive.
    async fn open(&mut self, project: &ProjectId) -> Result<Arc<Feed>, Failure> {
        let found = self.live.store.private_members(project).await?;
        let found = found.ok_or_else(|| Refusal::not_found("project", project))?;
        let recent = self.recent_frames(project, found.position.offset()).await?;
        let feed = Arc::new(Feed::new(project.clone(), &found.position, found.private_members, recent));
        self.live.feeds.keep(&feed);
        Ok(feed)
    }

    /// The last events up to this offset.
    async fn recent_frames(&self, project: &ProjectId, offset: u64) -> Result<Vec<Frame>, Failure> {
        let count = limits::FEED_RECENT_EVENTS_MAX;
        let mut events = self.live.store.events_after(project, offset.saturating_sub(count as u64), count).await?;
        events.retain(|event| event.position.offset() <= offset);
        self.live.frames_of(events).await
    }
}

impl LiveService {
    /// The frames of events that were read from the log.
    pub(super) async fn frames_of(&self, events: Vec<Event>) -> Result<Vec<Frame>, Failure> {
        let mut frames = Vec::with_capacity(events.len());
        for event in events {
            let audience = Audience::of(
                &event.change,
                self.projects.access_root_of_change(&event.project_id, &event.change).await?,
            );
            frames.push(Frame::event(event, audience));
        }
        Ok(frames)
    }
}

/// Feed requests that wait for the fan-out.
const REQUESTS_MAX: usize = 1_024;

/// A request for the feed of a project.
pub(crate) struct FeedRequest {
    pub(crate) project_id: ProjectId,
    pub(crate) answer: oneshot::Sender<Result<Arc<Feed>, Failure>>,
}

/// The feeds of all projects with readers, or that had readers recently.
pub(crate) struct Feeds {
    open: Mutex<HashMap<ProjectId, Arc<Feed>>>,
    requests: mpsc::Sender<FeedRequest>,
    /// Taken by the fan-out when it starts.
    requested: Mutex<Option<mpsc::Receiver<FeedRequest>>>,
}

impl Default for Feeds {
    fn default() -> Self {
        let (requests, requested) = mpsc::channel(REQUESTS_MAX);
        Self { open: Mutex::default(), requests, requested: Mutex::new(Some(requested)) }
    }
}

impl Feeds {
    /// Publishes an ephemeral frame to the readers of a project in the audience. It never waits and does nothing
    /// without a feed.
    pub(crate) fn publish_ephemeral(&self, project: &ProjectId, audience: Audience, frame: &ServerFrame) {
        if let Some(feed) = self.get(project) {
            feed.put_ephemeral(Frame::ephemeral(frame, audience));
        }
    }

    /// The feed of a project, if it is open.
    pub(crate) fn get(&self, project: &ProjectId) -> Option<Arc<Feed>> {
        self.open.lock().get(project).cloned()
    }

    /// The feed of a project, opened by the fan-out if necessary: only the fan-out appends events to it.
    pub(crate) async fn get_or_open(&self, project: &ProjectId) -> Result<Arc<Feed>, Failure> {
        if let Some(feed) = self.get(project) {
            return Ok(feed);
        }
        let (answer, opened) = oneshot::channel();
        let request = FeedRequest { project_id: project.clone(), answer };
        self.requests.send(request).await.map_err(|error| Fault::new("ask for a feed", error.to_string()))?;
        opened.await.map_err(|_| Fault::new("open a feed", "the fan-out has ended"))?
    }

    /// The receiver of feed requests, once.
    pub(crate) fn take_requests(&self) -> Option<mpsc::Receiver<FeedRequest>> {
        self.requested.lock().take()
    }

    /// Registers a feed that the fan-out has opened.
    pub(crate) fn keep(&self, feed: &Arc<Feed>) {
        self.open.lock().insert(feed.project_id().clone(), Arc::clone(feed));
    }

    /// Ends a feed and its readers; they can open another.
    pub(crate) fn end(&self, project: &ProjectId, why: SessionEnd) {
        if let Some(feed) = self.open.lock().remove(project) {
            feed.end(why);
        }
    }

    pub(crate) fn end_all(&self, why: SessionEnd) {
        let feeds = std::mem::take(&mut *self.open.lock());
        feeds.values().for_each(|feed| feed.end(why));
    }

    /// Removes feeds without readers. Only the fan-out calls it: it also opens feeds, so none is lost.
    pub(crate) fn forget_unused(&self) {
        self.open.lock().retain(|_, feed| Arc::strong_count(feed) > 1);
    }
}
