//! Signals: SIGINT and SIGTERM stop the hub, SIGHUP reloads the certificates.

use std::{convert::Infallible, future, sync::Arc, time::Duration};

use parlour_core::limits;
use parlour_server::{Tls, TlsFiles};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::Notify,
};
use tokio_util::sync::CancellationToken;

use crate::failure::Failure;

/// Exit code of an immediate stop.
const EXIT_INTERRUPTED: i32 = 130;

/// A token that is cancelled by SIGINT or SIGTERM; the second signal ends the process at once.
pub(super) fn on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(interrupt), Ok(terminate)) = signals else {
        tracing::warn!("cannot handle signals; a stop will not be clean, but no acknowledged write is lost");
        return stop;
    };
    tokio::spawn(watch(interrupt, terminate, stop.clone()));
    stop
}

async fn watch(mut interrupt: Signal, mut terminate: Signal, stop: CancellationToken) {
    either(&mut interrupt, &mut terminate).await;
    tracing::info!("stopping; a second signal stops at once");
    stop.cancel();
    either(&mut interrupt, &mut terminate).await;
    std::process::exit(EXIT_INTERRUPTED);
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// The certificates of a running hub, and the signal to reload them.
pub(super) struct Reload {
    tls: Arc<Tls>,
    hang_ups: Option<Signal>,
}

impl Reload {
    /// Loads the TLS files; none without TLS.
    ///
    /// With TLS, SIGHUP reloads the files. Without TLS it ends the process, as usual.
    pub(super) fn begin(files: Option<&TlsFiles>) -> Result<Option<Self>, Failure> {
        let Some(files) = files else { return Ok(None) };
        let tls = Tls::load(files.clone()).map_err(|error| {
            Failure::new(error.to_string())
                .hint("check --tls-cert, --tls-key and --client-ca; docs/tls.md shows how to create them")
        })?;
        let hang_ups = signal(SignalKind::hangup()).ok();
        if hang_ups.is_none() {
            tracing::warn!("cannot handle SIGHUP; changed certificate files are still reloaded");
        }
        Ok(Some(Self { tls: Arc::new(tls), hang_ups }))
    }

    pub(super) fn tls(&self) -> Arc<Tls> {
        Arc::clone(&self.tls)
    }

    async fn run(self) {
        let asked = Notify::new();
        let interval = Duration::from_secs(limits::TLS_RELOAD_CHECK_SECONDS as u64);
        tokio::join!(pass_on(self.hang_ups, &asked), self.tls.keep_fresh(interval, &asked));
    }
}

/// Reloads changed certificates until it is dropped.
pub(super) async fn keep_fresh(reload: Option<Reload>) -> Infallible {
    if let Some(reload) = reload {
        reload.run().await;
    }
    future::pending().await
}

async fn pass_on(hang_ups: Option<Signal>, asked: &Notify) {
    let Some(mut hang_ups) = hang_ups else { return };
    while hang_ups.recv().await.is_some() {
        asked.notify_one();
    }
}
