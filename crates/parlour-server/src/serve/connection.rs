//! HTTP over one connection: protocol limits, request extensions, body timeouts and the graceful end.

use std::{
    convert::Infallible,
    future::Future as _,
    io,
    net::IpAddr,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{
    BoxError, Router,
    body::Body as ResponseBody,
    extract::FromRequestParts,
    http::{Request, Response, Version, header, request::Parts},
};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::{
    body::{Body, Frame, Incoming, SizeHint},
    service::Service,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulConnection},
};
use parlour_core::limits;
use tokio::time::{Sleep, sleep};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service as _;

use super::{
    Transport,
    accept::AcceptedStream,
    activity::{Activity, InFlight, ReadTracker},
    connection_limits::{ConnectionSlot, ServeLimits},
    head_scanner::{ConflictingRequest, HeadScanner},
};
use crate::http_guard::{MalformedRequest, PeerAddress, PeerCertificate, Proxies, client_address};

/// Time limit for closing an idle connection.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(1);

/// The connection of a request, for handlers whose work outlives the response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    /// Cancelled when the hub stops; endless responses end then.
    pub(crate) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
    pub(super) cut: CancellationToken,
    /// `None` for requests without a connection, as in tests.
    pub(super) slot: Option<Arc<ConnectionSlot>>,
}

impl Connection {
    /// Runs a task of this connection: shutdown waits for it and cancels it after the time limit.
    pub(crate) fn spawn(self, work: impl Future<Output = ()> + Send + 'static) {
        let Self { tasks, cut, slot, .. } = self;
        // Boxed: a future moved by value is stored at every level; this saves two thirds of the memory per connection.
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

/// Protocol limits of HTTP/1 and HTTP/2. `Activity` enforces the timeouts of HTTP/1, including silent connections.
pub(super) fn builder(limits: &ServeLimits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(limits::HEAD_BYTES_MAX);
    let fits = "a small number";
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(limits::HEAD_BYTES_MAX.try_into().expect(fits))
        .max_concurrent_streams(u32::try_from(limits::HTTP2_REQUESTS_MAX).expect(fits))
        // Limits the rapid-reset attack.
        .max_pending_accept_reset_streams(limits::HTTP2_RESETS_MAX)
        .max_local_error_reset_streams(limits::HTTP2_ERRORS_MAX)
        .keep_alive_interval(limits.ping_interval)
        .keep_alive_timeout(limits.stall_time_max);
    builder
}

/// Serves a connection until it ends, is idle for too long, or the hub stops.
pub(super) fn serve(
    transport: &Transport,
    accepted: AcceptedStream,
    peer: IpAddr,
    connection: Connection,
) -> BoxFuture<'static, ()> {
    let activity = Activity::new(&transport.limits);
    let stop = connection.stop.clone();
    let conflicting = ConflictingRequest::default();
    let scanner = HeadScanner::new(conflicting.clone());
    let service = ConnectionService {
        app: transport.app.clone(),
        connection,
        peer,
        certificate: accepted.certificate,
        proxies: Arc::clone(&transport.proxies),
        activity: Arc::clone(&activity),
        body_time_max: transport.limits.body_time_max,
        conflicting,
        requests: AtomicU64::new(0),
    };
    let stream = TokioIo::new(ReadTracker::new(accepted.stream, Arc::clone(&activity), scanner));
    let serving = transport.builder.serve_connection_with_upgrades(stream, service).into_owned();
    Box::pin(async move {
        // Clients disconnect all the time.
        if let Err(error) = drive(serving, activity, stop).await {
            tracing::debug!(error, "a connection ended early");
        }
    })
}

/// Drives a connection to its end. When the hub stops, running requests may finish; an idle connection gets a second to
/// close.
async fn drive<C>(serving: C, activity: Arc<Activity>, stop: CancellationToken) -> Result<(), BoxError>
where
    C: GracefulConnection<Error = BoxError>,
{
    let mut serving = pin!(serving);
    let is_stop = tokio::select! {
        biased;
        outcome = serving.as_mut() => return outcome,
        () = stop.cancelled() => true,
        () = activity.expired() => false,
    };
    serving.as_mut().graceful_shutdown();
    if is_stop {
        return serving.await;
    }
    tracing::debug!("an idle connection was closed");
    tokio::time::timeout(CLOSE_TIME_MAX, serving).await.unwrap_or(Ok(()))
}

/// The router with the extensions of one connection.
pub(super) struct ConnectionService {
    pub(super) app: Router,
    pub(super) connection: Connection,
    pub(super) peer: IpAddr,
    pub(super) certificate: Option<PeerCertificate>,
    pub(super) proxies: Arc<Proxies>,
    pub(super) activity: Arc<Activity>,
    pub(super) body_time_max: Duration,
    pub(super) conflicting: ConflictingRequest,
    /// Requests so far.
    pub(super) requests: AtomicU64,
}

impl ConnectionService {
    /// The rule of HTTP/1 that the next request of the connection breaks although hyper accepts it.
    fn malformed(&self, request: &Request<Incoming>) -> Option<MalformedRequest> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        if self.conflicting.is(number) {
            return Some(MalformedRequest::TwoLengths);
        }
        let is_host_missing = request.version() == Version::HTTP_11 && !request.headers().contains_key(header::HOST);
        is_host_missing.then_some(MalformedRequest::NoHost)
    }
}

type ResponseFuture = Pin<Box<dyn Future<Output = Result<Response<TrackedBody>, Infallible>> + Send>>;

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn call(&self, mut request: Request<Incoming>) -> ResponseFuture {
        let in_flight = self.activity.begin(request.version());
        let client = client_address(&self.proxies, self.peer, request.headers());
        let malformed = self.malformed(&request);
        let extensions = request.extensions_mut();
        if let Some(malformed) = malformed {
            extensions.insert(malformed);
        }
        extensions.insert(self.connection.clone());
        extensions.insert(PeerAddress(self.peer));
        extensions.insert(client);
        if let Some(certificate) = self.certificate {
            extensions.insert(certificate);
        }
        let time_max = self.body_time_max;
        // A router is always ready, and its clones share the routes.
        let response = self.app.clone().call(request.map(|body| BodyTimeout::new(body, time_max)));
        Box::pin(async move { Ok(response.await?.map(|body| TrackedBody::new(body, in_flight))) })
    }
}

/// A request body that fails when no byte has arrived for `time_max`.
pub(super) struct BodyTimeout<B> {
    body: B,
    time_max: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<B> BodyTimeout<B> {
    pub(super) fn new(body: B, time_max: Duration) -> Self {
        Self { body, time_max, waiting: None }
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for BodyTimeout<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.waiting = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let time_max = self.time_max;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(time_max)));
        ready!(waiting.as_mut().poll(context));
        let late = io::Error::new(io::ErrorKind::TimedOut, "the request body timed out");
        Poll::Ready(Some(Err(late.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A response body that ends its request when dropped.
pub(super) struct TrackedBody {
    body: ResponseBody,
    _request: InFlight,
}

impl TrackedBody {
    pub(super) fn new(body: ResponseBody, request: InFlight) -> Self {
        Self { body, _request: request }
    }
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, Full, StreamBody};
    use tokio::{sync::mpsc, time::Instant};

    use super::*;

    const TIME_MAX: Duration = Duration::from_secs(20);

    fn by_pieces() -> (mpsc::Sender<Bytes>, BodyTimeout<impl Body<Data = Bytes, Error = BoxError> + Unpin>) {
        let (pieces, arriving) = mpsc::channel::<Bytes>(1);
        let stream = futures_util::stream::unfold(arriving, |mut arriving| async {
            let piece = arriving.recv().await?;
            Some((Ok::<_, BoxError>(Frame::data(piece)), arriving))
        });
        (pieces, BodyTimeout::new(StreamBody::new(Box::pin(stream)), TIME_MAX))
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_body_times_out() {
        let (_pieces, body) = by_pieces();
        let began = Instant::now();
        let error = body.collect().await.expect_err("nothing comes");
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        assert_eq!((kind, began.elapsed()), (Some(io::ErrorKind::TimedOut), TIME_MAX));
    }

    #[tokio::test(start_paused = true)]
    async fn every_chunk_restarts_the_timeout() {
        let (pieces, body) = by_pieces();
        tokio::spawn(async move {
            for piece in ["slow", "ly"] {
                sleep(TIME_MAX - Duration::from_secs(1)).await;
                pieces.send(piece.into()).await.expect("taken");
            }
        });
        assert_eq!(body.collect().await.expect("whole").to_bytes(), "slowly");
    }

    #[tokio::test]
    async fn the_size_hint_is_forwarded() {
        let body = BodyTimeout::new(Full::new(Bytes::from_static(b"four")), TIME_MAX);
        assert_eq!((body.size_hint().exact(), body.is_end_stream()), (Some(4), false));
    }
}
