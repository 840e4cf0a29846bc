//! One connection, from its first byte to its end.

use std::{convert::Infallible, net::IpAddr, pin::pin, sync::Arc, time::Duration};

use axum::{BoxError, extract::FromRequestParts, http::request::Parts};
use futures_util::future::BoxFuture;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulConnection},
};
use parlour_core::limits;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Transport, entrance::Entrance, limits::ServeLimits, opening::Opened, places::Place, pulse::Pulse, streams,
};

/// How long a connection that was given up may take to say good-bye.
const FAREWELL_TIME_MAX: Duration = Duration::from_secs(1);

/// The connection that a request came by, for handlers whose work outlives their answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    /// Cancelled when the hub stops: what has no end of its own ends then.
    pub(crate) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
    pub(super) cut: CancellationToken,
    /// Its place among all connections; none when a request came by no connection, as in tests.
    pub(super) place: Option<Arc<Place>>,
}

impl Connection {
    /// Does work that belongs to this connection: the accept loop waits for its end, and cuts it off when it takes too
    /// long to stop.
    pub(crate) fn spawn(self, work: impl Future<Output = ()> + Send + 'static) {
        let Self { tasks, cut, place, .. } = self;
        // What is passed on by value is kept at each station of its way; boxed, a connection takes a third of the room.
        let work = Box::pin(work);
        tasks.spawn(async move {
            cut.run_until_cancelled(work).await;
            drop(place);
        });
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Connection {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

/// How HTTP is spoken. The times of HTTP/1 are watched by the pulse, which also knows of connections that send nothing.
pub(super) fn builder(limits: &ServeLimits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(limits::HEAD_BYTES_MAX);
    let fits = "a small number";
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(limits::HEAD_BYTES_MAX.try_into().expect(fits))
        .max_concurrent_streams(u32::try_from(limits::HTTP2_REQUESTS_MAX).expect(fits))
        // Whoever asks and takes it back, again and again, is cut off (rapid reset).
        .max_pending_accept_reset_streams(limits::HTTP2_RESETS_MAX)
        .max_local_error_reset_streams(limits::HTTP2_ERRORS_MAX)
        .keep_alive_interval(limits.ping_interval)
        .keep_alive_timeout(limits.stall_time_max);
    builder
}

/// Serves what has been opened until it ends, is idle for too long, or the hub stops.
pub(super) fn serve(
    transport: &Transport,
    opened: Opened,
    peer: IpAddr,
    connection: Connection,
) -> BoxFuture<'static, ()> {
    let pulse = Pulse::new(&transport.limits);
    let stop = connection.stop.clone();
    let entrance = Entrance {
        app: transport.app.clone(),
        connection,
        peer,
        certificate: opened.certificate,
        proxies: Arc::clone(&transport.proxies),
        pulse: Arc::clone(&pulse),
        body_time_max: transport.limits.body_time_max,
    };
    let stream = TokioIo::new(streams::Heard::new(opened.stream, Arc::clone(&pulse)));
    let serving = transport.builder.serve_connection_with_upgrades(stream, entrance).into_owned();
    Box::pin(async move {
        // Clients break off all the time; that is nothing to report.
        if let Err(error) = drive(serving, pulse, stop).await {
            tracing::debug!(error, "a connection ended early");
        }
    })
}

/// Drives a connection to its end. When the hub stops it may finish what is under way; when it is idle for too long it
/// gets a moment for its good-bye.
async fn drive<C>(serving: C, pulse: Arc<Pulse>, stop: CancellationToken) -> Result<(), BoxError>
where
    C: GracefulConnection<Error = BoxError>,
{
    let mut serving = pin!(serving);
    let is_stop = tokio::select! {
        biased;
        outcome = serving.as_mut() => return outcome,
        () = stop.cancelled() => true,
        () = pulse.expired() => false,
    };
    serving.as_mut().graceful_shutdown();
    if is_stop {
        return serving.await;
    }
    tracing::debug!("a connection without a request was closed");
    tokio::time::timeout(FAREWELL_TIME_MAX, serving).await.unwrap_or(Ok(()))
}
