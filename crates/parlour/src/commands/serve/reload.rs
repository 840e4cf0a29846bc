//! A new certificate without a restart: when its files change, and when a hang-up (SIGHUP) asks for it.

use std::{convert::Infallible, future, sync::Arc, time::Duration};

use parlour_core::limits;
use parlour_server::{Tls, TlsFiles};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::Notify,
};

use crate::failure::Failure;

/// Reads the files of TLS; a hub without them speaks plain HTTP.
pub(super) fn load(files: Option<&TlsFiles>) -> Result<Option<Arc<Tls>>, Failure> {
    let load = |files: &TlsFiles| Tls::load(files.clone()).map(Arc::new);
    files.map(load).transpose().map_err(|error| {
        Failure::new(error.to_string()).hint("check --tls-cert, --tls-key and --client-ca; docs/tls.md makes all three")
    })
}

/// Keeps TLS fresh for as long as it is waited for.
pub(super) async fn keep_fresh(tls: Option<Arc<Tls>>) -> Infallible {
    if let Some(tls) = tls {
        let asked = Notify::new();
        let interval = Duration::from_secs(limits::TLS_LOOK_SECONDS as u64);
        tokio::join!(pass_on_hang_ups(&asked), tls.keep_fresh(interval, &asked));
    }
    future::pending().await
}

/// Without TLS a hang-up ends the program, as everybody expects; with TLS it means: read the files again.
async fn pass_on_hang_ups(asked: &Notify) {
    let Ok(mut hang_ups) = signal(SignalKind::hangup()) else {
        tracing::warn!("a hang-up cannot be caught; changed certificates are still noticed");
        return;
    };
    while hang_ups.recv().await.is_some() {
        asked.notify_one();
    }
}
