//! Following a project for ever: one connection after another, and one unbroken series of items.

use parlour_core::{id::ProjectId, presence::PresenceUpdate};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep},
};
use tokio_util::task::AbortOnDropHandle;

use super::{
    Backoff, LiveItem, Reconnecting, Start,
    backoff::draw,
    connection::{self, End, Items},
    dial::{Dial, HubAddress, Undone},
    item::{LiveError, Lost},
    resume::Resume,
};
use crate::Client;

/// Items that wait for the reader. When there is no room, nothing more is read: the hub will cut the connection off,
/// and the client resumes when the reader goes on.
const ITEMS_WAITING_MAX: usize = 256;

/// A project that is followed. Dropping it ends the connection.
#[derive(Debug)]
pub struct Live {
    items: mpsc::Receiver<Result<LiveItem, LiveError>>,
    presence: watch::Sender<Option<PresenceUpdate>>,
    _task: AbortOnDropHandle<()>,
}

impl Live {
    /// Follows a project. It connects in the background, and again whenever the connection is lost.
    pub fn follow(client: &Client, project: &ProjectId, start: Start) -> Self {
        Self::follow_with(client, project, start, Backoff::default())
    }

    /// Follows the events of a project and nothing of the moment, for programs that wait to be called.
    pub fn follow_events(client: &Client, project: &ProjectId, start: Start) -> Self {
        let resume = Resume::new(project.clone(), start).events_only();
        Self::spawn(HubAddress::of(client), resume, Backoff::default())
    }

    /// Follows everything of a project, with other pauses between connections.
    pub fn follow_with(client: &Client, project: &ProjectId, start: Start, backoff: Backoff) -> Self {
        Self::spawn(HubAddress::of(client), Resume::new(project.clone(), start), backoff)
    }

    pub(super) fn spawn(dial: impl Dial, resume: Resume, backoff: Backoff) -> Self {
        let (items, receiver) = mpsc::channel(ITEMS_WAITING_MAX);
        let (presence, requests) = watch::channel(None);
        let task = tokio::spawn(Follower { dial, resume, backoff, items, requests }.run());
        Self { items: receiver, presence, _task: AbortOnDropHandle::new(task) }
    }

    /// Waits for the next item. Cancelling the wait loses nothing.
    ///
    /// An error is the end: the hub said no for good. Lost connections are items, not errors.
    pub async fn next(&mut self) -> Result<LiveItem, LiveError> {
        self.items.recv().await.unwrap_or(Err(LiveError::Over))
    }

    /// Says that the owner of the token is there, on this connection and every one after it.
    pub fn set_presence(&self, request: PresenceUpdate) {
        self.presence.send_replace(Some(request));
    }
}

/// What keeps a project followed in the background.
struct Follower<D> {
    dial: D,
    resume: Resume,
    backoff: Backoff,
    items: Items,
    requests: watch::Receiver<Option<PresenceUpdate>>,
}

impl<D: Dial> Follower<D> {
    /// Ends when the hub says no for good, or nobody reads any more.
    async fn run(mut self) {
        loop {
            match self.connect_once().await {
                End::Undone(Undone::Lost(why)) => {
                    if self.pause(why).await.is_none() {
                        return;
                    }
                }
                End::Undone(Undone::Over(error)) => {
                    // Nobody may be listening any more, which is an end too.
                    let _ = self.items.send(Err(error)).await;
                    return;
                }
                End::Again => {}
                End::Unheard => return,
            }
        }
    }

    async fn connect_once(&mut self) -> End {
        let mut opened = None;
        let end = connection::run(&self.dial, &mut self.resume, &self.items, &mut self.requests, &mut opened).await;
        if let Some(opened) = opened {
            self.backoff.lasted(Instant::now() - opened);
        }
        end
    }

    /// Tells the reader and waits; nothing when nobody reads any more.
    async fn pause(&mut self, why: Lost) -> Option<()> {
        let pause = self.backoff.pause_after_failure(draw());
        let after = self.resume.after().cloned();
        let item = LiveItem::Reconnecting(Reconnecting { after, why, attempt: self.backoff.failures(), pause });
        self.items.send(Ok(item)).await.ok()?;
        tokio::select! {
            () = sleep(pause) => Some(()),
            () = self.items.closed() => None,
        }
    }
}
