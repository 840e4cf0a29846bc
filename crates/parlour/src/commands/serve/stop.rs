//! Stopping: the first signal asks politely, the second does not wait.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// What the program ends with when it was not allowed to finish: as shells report an interrupted one.
const EXIT_INTERRUPTED: i32 = 130;

/// A token that is cancelled by Ctrl+C or `kill`; the second such signal ends the program at once.
pub(super) fn on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(interrupt), Ok(terminate)) = signals else {
        tracing::warn!("signals cannot be caught; a stop will not be clean, but nothing acknowledged is lost");
        return stop;
    };
    tokio::spawn(watch(interrupt, terminate, stop.clone()));
    stop
}

/// Ends the process itself on the second signal: whoever sends it has waited long enough.
async fn watch(mut interrupt: Signal, mut terminate: Signal, stop: CancellationToken) {
    either(&mut interrupt, &mut terminate).await;
    tracing::info!("stopping; once more stops at once");
    stop.cancel();
    either(&mut interrupt, &mut terminate).await;
    std::process::exit(EXIT_INTERRUPTED);
}

/// Both mean the same: Ctrl+C comes from a terminal, the other from whatever supervises the hub.
async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
