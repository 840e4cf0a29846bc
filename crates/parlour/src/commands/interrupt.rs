//! Ctrl+C and `kill`, for commands that have something to finish first.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// Both signals, caught from now on.
#[derive(Debug)]
pub(crate) struct Interrupt {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupt {
    /// Catches them: they no longer end the program by themselves.
    pub(crate) fn catch() -> Result<Self, Failure> {
        let of = |kind| signal(kind).map_err(|error| Failure::broken("catch Ctrl+C", &error));
        Ok(Self { interrupt: of(SignalKind::interrupt())?, terminate: of(SignalKind::terminate())? })
    }

    /// Waits for either. Cancelling the wait loses nothing.
    pub(crate) async fn caught(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
