//! The HTTP endpoint of MCP: checks the origin, authenticates, charges the rate limit and finds the session of a request,
//! then passes it to rmcp.

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
use parlour_core::{Code, Refusal, access::Principal, attribution::Surface, rate::Cost};
use parlour_hub::{
    Hub,
    live::{Session, SessionEnd},
};
use rmcp::{
    ServerHandler,
    model::ProtocolVersion,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    client_state::{ClientState, SessionlessClients},
    request::McpClient,
    sessions::{McpSession, McpSessions, Priming},
    tools,
};
use crate::{
    extract::{RequestCredential, json, read_bytes},
    http_error::{HttpError, HttpResult},
    http_guard::{AllowedOrigin, HttpGuard},
    rate_limits::RequestMeter,
    serve::Connection,
};

/// The request header that contains the session id.
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

type RmcpService<H> = StreamableHttpService<H, LocalSessionManager>;

/// One path at which MCP is served.
pub(super) struct Endpoint<H> {
    hub: Arc<Hub>,
    http_guard: HttpGuard,
    sessions: Arc<McpSessions>,
    sessionless: Arc<SessionlessClients>,
    /// Serves sessions whose streams begin with a priming event.
    primed: RmcpService<H>,
    /// Serves all other requests.
    plain: RmcpService<H>,
}

impl<H> Clone for Endpoint<H> {
    fn clone(&self) -> Self {
        Self {
            hub: Arc::clone(&self.hub),
            http_guard: self.http_guard.clone(),
            sessions: Arc::clone(&self.sessions),
            sessionless: Arc::clone(&self.sessionless),
            primed: self.primed.clone(),
            plain: self.plain.clone(),
        }
    }
}

impl<H> FromRef<Endpoint<H>> for HttpGuard {
    fn from_ref(endpoint: &Endpoint<H>) -> Self {
        endpoint.http_guard.clone()
    }
}

impl<H: ServerHandler> Endpoint<H> {
    /// Creates an endpoint that calls `handler` once per session, or once per request without a session.
    pub(super) fn new(hub: &Arc<Hub>, http_guard: &HttpGuard, handler: impl Fn() -> H + Send + Sync + 'static) -> Self {
        let sessions = Arc::new(McpSessions::new());
        let handler = Arc::new(handler);
        let service = |priming: Priming| {
            let handler = Arc::clone(&handler);
            // The HTTP guard checks hosts, and this endpoint checks origins and body sizes, as for every other path.
            let config = StreamableHttpServerConfig::default().disable_allowed_hosts().with_json_response(true);
            let config = config.with_sse_retry(priming.retry());
            RmcpService::new(move || Ok(handler()), Arc::clone(sessions.manager(priming)), config)
        };
        let (primed, plain) = (service(Priming::Sent), service(Priming::Omitted));
        Self {
            hub: Arc::clone(hub),
            http_guard: http_guard.clone(),
            sessions,
            sessionless: Arc::default(),
            primed,
            plain,
        }
    }

    fn service(&self, priming: Priming) -> &RmcpService<H> {
        match priming {
            Priming::Sent => &self.primed,
            Priming::Omitted => &self.plain,
        }
    }

    /// Routes the HTTP methods of the protocol to this endpoint.
    pub(super) fn route<S: Clone + Send + Sync + 'static>(self, path: &str) -> Router<S> {
        Router::new().route(path, get(serve::<H>).post(serve::<H>).delete(serve::<H>)).with_state(self)
    }
}

/// Refuses foreign origins before it reads the credential, and unauthenticated requests before it reads the body.
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
    let method = RpcMethod::read(&body)?;
    meter.at_cost(method.cost()).charge(hub, &caller)?;
    let request = AuthenticatedRequest { endpoint: &endpoint, caller, stop: connection.stop, body };
    match session_id(&parts)? {
        Some(id) => request.in_session(parts, &id).await,
        None if method.opens_session() => request.open_session(parts, &credential, method.priming()).await,
        None => request.without_session(parts, &credential).await,
    }
}

/// The session id of a request.
fn session_id(parts: &Parts) -> Result<Option<String>, Refusal> {
    let mut sent = parts.headers.get_all(SESSION_ID).iter();
    match (sent.next(), sent.next()) {
        (None, _) => Ok(None),
        (Some(id), None) => Ok(Some(String::from_utf8_lossy(id.as_bytes()).into_owned())),
        _ => Err(Refusal::invalid("send the header Mcp-Session-Id only once").at("Mcp-Session-Id")),
    }
}

/// The method of a JSON-RPC message, with the parameters that the endpoint needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RpcMethod {
    name: String,
    /// The tool of a `tools/call`.
    tool: Option<String>,
    /// The revision that `initialize` asks for.
    revision: Option<String>,
}

impl RpcMethod {
    /// Reads the method of a body. Deep nesting and duplicate keys are refused here, as in every body; rmcp refuses
    /// bodies that are not messages of the protocol.
    fn read(body: &[u8]) -> Result<Self, Refusal> {
        match json::read_value(body) {
            Ok(value) => Ok(Self::of(&value)),
            Err(refusal) if refusal.code == Code::MalformedJson => Ok(Self::default()),
            Err(refusal) => Err(refusal),
        }
    }

    fn of(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let name = text(&value["method"]).unwrap_or_default();
        let tool = text(&value["params"]["name"]).filter(|_| name == "tools/call");
        let revision = text(&value["params"]["protocolVersion"]).filter(|_| name == "initialize");
        Self { name, tool, revision }
    }

    fn opens_session(&self) -> bool {
        self.name == "initialize"
    }

    /// Revision 2025-11-25 introduced priming events. Clients of older revisions report them as invalid messages, and a
    /// client of an unknown revision may be older.
    fn priming(&self) -> Priming {
        let known =
            ProtocolVersion::KNOWN_VERSIONS.iter().find(|known| Some(known.as_str()) == self.revision.as_deref());
        match known {
            Some(revision) if *revision >= ProtocolVersion::V_2025_11_25 => Priming::Sent,
            _ => Priming::Omitted,
        }
    }

    /// Tools that change something cost as much as the routes that make the same change; everything else is a read.
    fn cost(&self) -> Cost {
        let is_change = self.tool.as_deref().is_some_and(tools::changes_something);
        if is_change { Cost::Change } else { Cost::Read }
    }
}

/// A request that is authenticated and charged.
struct AuthenticatedRequest<'a, H> {
    endpoint: &'a Endpoint<H>,
    caller: Principal,
    stop: CancellationToken,
    body: Bytes,
}

impl<H: ServerHandler> AuthenticatedRequest<'_, H> {
    async fn in_session(self, parts: Parts, id: &str) -> HttpResult<Response> {
        let Endpoint { hub, sessions, .. } = self.endpoint;
        let session = sessions.find(id, &self.caller)?;
        let (stop, is_delete) = (self.stop.clone(), parts.method == Method::DELETE);
        let open_request = session.begin_request(hub);
        let mut response = self.forward(parts, Arc::clone(&session.client), session.priming).await;
        if is_delete && response.status().is_success() {
            sessions.close(hub, &session).await;
            // rmcp answers 202; the session has ended already, and some clients expect 204.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        Ok(end_stream_with(response, session_end(session, stop), open_request))
    }

    /// Registers the session before its id is sent to the client, so that every later request finds it.
    async fn open_session(
        self,
        parts: Parts,
        credential: &RequestCredential,
        priming: Priming,
    ) -> HttpResult<Response> {
        let Endpoint { hub, sessions, .. } = self.endpoint;
        sessions.make_room(&self.caller.member).await?;
        let live = open_live_session(hub, credential).await?;
        let stop = self.stop.clone();
        let response = self.forward(parts, Arc::default(), priming).await;
        if let Some(id) = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()) {
            sessions.add(hub, live, id, priming, stop);
        }
        Ok(response)
    }

    /// Opens a live session of the hub for the duration of the request: it ends when the token ends, also while it waits.
    async fn without_session(self, parts: Parts, credential: &RequestCredential) -> HttpResult<Response> {
        let Endpoint { hub, sessionless, .. } = self.endpoint;
        let live = open_live_session(hub, credential).await?;
        let client = sessionless.state_of(&self.caller, hub.clock().now());
        let stop = self.stop.clone();
        let response = tokio::select! {
            biased;
            response = self.forward(parts, client, Priming::Omitted) => response,
            refusal = token_end(&live, &stop) => return Err(refusal.into()),
        };
        let end = async move {
            token_end(&live, &stop).await;
        };
        Ok(end_stream_with(response, end, ()))
    }

    /// Passes the request to rmcp.
    async fn forward(self, mut parts: Parts, client: Arc<ClientState>, priming: Priming) -> Response {
        parts.extensions.insert(McpClient { caller: self.caller, state: client });
        // rmcp requires a host; the HTTP guard has checked it, and accepts requests without one.
        parts.headers.entry(header::HOST).or_insert(HeaderValue::from_static("localhost"));
        let request = Request::from_parts(parts, Full::new(self.body));
        let mut response = self.endpoint.service(priming).handle(request).await.map(Body::new);
        // Proxies must not buffer an event stream.
        response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// Opens a live session of the hub, which ends with its token.
async fn open_live_session(hub: &Arc<Hub>, credential: &RequestCredential) -> Result<Session, HttpError> {
    Ok(hub.open_session(credential.shown()).await?.over(Surface::Mcp))
}

/// Waits until the token ends or the hub stops, and returns the matching refusal.
async fn token_end(live: &Session, stop: &CancellationToken) -> Refusal {
    tokio::select! {
        biased;
        () = stop.cancelled() => Refusal::new(Code::Stopping, "the hub is stopping"),
        end = live.ended() => match end {
            SessionEnd::Stopping => Refusal::new(Code::Stopping, "the hub is stopping"),
            _ => Refusal::new(Code::Unauthenticated, "this token has ended"),
        },
    }
}

/// Waits until the session ends or the hub stops.
async fn session_end(session: Arc<McpSession>, stop: CancellationToken) {
    tokio::select! {
        () = session.ended.cancelled() => {}
        () = stop.cancelled() => {}
    }
}

/// Ends the body of an event stream when `end` resolves; `guard` is dropped with the body.
fn end_stream_with<G: Send + 'static>(
    response: Response,
    end: impl Future<Output = ()> + Send + 'static,
    guard: G,
) -> Response {
    let content_type = response.headers().get(header::CONTENT_TYPE);
    if content_type.is_none_or(|value| value != "text/event-stream") {
        return response;
    }
    response.map(|body| {
        let chunks = body.into_data_stream().take_until(Box::pin(end)).map(move |chunk| {
            let _ = &guard;
            chunk
        });
        Body::from_stream(chunks)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(body: &str) -> RpcMethod {
        RpcMethod::read(body.as_bytes()).expect("a body")
    }

    #[test]
    fn only_tools_that_change_something_cost_as_much_as_a_change() {
        let call = |tool: &str| format!(r#"{{"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
        assert_eq!(method(&call("post_message")).cost(), Cost::Change);
        for body in [call("channel_history"), call("unknown"), r#"{"method":"tools/list"}"#.to_owned()] {
            assert_eq!(method(&body).cost(), Cost::Read, "{body}");
        }
    }

    #[test]
    fn only_initialize_opens_a_session() {
        assert!(method(r#"{"method":"initialize"}"#).opens_session());
        assert!(!method(r#"{"method":"tools/call","params":{"name":"initialize"}}"#).opens_session());
    }

    #[test]
    fn priming_events_begin_with_revision_2025_11_25() {
        let initialize = |revision: &str| {
            method(&format!(r#"{{"method":"initialize","params":{{"protocolVersion":"{revision}"}}}}"#)).priming()
        };
        for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "1999-01-01", "2025-11-26", "DRAFT-2025", ""] {
            assert_eq!(initialize(revision), Priming::Omitted, "{revision}");
        }
        for revision in ["2025-11-25", "2026-07-28"] {
            assert_eq!(initialize(revision), Priming::Sent, "{revision}");
        }
        assert_eq!(method(r#"{"method":"initialize"}"#).priming(), Priming::Omitted);
    }

    #[test]
    fn hostile_json_is_refused_and_other_bodies_are_passed_to_rmcp() {
        for body in ["", "nonsense", "[]", "7", r#"{"method":7}"#] {
            assert_eq!(method(body), RpcMethod::default(), "{body}");
        }
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(RpcMethod::read(deep.as_bytes()).expect_err("deep").code, Code::TooDeep);
        let duplicate = RpcMethod::read(br#"{"method":"a","method":"b"}"#);
        assert_eq!(duplicate.expect_err("duplicate").code, Code::DuplicateKey);
    }
}
