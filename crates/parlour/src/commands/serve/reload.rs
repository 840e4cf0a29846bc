//! A new certificate without a restart: when its files change, and when a hang-up (SIGHUP) asks for it.

use std::{convert::Infallible, future, sync::Arc, time::Duration};

use parlour_core::limits;
use parlour_server::{Tls, TlsFiles};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::Notify,
};

use crate::failure::Failure;

/// TLS of a running hub.
pub(super) struct Reload {
    tls: Arc<Tls>,
    hang_ups: Option<Signal>,
}

impl Reload {
    /// Reads the files of TLS; a hub without them speaks plain HTTP.
    ///
    /// From here on a hang-up means: read the files again. Without TLS it ends the program, as everybody expects.
    pub(super) fn begin(files: Option<&TlsFiles>) -> Result<Option<Self>, Failure> {
        let Some(files) = files else { return Ok(None) };
        let tls = Tls::load(files.clone()).map_err(|error| {
            Failure::new(error.to_string())
                .hint("check --tls-cert, --tls-key and --client-ca; docs/tls.md makes all three")
        })?;
        let hang_ups = signal(SignalKind::hangup()).ok();
        if hang_ups.is_none() {
            tracing::warn!("a hang-up cannot be caught; changed certificates are still noticed");
        }
        Ok(Some(Self { tls: Arc::new(tls), hang_ups }))
    }

    /// What connections begin with.
    pub(super) fn tls(&self) -> Arc<Tls> {
        Arc::clone(&self.tls)
    }

    async fn run(self) {
        let asked = Notify::new();
        let interval = Duration::from_secs(limits::TLS_LOOK_SECONDS as u64);
        tokio::join!(pass_on(self.hang_ups, &asked), self.tls.keep_fresh(interval, &asked));
    }
}

/// Keeps TLS fresh for as long as it is waited for.
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
