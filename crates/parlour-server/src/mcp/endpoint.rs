//! The way in: what every request of the protocol passes before the protocol sees it.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{FromRef, Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
    routing::get,
};
use bytes::Bytes;
use futures_util::StreamExt as _;
use http_body_util::Full;
use parlour_core::{Code, Refusal, access::Principal, origin::Surface};
use parlour_hub::{
    Hub,
    live::{Session, SessionEnd},
};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use tokio_util::sync::CancellationToken;

use super::{
    desk::{Desk, Desks},
    envelope::Envelope,
    sessions::{McpSession, McpSessions},
};
use crate::{
    extract::{RequestCredential, read_bytes},
    http_error::{HttpError, HttpResult},
    http_guard::{AllowedOrigin, HttpGuard},
    rate_limits::RequestMeter,
    serve::Connection,
};

/// The header that names the session of a request.
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// Who calls, and what is kept in mind of the client: it goes along with the request to the tools.
#[derive(Clone)]
pub(super) struct Visitor {
    pub(super) caller: Principal,
    pub(super) desk: Arc<Desk>,
}

/// One address of the protocol, with what answers there.
pub(super) struct Endpoint<H> {
    hub: Arc<Hub>,
    http_guard: HttpGuard,
    sessions: Arc<McpSessions>,
    desks: Arc<Desks>,
    service: StreamableHttpService<H, LocalSessionManager>,
}

impl<H> Clone for Endpoint<H> {
    fn clone(&self) -> Self {
        Self {
            hub: Arc::clone(&self.hub),
            http_guard: self.http_guard.clone(),
            sessions: Arc::clone(&self.sessions),
            desks: Arc::clone(&self.desks),
            service: self.service.clone(),
        }
    }
}

impl<H> FromRef<Endpoint<H>> for HttpGuard {
    fn from_ref(endpoint: &Endpoint<H>) -> Self {
        endpoint.http_guard.clone()
    }
}

impl<H: ServerHandler> Endpoint<H> {
    /// Serves what `handler` makes: one for each session, or for each request without a session.
    pub(super) fn new(hub: &Arc<Hub>, http_guard: &HttpGuard, handler: impl Fn() -> H + Send + Sync + 'static) -> Self {
        let sessions = Arc::new(McpSessions::new());
        // Hosts, origins and the length of bodies are looked at here, as for every other address.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts().with_json_response(true);
        let service = StreamableHttpService::new(move || Ok(handler()), Arc::clone(&sessions.manager), config);
        Self { hub: Arc::clone(hub), http_guard: http_guard.clone(), sessions, desks: Arc::default(), service }
    }

    /// The address, with the methods of the protocol.
    pub(super) fn route<S: Clone + Send + Sync + 'static>(self, path: &str) -> Router<S> {
        Router::new().route(path, get(serve::<H>).post(serve::<H>).delete(serve::<H>)).with_state(self)
    }
}

/// A foreign page is refused before anybody is looked up, and nobody without a token gets further.
async fn serve<H: ServerHandler>(
    State(endpoint): State<Endpoint<H>>,
    _: AllowedOrigin,
    credential: RequestCredential,
    meter: RequestMeter,
    connection: Connection,
    request: Request,
) -> HttpResult<Response> {
    let hub = &endpoint.hub;
    let caller = meter.authenticate(hub, credential.shown(), hub.sign_in(credential.shown())).await?.over(Surface::Mcp);
    let (parts, body) = request.into_parts();
    let body = read_bytes(Request::new(body)).await?;
    let envelope = Envelope::read(&body)?;
    meter.at_cost(envelope.cost()).charge(hub, &caller)?;
    let call = Call { endpoint: &endpoint, caller, stop: connection.stop, body };
    match session_id(&parts)? {
        Some(id) => call.in_session(parts, &id).await,
        None if envelope.opens_session() => call.opening(parts, &credential).await,
        None => call.alone(parts, &credential).await,
    }
}

/// The session that a request names.
fn session_id(parts: &Parts) -> Result<Option<String>, Refusal> {
    let mut sent = parts.headers.get_all(SESSION_ID).iter();
    match (sent.next(), sent.next()) {
        (None, _) => Ok(None),
        (Some(id), None) => Ok(Some(String::from_utf8_lossy(id.as_bytes()).into_owned())),
        _ => Err(Refusal::invalid("the header Mcp-Session-Id stands twice").at("Mcp-Session-Id")),
    }
}

/// A request whose caller is known and has paid.
struct Call<'a, H> {
    endpoint: &'a Endpoint<H>,
    caller: Principal,
    stop: CancellationToken,
    body: Bytes,
}

impl<H: ServerHandler> Call<'_, H> {
    async fn in_session(self, parts: Parts, id: &str) -> HttpResult<Response> {
        let Endpoint { hub, sessions, .. } = self.endpoint;
        let session = sessions.find(id, &self.caller)?;
        let (stop, is_goodbye) = (self.stop.clone(), parts.method == Method::DELETE);
        let under_way = session.begin(hub);
        let mut response = self.forward(parts, Arc::clone(&session.desk)).await;
        if is_goodbye && response.status().is_success() {
            sessions.close(hub, &session).await;
            // It is done, not only taken: some clients tell the difference.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        Ok(until(response, ended(session, stop), under_way))
    }

    /// A session is known here before its client learns its id, so nobody can use it unknown.
    async fn opening(self, parts: Parts, credential: &RequestCredential) -> HttpResult<Response> {
        let Endpoint { hub, sessions, .. } = self.endpoint;
        sessions.make_room(&self.caller.member).await?;
        let live = open_live(hub, credential).await?;
        let stop = self.stop.clone();
        let response = self.forward(parts, Arc::default()).await;
        if let Some(id) = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()) {
            sessions.add(hub, live, id, stop);
        }
        Ok(response)
    }

    /// A request without a session has one of the hub below it all the same: it ends with its token, also while it waits.
    async fn alone(self, parts: Parts, credential: &RequestCredential) -> HttpResult<Response> {
        let Endpoint { hub, desks, .. } = self.endpoint;
        let live = open_live(hub, credential).await?;
        let desk = desks.of(&self.caller, hub.clock().now());
        let stop = self.stop.clone();
        let response = tokio::select! {
            biased;
            response = self.forward(parts, desk) => response,
            why = over(&live, &stop) => return Err(why.into()),
        };
        let end = async move {
            over(&live, &stop).await;
        };
        Ok(until(response, end, ()))
    }

    /// Hands the request to the protocol.
    async fn forward(self, mut parts: Parts, desk: Arc<Desk>) -> Response {
        parts.extensions.insert(Visitor { caller: self.caller, desk });
        // The borders have looked at the name; a program that names none is let in here as everywhere.
        parts.headers.entry(header::HOST).or_insert(HeaderValue::from_static("localhost"));
        let request = Request::from_parts(parts, Full::new(self.body));
        let mut response = self.endpoint.service.handle(request).await.map(Body::new);
        // A stream must not wait in a proxy until it is long enough.
        response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// The hub's own session below that of the protocol.
async fn open_live(hub: &Arc<Hub>, credential: &RequestCredential) -> Result<Session, HttpError> {
    Ok(hub.open_session(credential.shown()).await?.over(Surface::Mcp))
}

/// Waits until a token has ended or the hub stops, and tells why nothing more is answered.
async fn over(live: &Session, stop: &CancellationToken) -> Refusal {
    tokio::select! {
        biased;
        () = stop.cancelled() => Refusal::new(Code::Stopping, "the hub is stopping"),
        why = live.ended() => match why {
            SessionEnd::Stopping => Refusal::new(Code::Stopping, "the hub is stopping"),
            _ => Refusal::new(Code::Unauthenticated, "this token has ended"),
        },
    }
}

/// Waits until a session has ended or the hub stops.
async fn ended(session: Arc<McpSession>, stop: CancellationToken) {
    tokio::select! {
        () = session.over.cancelled() => {}
        () = stop.cancelled() => {}
    }
}

/// The answer, whose body ends at the latest with `end`; `kept` is dropped with it.
fn until<K: Send + 'static>(response: Response, end: impl Future<Output = ()> + Send + 'static, kept: K) -> Response {
    let is_stream = response.headers().get(header::CONTENT_TYPE).is_some_and(|sort| sort == "text/event-stream");
    if !is_stream {
        return response;
    }
    response.map(|body| {
        let pieces = body.into_data_stream().take_until(Box::pin(end)).map(move |piece| {
            let _ = &kept;
            piece
        });
        Body::from_stream(pieces)
    })
}
