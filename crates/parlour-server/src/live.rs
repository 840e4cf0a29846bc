//! The live surfaces: server-sent events and WebSockets. They tell the same frames at the same positions.
//!
//! - An event stream is the body of an answer; a socket is one task of its own. Neither is ever waited for: whoever
//!   takes too long is told to resume and cut off.
//! - Every wait is raced against the end of the session and the stop of the hub, also a blocked write.
//! - All waits are measured by the hub's clock.

mod beats;
mod client_frame;
mod conversation;
mod event_stream;
mod farewell;
mod follower;
#[cfg(test)]
mod fuzz;
mod handshake;
mod listener;
mod open_session;
mod requests;
mod sign_in;
mod socket;
mod sse;
mod subscriptions;
mod wire;

pub(crate) use event_stream::EventStream;
#[cfg(test)]
pub(crate) use fuzz::TARGETS as FUZZ;
pub(crate) use handshake::Handshake;
pub(crate) use socket::{Arrival, Socket, Subscription, interest};
