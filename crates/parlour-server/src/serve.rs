//! Connections: accept loop, TLS, HTTP and shutdown. Every wait has a limit, and stopping leaves no connection open.
//!
//! | module | content |
//! |---|---|
//! | `connection_limits` | limits of open connections, in total and per address |
//! | `accept` | TLS handshake and write timeout |
//! | `tls` | certificate files and their reloading |
//! | `connection` | HTTP over one connection |
//! | `activity` | closes connections without a request |
//! | `head_scanner` | finds requests that state the length of their body twice |

mod accept;
mod activity;
mod connection;
mod connection_limits;
#[cfg(test)]
mod fuzz;
mod head_scanner;
mod tls;

#[cfg(test)]
pub(crate) use fuzz::TARGETS as FUZZ;

use std::{io, net::IpAddr, sync::Arc, time::Duration};

use axum::Router;
use hyper_util::{rt::TokioExecutor, server::conn::auto::Builder};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::connection_limits::{ConnectionLimits, ConnectionSlot};
use crate::http_guard::Proxies;

pub(crate) use self::connection::Connection;
pub use self::{
    connection_limits::ServeLimits,
    tls::{Tls, TlsError, TlsFileError, TlsFiles},
};

/// Pause after a failed accept, most often caused by missing file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// TLS, proxies and limits of a server.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// Without it the server uses plain HTTP.
    pub tls: Option<Arc<Tls>>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub proxies: Proxies,
    /// Limits of connections and times.
    pub limits: ServeLimits,
}

/// Serves `app` over plain HTTP until `stop`, as [`serve_with`] does.
pub async fn serve(listener: TcpListener, app: Router, stop: CancellationToken) -> io::Result<()> {
    serve_with(listener, app, ServeOptions::default(), stop).await
}

/// Serves `app` until `stop`, then gives running requests and live sessions a few seconds and closes the rest.
///
/// At the total limit further connections wait to be accepted; at the limit of one address they are closed at once.
pub async fn serve_with(
    listener: TcpListener,
    app: Router,
    options: ServeOptions,
    stop: CancellationToken,
) -> io::Result<()> {
    let slots = ConnectionLimits::new(&options.limits);
    let open = Connections::new(app, options, stop.clone());
    while let Some(slot) = stop.run_until_cancelled(slots.slot()).await {
        let Some(accepted) = stop.run_until_cancelled(listener.accept()).await else { break };
        match accepted {
            Ok((stream, peer)) => {
                if let Some(slot) = slots.take(slot, peer.ip(), &open.transport.proxies) {
                    open.start(stream, peer.ip(), slot);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                stop.run_until_cancelled(tokio::time::sleep(ACCEPT_PAUSE)).await;
            }
        }
    }
    drop(listener);
    open.close().await;
    Ok(())
}

/// State shared by all connections.
struct Transport {
    app: Router,
    builder: Builder<TokioExecutor>,
    tls: Option<Arc<Tls>>,
    proxies: Arc<Proxies>,
    limits: ServeLimits,
}

/// The open connections and their cancellation.
struct Connections {
    transport: Arc<Transport>,
    tasks: TaskTracker,
    stop: CancellationToken,
    cut: CancellationToken,
}

impl Connections {
    fn new(app: Router, options: ServeOptions, stop: CancellationToken) -> Self {
        let ServeOptions { tls, proxies, limits } = options;
        let builder = connection::builder(&limits);
        let transport = Arc::new(Transport { app, builder, tls, proxies: Arc::new(proxies), limits });
        Self { transport, tasks: TaskTracker::new(), stop, cut: CancellationToken::new() }
    }

    /// Serves one connection in a task of its own, which holds its slot.
    fn start(&self, stream: TcpStream, peer: IpAddr, slot: ConnectionSlot) {
        let (tasks, stop, cut) = (self.tasks.clone(), self.stop.clone(), self.cut.clone());
        let connection = Connection { tasks, stop, cut, slot: Some(Arc::new(slot)) };
        let transport = Arc::clone(&self.transport);
        connection.clone().spawn(async move {
            // Boxed: the handshake future is much larger than the rest and is freed afterwards.
            let accepting = Box::pin(accept::accept(stream, transport.tls.clone(), transport.limits));
            match connection.stop.run_until_cancelled(accepting).await {
                Some(Ok(accepted)) => connection::serve(&transport, accepted, peer, connection).await,
                Some(Err(error)) => tracing::debug!(%error, %peer, "a connection was not accepted"),
                None => {}
            }
        });
    }

    /// Waits for running requests and sockets, cancels the rest, and joins all tasks.
    async fn close(self) {
        self.tasks.close();
        if tokio::time::timeout(self.transport.limits.stop_time_max, self.tasks.wait()).await.is_err() {
            tracing::warn!(open = self.tasks.len(), "connections were cut off");
        }
        self.cut.cancel();
        self.tasks.wait().await;
    }
}
