//! The live surfaces: server-sent events and WebSockets. Both send the same frames at the same positions.
//!
//! - An event stream is a response body; a WebSocket is a task of its own. The hub never waits for either: a client that
//!   is too slow gets the close code `Resume` and is disconnected.
//! - Every wait, including a blocked write, is raced against the end of the session and the stop of the hub.
//! - All times are measured by the hub's clock.

mod client_frame;
mod event_stream;
#[cfg(test)]
mod fuzz;
mod requests;
mod session;
mod websocket;
mod ws_transport;

pub(crate) use event_stream::EventStream;
#[cfg(test)]
pub(crate) use fuzz::TARGETS as FUZZ;
pub(crate) use websocket::{SocketAuth, SubscribeRequest, WebSocketTask, frame_filter};
pub(crate) use ws_transport::Handshake;
