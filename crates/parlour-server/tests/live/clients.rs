//! Three clients: a WebSocket library, a WebSocket client that writes raw bytes, and server-sent events.

mod events;
mod raw;
mod socket;

pub(crate) use events::Events;
pub(crate) use raw::{Frame, Raw, frame};
pub(crate) use socket::Socket;
