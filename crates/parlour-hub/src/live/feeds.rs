//! The feeds of all projects that somebody follows.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use parlour_core::{audience::Audience, id::ProjectId, live::ServerFrame};
use tokio::sync::{mpsc, oneshot};

use super::{SessionEnd, feed::Feed, frame::Frame};
use crate::{Failure, Fault};

/// Requests to follow a project that wait for the fan-out.
const REQUESTS_MAX: usize = 1_024;

/// A request that there be a feed of a project.
pub(crate) struct FeedRequest {
    pub(crate) project_id: ProjectId,
    pub(crate) answer: oneshot::Sender<Result<Arc<Feed>, Failure>>,
}

/// The feeds of all projects that somebody follows, or did a short while ago.
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
    /// Tells those readers of a project who are in the audience something of the moment. It never waits; without readers
    /// nothing happens.
    pub(crate) fn publish_ephemeral(&self, project: &ProjectId, audience: Audience, frame: &ServerFrame) {
        if let Some(feed) = self.get(project) {
            feed.put_ephemeral(Frame::ephemeral(frame, audience));
        }
    }

    /// The feed of a project, if there is one.
    pub(crate) fn get(&self, project: &ProjectId) -> Option<Arc<Feed>> {
        self.open.lock().get(project).cloned()
    }

    /// The feed of a project, opened by the fan-out if need be: it alone knows which events are in and which to come.
    pub(crate) async fn get_or_open(&self, project: &ProjectId) -> Result<Arc<Feed>, Failure> {
        if let Some(feed) = self.get(project) {
            return Ok(feed);
        }
        let (answer, opened) = oneshot::channel();
        let request = FeedRequest { project_id: project.clone(), answer };
        self.requests.send(request).await.map_err(|error| Fault::new("ask for a feed", error.to_string()))?;
        opened.await.map_err(|_| Fault::new("open a feed", "the fan-out has ended"))?
    }

    /// The requests for feeds, once.
    pub(crate) fn take_requests(&self) -> Option<mpsc::Receiver<FeedRequest>> {
        self.requested.lock().take()
    }

    /// Keeps a feed that the fan-out has opened.
    pub(crate) fn keep(&self, feed: &Arc<Feed>) {
        self.open.lock().insert(feed.project_id().clone(), Arc::clone(feed));
    }

    /// Ends a feed and its readers; who wants to go on opens another.
    pub(crate) fn end(&self, project: &ProjectId, why: SessionEnd) {
        if let Some(feed) = self.open.lock().remove(project) {
            feed.end(why);
        }
    }

    /// Ends all feeds.
    pub(crate) fn end_all(&self, why: SessionEnd) {
        let feeds = std::mem::take(&mut *self.open.lock());
        feeds.values().for_each(|feed| feed.end(why));
    }

    /// Forgets the feeds that nobody follows any more. For the fan-out alone: it opens feeds, so none is lost between.
    pub(crate) fn forget_unused(&self) {
        self.open.lock().retain(|_, feed| Arc::strong_count(feed) > 1);
    }
}
