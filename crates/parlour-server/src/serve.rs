//! The accept loop: every wait has a limit, and stopping leaves no connection behind.
//!
//! | part | holds |
//! |---|---|
//! | `places` | how many connections may be open, in all and of one address |
//! | `opening` | the TLS handshake |
//! | `tls` | the certificate, and reading it again |
//! | `streams` | what goes through: given up when nobody reads, noticed when somebody writes |
//! | `connection` | HTTP over one connection, to its end |
//! | `pulse` | how long a connection may be without a request |
//! | `entrance` | what each request learns about its way |

mod bodies;
mod connection;
mod entrance;
mod forwarded;
#[cfg(test)]
mod fuzz;
mod limits;
mod opening;
mod places;
mod pulse;
mod streams;
mod tls;

#[cfg(test)]
pub(crate) use fuzz::TARGETS as FUZZ;

use std::{io, net::IpAddr, sync::Arc, time::Duration};

use axum::Router;
use hyper_util::{rt::TokioExecutor, server::conn::auto::Builder};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::places::{Place, Places};
use crate::borders::Proxies;

pub(crate) use self::connection::Connection;
pub use self::{
    limits::ServeLimits,
    tls::{BadFile, BadTls, Tls, TlsFiles},
};

/// How long to wait after a failed accept, most often for want of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How a hub is reached.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// The certificate; without it plain HTTP is spoken.
    pub tls: Option<Arc<Tls>>,
    /// The proxies whose word on a client's address is believed.
    pub proxies: Proxies,
    /// The bounds.
    pub limits: ServeLimits,
}

/// Serves `app` over plain HTTP until `stop`, as [`serve_with`] does.
pub async fn serve(listener: TcpListener, app: Router, stop: CancellationToken) -> io::Result<()> {
    serve_with(listener, app, ServeOptions::default(), stop).await
}

/// Serves `app` until `stop`, then lets running requests and live sessions end for a few seconds and closes what is left.
///
/// When all places are taken, further connections wait to be accepted; when those of one address are, its further ones
/// are closed at once.
pub async fn serve_with(
    listener: TcpListener,
    app: Router,
    options: ServeOptions,
    stop: CancellationToken,
) -> io::Result<()> {
    let places = Places::new(&options.limits);
    let open = Connections::new(app, options, stop.clone());
    while let Some(slot) = stop.run_until_cancelled(places.slot()).await {
        let Some(accepted) = stop.run_until_cancelled(listener.accept()).await else { break };
        match accepted {
            Ok((stream, peer)) => {
                if let Some(place) = places.take(slot, peer.ip(), &open.transport.proxies) {
                    open.start(stream, peer.ip(), place);
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

/// What all connections share.
struct Transport {
    app: Router,
    builder: Builder<TokioExecutor>,
    tls: Option<Arc<Tls>>,
    proxies: Arc<Proxies>,
    limits: ServeLimits,
}

/// The connections under way and what ends them.
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

    /// Serves one connection in a task of its own; `place` is free again when it ends. The accept loop waits for nobody.
    fn start(&self, stream: TcpStream, peer: IpAddr, place: Place) {
        let (tasks, stop, cut) = (self.tasks.clone(), self.stop.clone(), self.cut.clone());
        let connection = Connection { tasks, stop, cut, place: Some(Arc::new(place)) };
        let transport = Arc::clone(&self.transport);
        connection.clone().spawn(async move {
            // Boxed, because a handshake needs far more room than what follows, and gives it back when it is done.
            let opening = Box::pin(opening::open(stream, transport.tls.clone(), transport.limits));
            match connection.stop.run_until_cancelled(opening).await {
                Some(Ok(opened)) => connection::serve(&transport, opened, peer, connection).await,
                Some(Err(error)) => tracing::debug!(%error, %peer, "a connection was not opened"),
                None => {}
            }
        });
    }

    /// Lets running requests and sockets end, then cuts what is left and waits until all tasks are gone.
    async fn close(self) {
        self.tasks.close();
        if tokio::time::timeout(self.transport.limits.stop_time_max, self.tasks.wait()).await.is_err() {
            tracing::warn!(open = self.tasks.len(), "connections were cut off");
        }
        self.cut.cancel();
        self.tasks.wait().await;
    }
}
