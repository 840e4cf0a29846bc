//! The accept loop: every wait has a limit, and stopping leaves no connection behind.

mod patient;

use std::{convert::Infallible, io, sync::Arc, time::Duration};

use axum::{Extension, Router, extract::FromRequestParts, http::request::Parts};
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
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Layer as _;

use self::patient::Patient;

/// Bytes that one connection buffers of a request's head.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Requests that one HTTP/2 connection may have under way.
const STREAMS_MAX: u32 = 100;
/// Seconds that running requests are given when the hub stops.
const STOP_SECONDS_MAX: u64 = 5;
/// Seconds in which a client takes at least one byte of its answer. Longer than a socket is given, which says why first.
const STALL_SECONDS_MAX: u64 = limits::LIVE_WRITE_SECONDS_MAX as u64 + 5;
/// How long to wait after a failed accept, most often for want of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves `app` until `stop`, then lets running requests and live sessions end for a few seconds and closes what is left.
///
/// At most `CONNECTIONS_MAX` connections are open; further ones wait to be accepted.
pub async fn serve(listener: TcpListener, app: Router, stop: CancellationToken) -> io::Result<()> {
    let open = Connections::new(app, stop.clone());
    let slots = Arc::new(Semaphore::new(limits::CONNECTIONS_MAX));
    while let Some(slot) = until(&stop, Arc::clone(&slots).acquire_owned()).await {
        let slot = slot.expect("the slots are never closed");
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
    stop: CancellationToken,
    cut: CancellationToken,
}

impl Connections {
    fn new(app: Router, stop: CancellationToken) -> Self {
        let (tasks, cut) = (TaskTracker::new(), CancellationToken::new());
        Self { builder: builder(), app, graceful: GracefulShutdown::new(), tasks, stop, cut }
    }

    /// Serves one connection in a task of its own; `slot` is free again when it ends.
    fn start(&self, stream: TcpStream, slot: OwnedSemaphorePermit) {
        // Small answers must not wait for more: without this they can be held back by 40 ms.
        let _ = stream.set_nodelay(true);
        let (tasks, stop, cut) = (self.tasks.clone(), self.stop.clone(), self.cut.clone());
        let connection = Connection { tasks, stop, cut, slot: Some(Arc::new(slot)) };
        let builder = self.builder.clone();
        let serving = serve_connection(builder, stream, self.app.clone(), connection.clone(), self.graceful.watcher());
        connection.spawn(serving);
    }

    /// Lets running requests and sockets end, then cuts what is left and waits until all tasks are gone.
    async fn close(self) {
        self.tasks.close();
        let patience = Duration::from_secs(STOP_SECONDS_MAX);
        let ending = async {
            self.graceful.shutdown().await;
            self.tasks.wait().await;
        };
        if tokio::time::timeout(patience, ending).await.is_err() {
            tracing::warn!(open = self.tasks.len(), "connections were cut off");
        }
        self.cut.cancel();
        self.tasks.wait().await;
    }
}

/// The connection that a request came by, for handlers whose work outlives their answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    /// Cancelled when the hub stops: what has no end of its own ends then.
    pub(crate) stop: CancellationToken,
    tasks: TaskTracker,
    cut: CancellationToken,
    /// Its place among the `CONNECTIONS_MAX`; none when a request came by no connection, as in tests.
    slot: Option<Arc<OwnedSemaphorePermit>>,
}

impl Connection {
    /// Does work that belongs to this connection: the accept loop waits for its end, and cuts it off when it takes too
    /// long to stop.
    pub(crate) fn spawn(self, work: impl Future<Output = ()> + Send + 'static) {
        let Self { tasks, cut, slot, .. } = self;
        // What is passed on by value is kept at each station of its way; boxed, a connection takes a third of the room.
        let work = Box::pin(work);
        tasks.spawn(async move {
            cut.run_until_cancelled(work).await;
            drop(slot);
        });
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Connection {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
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

async fn serve_connection(
    builder: Builder<TokioExecutor>,
    stream: TcpStream,
    app: Router,
    connection: Connection,
    watcher: Watcher,
) {
    // Around the router, not in it: a layer in it would copy every route for every connection.
    let service = TowerToHyperService::new(Extension(connection).layer(app));
    let stream = Patient::new(stream, Duration::from_secs(STALL_SECONDS_MAX));
    let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(serving.into_owned()).await {
        // Clients break off all the time; that is nothing to report.
        tracing::debug!(error = %error, "a connection ended early");
    }
}
