//! Middleware of every request: request id, log line, problem document, common headers, time limit, and the audit log of
//! refused changes.

use std::{
    any::Any,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use parlour_core::{Code, Refusal, access::Principal, attribution::Surface, id::ProjectId, limits};
use parlour_hub::{Fault, Hub};
use tracing::{Instrument as _, Span, field::Empty};

use crate::{
    http_error::{HttpError, Problem},
    http_guard::AuthenticatedCaller,
};

/// The header that carries the id of a request both ways.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

/// W3C Trace Context.
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

const SERVER_ERROR: u16 = 500;

/// Slower requests are logged at `info`.
const SLOW: Duration = Duration::from_secs(1);

/// Assigns request ids: the client's own id when it is safe to log, otherwise the next number of this process.
#[derive(Clone, Debug)]
pub(crate) struct RequestIds {
    instance: Arc<str>,
    given: Arc<AtomicU64>,
}

impl RequestIds {
    pub(crate) fn new(instance: &str) -> Self {
        Self { instance: instance.into(), given: Arc::default() }
    }

    fn id_for(&self, headers: &HeaderMap) -> String {
        let own = text_in(headers, &REQUEST_ID).filter(|text| is_loggable(text, limits::REQUEST_ID_CHARS_MAX));
        own.map_or_else(|| self.next_id(), str::to_owned)
    }

    fn next_id(&self) -> String {
        format!("{}-{}", self.instance, self.given.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

fn text_in<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether a client's id may be logged.
fn is_loggable(id: &str, chars_max: usize) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    (1..=chars_max).contains(&id.len()) && id.bytes().all(is_plain)
}

/// The client's correlation id or trace id; values that are not safe to log are ignored.
fn correlation_id(headers: &HeaderMap) -> Option<&str> {
    let named = text_in(headers, &CORRELATION_ID).filter(|id| is_loggable(id, limits::CORRELATION_ID_CHARS_MAX));
    named.or_else(|| text_in(headers, &TRACE_PARENT).and_then(trace_id))
}

/// The trace id in `version-trace-parent-flags`.
fn trace_id(parent: &str) -> Option<&str> {
    let trace = parent.split('-').nth(1)?;
    let is_id = trace.len() == 32 && trace.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_id && parent.len() == 55).then_some(trace)
}

/// Runs a request in its span and completes the response. Tokens, bodies and queries are never logged; of the path only
/// the route pattern, of a message only its correlation id.
pub(crate) async fn surround(
    ids: &RequestIds,
    request: Request,
    next: impl AsyncFnOnce(Request) -> Response,
) -> Response {
    let id = ids.id_for(request.headers());
    let span = span(&id, &request);
    let started = Instant::now();
    let response = next(request).instrument(span.clone()).await;
    let latency = started.elapsed();
    if let Some(caller) = response.extensions().get::<AuthenticatedCaller>().and_then(AuthenticatedCaller::get) {
        span.record("member_id", caller.member.as_str());
    }
    span.in_scope(|| finish(response, &id, latency))
}

/// Marks a long-polling response, which is not logged as slow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongPoll;

fn span(id: &str, request: &Request) -> Span {
    let route = request.extensions().get::<MatchedPath>().map_or("(none)", MatchedPath::as_str);
    let surface = match route {
        "/live" => Surface::Live,
        "/events" => Surface::Events,
        crate::mcp::PATH => Surface::Mcp,
        _ => Surface::Http,
    };
    tracing::info_span!(
        "request",
        request_id = id,
        correlation_id = correlation_id(request.headers()),
        method = request.method().as_str(),
        route,
        surface = surface.as_str(),
        member_id = Empty,
    )
}

fn finish(mut response: Response, id: &str, latency: Duration) -> Response {
    let http_error = response.extensions_mut().remove::<HttpError>();
    let is_slow = latency >= SLOW && response.extensions().get::<LongPoll>().is_none();
    log_answer(response.status().as_u16(), http_error.as_ref(), latency, is_slow);
    if let Some(http_error) = http_error {
        Problem::new(&http_error, id).write_into(&mut response);
    }
    add_headers(response.headers_mut(), id);
    response
}

/// Logs a request at `debug`, a slow one at `info`, a server error at `warn` and a fault at `error`.
fn log_answer(status: u16, http_error: Option<&HttpError>, latency: Duration, is_slow: bool) {
    let latency_us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
    let code = http_error.map(|http_error| http_error.code().as_str());
    match http_error.and_then(HttpError::fault) {
        Some(fault) => tracing::error!(status, code, latency_us, cause = fault.chain(), "a request failed"),
        None if status >= SERVER_ERROR => tracing::warn!(status, code, latency_us, "a request was not served"),
        None if is_slow => tracing::info!(status, code, latency_us, "answered slowly"),
        None => tracing::debug!(status, code, latency_us, "answered"),
    }
}

/// Headers of every response; `Cache-Control` of an asset is kept.
fn add_headers(headers: &mut HeaderMap, id: &str) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let id = HeaderValue::from_str(id).expect("an id is visible ASCII: checked by is_loggable");
    headers.insert(REQUEST_ID, id);
}

/// Ends a request at its time limit.
pub(crate) async fn limit_time(State(time_max): State<Duration>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(time_max, next.run(request)).await {
        Ok(response) => response,
        Err(_) => refuse_late(time_max).into_response(),
    }
}

pub(crate) fn refuse_late(time_max: Duration) -> HttpError {
    Refusal::new(Code::TimedOut, format!("the request took longer than {} seconds", time_max.as_secs())).into()
}

/// Turns a panic of a handler into an internal error.
#[expect(clippy::needless_pass_by_value, reason = "the signature is that of a panic handler")]
pub(crate) fn answer_panic(panic: Box<dyn Any + Send + 'static>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
    HttpError::from(Fault::new("handle a request", format!("panic: {text}"))).into_response()
}

/// Refuses a method; the router adds the header `Allow`.
pub(crate) async fn refuse_method() -> HttpError {
    Refusal::new(Code::NoMethod, "this path does not support the method; the header Allow lists the supported ones")
        .into()
}

/// Separates the ids of a subject.
const ID_SEPARATOR: &str = "/";

/// Records a refused change in the audit log. Reads and unauthenticated requests are not recorded: anybody could flood the
/// log with them.
pub(crate) async fn record_refusals(
    hub: &Hub,
    request: Request,
    next: impl AsyncFnOnce(Request) -> Response,
) -> Response {
    let attempt = RefusedChange::of(&request);
    let caller = request.extensions().get::<AuthenticatedCaller>().cloned();
    let response = next(request).await;
    let code = response.extensions().get::<HttpError>().map(HttpError::code);
    if let (Some(attempt), Some(code)) = (attempt, code)
        && let Some(caller) = caller.as_ref().and_then(AuthenticatedCaller::get)
    {
        record_refused_change(hub, &caller.clone().over(Surface::Http), attempt, code).await;
    }
    response
}

/// Records a refusal of this caller when it is about permissions.
pub(crate) async fn record_refused_change(hub: &Hub, caller: &Principal, attempt: RefusedChange, code: Code) {
    if matches!(code, Code::Forbidden | Code::MissingScope) {
        let RefusedChange { action, project, subject } = attempt;
        hub.note_refusal(caller.attribution(hub.clock().now()), &action, project, subject, code).await;
    }
}

/// A change that was refused, as the audit log names it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RefusedChange {
    action: String,
    project: Option<ProjectId>,
    subject: Option<String>,
}

impl RefusedChange {
    pub(crate) fn new(action: &str) -> Self {
        Self { action: action.to_owned(), project: None, subject: None }
    }

    /// The method and route pattern of a changing request, with the ids of its path as subject; `None` for reads.
    fn of(request: &Request) -> Option<Self> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
        let path = request.extensions().get::<MatchedPath>().filter(|_| !is_read)?;
        let ids = ids_in(path.as_str(), request.uri().path());
        Some(Self {
            action: format!("{} {}", request.method(), path.as_str()),
            project: ids.iter().find_map(|id| id.parse().ok()),
            subject: (!ids.is_empty()).then(|| ids.join(ID_SEPARATOR)),
        })
    }
}

/// The ids in a path. Other path parts may be arbitrary text and are not logged.
fn ids_in<'a>(described: &str, path: &'a str) -> Vec<&'a str> {
    let pairs = described.split('/').zip(path.split('/'));
    let parts = pairs.filter(|(name, _)| name.starts_with('{')).map(|(_, part)| part);
    parts.filter(|part| is_id(part)).collect()
}

fn is_id(text: &str) -> bool {
    let Some((prefix, tail)) = text.split_once('_') else { return false };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (2..=3).contains(&prefix.len())
        && prefix.bytes().all(|byte| byte.is_ascii_lowercase())
        && (1..=limits::ID_TAIL_CHARS_MAX).contains(&tail.len())
        && tail.bytes().all(is_plain)
}

#[cfg(test)]
mod answer_tests {
    use axum::{Router, body::Body, body::to_bytes, middleware, routing::get};
    use tower::ServiceExt as _;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;

    async fn panic_now() -> String {
        panic!("secret {}", 7)
    }

    async fn problem_at(path: &str) -> (u16, serde_json::Value) {
        let router: Router = Router::new()
            .route("/panic", get(panic_now))
            .route("/endless", get(std::future::pending::<()>))
            .layer(middleware::from_fn_with_state(Duration::ZERO, limit_time))
            .layer(CatchPanicLayer::custom(answer_panic))
            .layer(middleware::from_fn(async |request: Request, next: Next| {
                surround(&RequestIds::new("run"), request, async |request| next.run(request).await).await
            }));
        let request = Request::builder().uri(path).body(Body::empty()).expect("request");
        let response = router.oneshot(request).await.expect("infallible");
        let (status, body) = (response.status().as_u16(), response.into_body());
        let bytes = to_bytes(body, 10_000).await.expect("body");
        (status, serde_json::from_slice(&bytes).expect("JSON"))
    }

    #[tokio::test]
    async fn a_panic_becomes_an_internal_error() {
        let (status, problem) = problem_at("/panic").await;
        assert_eq!((status, &problem["code"]), (500, &"PARLOUR-S03".into()));
        assert!(!problem.to_string().contains("secret"), "{problem}");
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_is_ended() {
        let (status, problem) = problem_at("/endless").await;
        assert_eq!((status, &problem["code"]), (408, &"PARLOUR-S05".into()));
        assert_eq!(problem["retryable"], true);
    }

    fn id_for(sent: &'static str) -> String {
        let headers = HeaderMap::from_iter([(REQUEST_ID, HeaderValue::from_static(sent))]);
        RequestIds::new("run").id_for(&headers)
    }

    #[test]
    fn a_loggable_id_of_the_client_is_kept() {
        assert_eq!(id_for("trace-7.b_C"), "trace-7.b_C");
    }

    #[test]
    fn other_ids_are_replaced() {
        const LONG: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
        for sent in ["", "a b", "a\tb", "<b>", "a,b", "a\\nb", LONG] {
            assert_eq!(id_for(sent), "run-1", "{sent}");
        }
    }

    fn correlation(sent: &[(HeaderName, &'static str)]) -> Option<String> {
        let pairs = sent.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        correlation_id(&HeaderMap::from_iter(pairs)).map(str::to_owned)
    }

    #[test]
    fn the_correlation_id_of_the_client_is_used() {
        const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(correlation(&[(CORRELATION_ID, "run:7")]).as_deref(), Some("run:7"));
        assert_eq!(correlation(&[(TRACE_PARENT, TRACE)]).as_deref(), Some("0af7651916cd43dd8448eb211c80319c"));
        assert_eq!(correlation(&[(TRACE_PARENT, TRACE), (CORRELATION_ID, "mine")]).as_deref(), Some("mine"));
    }

    #[test]
    fn unsafe_correlation_ids_are_ignored() {
        assert_eq!(correlation(&[(CORRELATION_ID, "a b")]), None);
        for parent in
            ["", "00", "00-xyz-1-1", "00-0af7651916cd43dd8448eb211c80319c", "00-0af7651916cd43dd8448eb211c8031é"]
        {
            assert_eq!(trace_id(parent), None, "{parent}");
        }
    }

    #[test]
    fn each_request_has_another_id() {
        let ids = RequestIds::new("run");
        assert_eq!([ids.next_id(), ids.clone().next_id()], ["run-1", "run-2"]);
    }
}

#[cfg(test)]
mod refused_tests {
    use super::*;

    #[test]
    fn only_ids_are_taken_from_a_path() {
        let cases: [(&str, &str, &[&str]); 5] = [
            ("/channels/{id}", "/channels/chn_1", &["chn_1"]),
            ("/channels/{id}/members/{member_id}", "/channels/chn_1/members/agt_2", &["chn_1", "agt_2"]),
            ("/messages/{id}/reactions/{emoji}", "/messages/msg_1/reactions/secret", &["msg_1"]),
            ("/messages/{id}/reactions/{emoji}", "/messages/msg_1/reactions/%F0%9F%91%8D", &["msg_1"]),
            ("/people", "/people", &[]),
        ];
        for (described, path, ids) in cases {
            assert_eq!(ids_in(described, path), ids, "{path}");
        }
    }

    #[test]
    fn an_id_has_a_prefix_and_bounds() {
        let long = format!("msg_{}", "x".repeat(61));
        for text in ["", "msg", "msg_", "_1", "MSG_1", "msg_a b", "msg_%41", "m_1", long.as_str()] {
            assert!(!is_id(text), "{text}");
        }
        assert!(is_id("msg_1") && is_id("dm_x-Y_z"));
    }
}
