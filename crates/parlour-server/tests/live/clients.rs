//! Three clients: a WebSocket by the book, one that writes every byte by hand, and one of server-sent events.

mod events;
mod raw;
mod socket;

pub(crate) use events::Events;
pub(crate) use raw::{Frame, Raw, frame};
pub(crate) use socket::Socket;
