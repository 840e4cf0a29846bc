//! Handling of SIGINT and SIGTERM for commands that clean up before they end.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

#[derive(Debug)]
pub(crate) struct Interrupt {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupt {
    /// Installs the handlers: the signals no longer end the process.
    pub(crate) fn catch() -> Result<Self, Failure> {
        let of = |kind| signal(kind).map_err(|error| Failure::broken("catch Ctrl+C", &error));
        Ok(Self { interrupt: of(SignalKind::interrupt())?, terminate: of(SignalKind::terminate())? })
    }

    /// Waits for either signal. Cancel safe.
    pub(crate) async fn caught(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
