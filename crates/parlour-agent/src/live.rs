//! Live events: follows a project for ever, over lost connections and restarts of the hub.
//!
//! [`Live`] keeps one connection to `GET /live` of the hub. When it is lost, it waits (exponential back-off with full
//! jitter, [`Backoff`]), connects again and resumes after the last position, so a reader gets every event that it may
//! see exactly once, in order. When events can no longer be told, it says so ([`LiveItem::Gap`]). What cannot be
//! mended (a replaced token, a membership that has ended) is a [`LiveError`].
//!
//! The parts, from the inside out; the first ones are pure and tested without a network:
//!
//! | part | holds |
//! |---|---|
//! | [`Backoff`] | how long to wait before the next connection |
//! | [`Resume`] | where the reader stands; what is handed over, what is a repetition |
//! | `wire` | frames as texts |
//! | `dial` | opening one connection, and what a refused one means |
//! | `connection` | one connection from subscription to end, with its heartbeats |
//! | [`Live`] | one connection after another |
//!
//! A slow reader is never a danger to the hub: when its queue is full the client stops reading, the hub cuts it off,
//! and it resumes when it goes on.
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

mod backoff;
mod connection;
mod dial;
mod follow;
mod item;
mod resume;

pub use backoff::Backoff;
pub use follow::Live;
pub use item::{LiveError, LiveItem, Lost, OtherFrame, Reconnecting};
pub use resume::{Resume, Start, Taken};

pub(crate) use backoff::draw;

#[cfg(test)]
mod tests;
