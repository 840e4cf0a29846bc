//! The accept loop: every wait has a limit, and stopping leaves no connection behind.

use std::{io, sync::Arc, time::Duration};

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{
        conn::auto::Builder,
        graceful::{GracefulShutdown, Watcher},
    },
    service::TowerToHyperService,
};
use parlour_core::limits;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Bytes that one connection buffers of a request's head.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Requests that one HTTP/2 connection may have under way.
const STREAMS_MAX: u32 = 100;
/// Seconds that running requests are given when the hub stops.
const STOP_SECONDS_MAX: u64 = 5;
/// How long to wait after a failed accept, most often for want of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves `app` until `stop`, then lets running requests end for a few seconds and closes what is left.
///
/// At most `CONNECTIONS_MAX` connections are open; further ones wait to be accepted.
pub async fn serve(listener: TcpListener, app: Router, stop: CancellationToken) -> io::Result<()> {
    let open = Connections::new(app);
    let slots = Arc::new(Semaphore::new(limits::CONNECTIONS_MAX));
    while let Some(slot) = until(&stop, Arc::clone(&slots).acquire_owned()).await {
        let Some(accepted) = until(&stop, listener.accept()).await else { break };
        match accepted {
            Ok((stream, _)) => open.start(stream, slot),
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                until(&stop, tokio::time::sleep(ACCEPT_PAUSE)).await;
            }
        }
    }
    drop(listener);
    open.close().await;
    Ok(())
}

/// What the future gives, or nothing when the stop comes first.
async fn until<T>(stop: &CancellationToken, future: impl Future<Output = T>) -> Option<T> {
    stop.run_until_cancelled(future).await
}

/// The connections under way and what ends them.
struct Connections {
    builder: Builder<TokioExecutor>,
    app: Router,
    graceful: GracefulShutdown,
    tasks: TaskTracker,
    cut: CancellationToken,
}

impl Connections {
    fn new(app: Router) -> Self {
        let (tasks, cut) = (TaskTracker::new(), CancellationToken::new());
        Self { builder: builder(), app, graceful: GracefulShutdown::new(), tasks, cut }
    }

    /// Serves one connection in a task of its own; `slot` is free again when it ends.
    fn start(&self, stream: TcpStream, slot: impl Send + 'static) {
        // Small answers must not wait for more: without this they can be held back by 40 ms.
        let _ = stream.set_nodelay(true);
        let serving = serve_connection(self.builder.clone(), stream, self.app.clone(), self.graceful.watcher());
        let cut = self.cut.clone();
        self.tasks.spawn(async move {
            cut.run_until_cancelled(serving).await;
            drop(slot);
        });
    }

    /// Lets running requests end, then cuts what is left and waits until all tasks are gone.
    async fn close(self) {
        self.tasks.close();
        let patience = Duration::from_secs(STOP_SECONDS_MAX);
        if tokio::time::timeout(patience, self.graceful.shutdown()).await.is_err() {
            tracing::warn!(open = self.tasks.len(), "connections were cut off");
        }
        self.cut.cancel();
        self.tasks.wait().await;
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    let head_time_max = Duration::from_secs(limits::HEADER_SECONDS_MAX as u64);
    builder.http1().timer(TokioTimer::new()).header_read_timeout(head_time_max).max_buf_size(HEAD_BYTES_MAX);
    let head_bytes_max = u32::try_from(HEAD_BYTES_MAX).expect("16 KiB fit");
    builder.http2().timer(TokioTimer::new()).max_header_list_size(head_bytes_max).max_concurrent_streams(STREAMS_MAX);
    builder
}

async fn serve_connection(builder: Builder<TokioExecutor>, stream: TcpStream, app: Router, watcher: Watcher) {
    let service = TowerToHyperService::new(app);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(connection.into_owned()).await {
        // Clients break off all the time; that is nothing to report.
        tracing::debug!(error = %error, "a connection ended early");
    }
}
