//! How readers and senders connect: to the hub with tokens, to the ceiling without.

use std::{net::SocketAddr, time::Instant};

use super::Opening;
use crate::{
    environment::PreparedHub,
    fixture::{self, HubFixture},
    load::Script,
    server::Server,
};

/// Senders of marked messages.
const SENDERS: usize = 8;
/// Receive buffer of a stalled reader.
const STALLED_RECEIVE_BYTES: u32 = 4 * 1024;

/// A server to which readers and senders connect.
#[derive(Clone, Copy)]
pub(crate) struct LiveTarget<'a> {
    pub(crate) name: &'static str,
    pub(crate) server: &'a Server,
    fixture: Option<&'a HubFixture>,
}

impl<'a> LiveTarget<'a> {
    /// The hub.
    pub(crate) fn hub(hub: &'a PreparedHub) -> Self {
        Self { name: "hub", server: &hub.server, fixture: Some(&hub.fixture) }
    }

    /// The ceiling.
    pub(crate) fn ceiling(server: &'a Server) -> Self {
        Self { name: "ceiling", server, fixture: None }
    }

    /// This many WebSocket readers of new events.
    pub(crate) fn readers(&self, count: usize) -> Vec<Opening> {
        (0..count).map(|number| self.opening("/live", number)).collect()
    }

    /// This many WebSocket readers that resume after a position.
    pub(crate) fn readers_after(&self, count: usize, position: &str) -> Vec<Opening> {
        let after = |mut opening: Opening| {
            opening.path = format!("{}&after={position}", opening.path);
            opening
        };
        self.readers(count).into_iter().map(after).collect()
    }

    /// This many readers of server-sent events.
    pub(crate) fn event_readers(&self, count: usize) -> Vec<Opening> {
        let opening = |number| Opening { is_socket: false, ..self.opening("/events", number) };
        (0..count).map(opening).collect()
    }

    /// This many readers that never read, with a small receive buffer.
    pub(crate) fn stalled_readers(&self, count: usize) -> Vec<Opening> {
        let stalled = |opening| Opening { receive_bytes: Some(STALLED_RECEIVE_BYTES), ..opening };
        self.readers(count).into_iter().map(stalled).collect()
    }

    /// A WebSocket of a producer, without a subscription.
    pub(crate) fn producer(&self, number: usize) -> Opening {
        let path = if self.fixture.is_some() { "/live" } else { "/feed" };
        Opening { path: path.to_owned(), ..self.opening("", number) }
    }

    /// Senders of marked messages with times since `epoch`.
    pub(crate) fn scripts(&self, epoch: Instant) -> Vec<Script> {
        (0..SENDERS).map(|sender| fixture::marked_script(self.fixture, sender, epoch)).collect()
    }

    /// Another sender, of long messages.
    pub(crate) fn long_script(&self, epoch: Instant) -> Script {
        fixture::long_script(self.fixture, SENDERS, epoch)
    }

    fn address(&self) -> SocketAddr {
        self.server.address()
    }

    fn opening(&self, path: &str, number: usize) -> Opening {
        let project = self.fixture.map(|fixture| format!("?project_id={}", fixture.project_id)).unwrap_or_default();
        let token = self.fixture.map(|fixture| fixture.sender(number).token.clone());
        Opening {
            address: self.address(),
            path: format!("{path}{project}"),
            token,
            is_socket: true,
            receive_bytes: None,
        }
    }
}
