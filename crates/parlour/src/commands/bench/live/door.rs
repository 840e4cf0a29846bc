//! How readers and senders come into a server: into the hub with tokens, into the ceiling just so.

use std::{net::SocketAddr, time::Instant};

use super::Opening;
use crate::commands::bench::{
    ground::StagedHub,
    load::Script,
    server::Server,
    stage::{self, Stage},
};

/// Senders of marked messages.
const SENDERS: usize = 8;
/// What the system keeps for a reader that stalls.
const STALLED_RECEIVE_BYTES: u32 = 4 * 1024;

/// The way into one server.
#[derive(Clone, Copy)]
pub(in crate::commands::bench) struct Door<'a> {
    pub(in crate::commands::bench) name: &'static str,
    pub(in crate::commands::bench) server: &'a Server,
    stage: Option<&'a Stage>,
}

impl<'a> Door<'a> {
    /// Into the hub.
    pub(in crate::commands::bench) fn hub(hub: &'a StagedHub) -> Self {
        Self { name: "hub", server: &hub.server, stage: Some(&hub.stage) }
    }

    /// Into the ceiling.
    pub(in crate::commands::bench) fn ceiling(server: &'a Server) -> Self {
        Self { name: "ceiling", server, stage: None }
    }

    /// So many readers on WebSockets, from now on.
    pub(in crate::commands::bench) fn readers(&self, count: usize) -> Vec<Opening> {
        (0..count).map(|number| self.opening("/live", number)).collect()
    }

    /// So many readers on WebSockets, after a position.
    pub(in crate::commands::bench) fn readers_after(&self, count: usize, position: &str) -> Vec<Opening> {
        let after = |mut opening: Opening| {
            opening.path = format!("{}&after={position}", opening.path);
            opening
        };
        self.readers(count).into_iter().map(after).collect()
    }

    /// So many readers of a stream of events over plain HTTP.
    pub(in crate::commands::bench) fn event_readers(&self, count: usize) -> Vec<Opening> {
        let opening = |number| Opening { is_socket: false, ..self.opening("/events", number) };
        (0..count).map(opening).collect()
    }

    /// So many readers who will never read, with little room for what they leave.
    pub(in crate::commands::bench) fn stalled_readers(&self, count: usize) -> Vec<Opening> {
        let stalled = |opening| Opening { receive_bytes: Some(STALLED_RECEIVE_BYTES), ..opening };
        self.readers(count).into_iter().map(stalled).collect()
    }

    /// A WebSocket that is told nothing and only speaks.
    pub(in crate::commands::bench) fn producer(&self, number: usize) -> Opening {
        let path = if self.stage.is_some() { "/live" } else { "/feed" };
        Opening { path: path.to_owned(), ..self.opening("", number) }
    }

    /// Senders of marked messages, whose clock began at `epoch`.
    pub(in crate::commands::bench) fn scripts(&self, epoch: Instant) -> Vec<Script> {
        (0..SENDERS).map(|sender| stage::marked_script(self.stage, sender, epoch)).collect()
    }

    /// One more sender, of long messages.
    pub(in crate::commands::bench) fn long_script(&self, epoch: Instant) -> Script {
        stage::long_script(self.stage, SENDERS, epoch)
    }

    fn address(&self) -> SocketAddr {
        self.server.address()
    }

    fn opening(&self, path: &str, number: usize) -> Opening {
        let project = self.stage.map(|stage| format!("?project_id={}", stage.project_id)).unwrap_or_default();
        let token = self.stage.map(|stage| stage.sender(number).token.clone());
        Opening {
            address: self.address(),
            path: format!("{path}{project}"),
            token,
            is_socket: true,
            receive_bytes: None,
        }
    }
}
