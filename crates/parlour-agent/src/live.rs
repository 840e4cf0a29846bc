//! Live events: follows a project over lost connections and restarts of the hub.
//!
//! [`Live`] keeps one connection to `GET /live` of the hub. When it is lost, it waits (exponential back-off with full
//! jitter, [`Backoff`]), connects again and resumes after the last position, so a reader gets every event that it may
//! see exactly once, in order. If events are no longer in the log, it returns a [`LiveItem::Gap`]. A permanent failure
//! (a revoked token, an ended membership) is a [`LiveError`].
//!
//! The first two modules are pure and tested without a network:
//!
//! | module | does |
//! |---|---|
//! | [`Backoff`] | computes the pause before the next connection |
//! | [`ResumeState`] | keeps the position of the reader and skips repeated events |
//! | `dial` | opens a connection, classifies refusals, encodes and decodes frames |
//! | `connection` | runs one connection from subscription to end, with heartbeats |
//! | [`Live`] | opens one connection after another |
//!
//! A slow reader does not harm the hub: when its queue is full, the client stops reading, the hub closes the connection,
//! and the client resumes later.
//!
//! ```no_run
//! use parlour_agent::{Client, live::{Live, LiveItem, Start}};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new("http://127.0.0.1:4870", Some("parlour_…"))?;
//! let tour = &client.projects().await?.items[0];
//! let mut live = Live::follow(&client, &tour.id, Start::Now);
//! loop {
//!     match live.next().await? {
//!         LiveItem::Event(event) => println!("{} {}", event.position, event.change.name()),
//!         LiveItem::Gap(gap) => println!("events are missing before {}", gap.position),
//!         LiveItem::Reconnecting(lost) => println!("lost: {}", lost.why),
//!         _ => {}
//!     }
//! }
//! # }
//! ```

use parlour_core::{id::ProjectId, presence::PresenceUpdate};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep},
};
use tokio_util::task::AbortOnDropHandle;

use crate::Client;
use connection::{ConnectionEnd, Items};
use dial::{ConnectFailure, Dial, HubAddress};

mod backoff;
mod connection;
mod dial;
mod item;
mod resume;

pub use backoff::Backoff;
pub use item::{LiveError, LiveItem, Lost, OtherFrame, Reconnecting};
pub use resume::{FrameAction, ResumeState, Start};

pub(crate) use backoff::draw;

/// The length of the reader's queue. When it is full, the client stops reading and the hub closes the connection.
const ITEMS_WAITING_MAX: usize = 256;

/// A subscription to the events of a project. Dropping it closes the connection.
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

    /// Follows the events of a project without ephemeral frames such as chunks, typing and presence.
    pub fn follow_events(client: &Client, project: &ProjectId, start: Start) -> Self {
        let resume = ResumeState::new(project.clone(), start).events_only();
        Self::spawn(HubAddress::of(client), resume, Backoff::default())
    }

    /// Follows all events and ephemeral frames of a project with these pauses between connections.
    pub fn follow_with(client: &Client, project: &ProjectId, start: Start, backoff: Backoff) -> Self {
        Self::spawn(HubAddress::of(client), ResumeState::new(project.clone(), start), backoff)
    }

    fn spawn(dial: impl Dial, resume: ResumeState, backoff: Backoff) -> Self {
        let (items, receiver) = mpsc::channel(ITEMS_WAITING_MAX);
        let (presence, requests) = watch::channel(None);
        let task = tokio::spawn(Follower { dial, resume, backoff, items, requests }.run());
        Self { items: receiver, presence, _task: AbortOnDropHandle::new(task) }
    }

    /// Waits for the next item. Cancelling the wait loses nothing.
    ///
    /// An error is permanent. Lost connections are items, not errors.
    pub async fn next(&mut self) -> Result<LiveItem, LiveError> {
        self.items.recv().await.unwrap_or(Err(LiveError::Over))
    }

    /// Publishes the presence of the token owner on this connection and all later ones.
    pub fn set_presence(&self, request: PresenceUpdate) {
        self.presence.send_replace(Some(request));
    }
}

/// The background task of a [`Live`].
struct Follower<D> {
    dial: D,
    resume: ResumeState,
    backoff: Backoff,
    items: Items,
    requests: watch::Receiver<Option<PresenceUpdate>>,
}

impl<D: Dial> Follower<D> {
    /// Ends after a permanent failure, or when the reader is dropped.
    async fn run(mut self) {
        loop {
            match self.connect_once().await {
                ConnectionEnd::Failed(ConnectFailure::Lost(why)) => {
                    if self.pause(why).await.is_none() {
                        return;
                    }
                }
                ConnectionEnd::Failed(ConnectFailure::Over(error)) => {
                    // The reader may be dropped; the task ends anyway.
                    let _ = self.items.send(Err(error)).await;
                    return;
                }
                ConnectionEnd::Reconnect => {}
                ConnectionEnd::ReaderDropped => return,
            }
        }
    }

    async fn connect_once(&mut self) -> ConnectionEnd {
        let mut opened = None;
        let end = connection::run(&self.dial, &mut self.resume, &self.items, &mut self.requests, &mut opened).await;
        if let Some(opened) = opened {
            self.backoff.lasted(Instant::now() - opened);
        }
        end
    }

    /// Notifies the reader and waits; `None` if the reader is dropped.
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

#[cfg(test)]
mod tests;
