//! What surrounds every request: its id, its log line, its problem document, its headers, its end.

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
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use parlour_core::{Code, Refusal, limits, origin::Surface};
use parlour_hub::Fault;
use tracing::{Instrument as _, Span, field::Empty};

use crate::{borders::KnownCaller, denied::Denied, problem::Problem};

/// The header that carries the id of a request both ways.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header by which a client names what several requests belong to.
const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

/// The header of a distributed trace (W3C Trace Context).
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// From here on a status tells of trouble that the hub is in.
const STATUS_OF_TROUBLE: u16 = 500;

/// A request that takes longer is told in the log by itself.
const SLOW: Duration = Duration::from_secs(1);

/// Gives requests their ids: the client's own where it is harmless in a log, otherwise the next number of this run.
#[derive(Clone, Debug)]
pub(crate) struct RequestIds {
    instance: Arc<str>,
    given: Arc<AtomicU64>,
}

impl RequestIds {
    /// Ids of the run of the hub that has this name.
    pub(crate) fn new(instance: &str) -> Self {
        Self { instance: instance.into(), given: Arc::default() }
    }

    fn id_for(&self, headers: &HeaderMap) -> String {
        let own = text_in(headers, &REQUEST_ID).filter(|text| is_harmless(text, limits::REQUEST_ID_CHARS_MAX));
        own.map_or_else(|| self.next_id(), str::to_owned)
    }

    fn next_id(&self) -> String {
        format!("{}-{}", self.instance, self.given.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

fn text_in<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether an id that somebody else has chosen may stand in the log.
fn is_harmless(id: &str, chars_max: usize) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    (1..=chars_max).contains(&id.len()) && id.bytes().all(is_plain)
}

/// What the client says that its request belongs to; what could do harm in a log is passed over.
fn correlation_id(headers: &HeaderMap) -> Option<&str> {
    let named = text_in(headers, &CORRELATION_ID).filter(|id| is_harmless(id, limits::CORRELATION_ID_CHARS_MAX));
    named.or_else(|| text_in(headers, &TRACE_PARENT).and_then(trace_id))
}

/// The id of the trace in `version-trace-parent-flags`.
fn trace_id(parent: &str) -> Option<&str> {
    let trace = parent.split('-').nth(1)?;
    let is_id = trace.len() == 32 && trace.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_id && parent.len() == 55).then_some(trace)
}

/// Runs a request in its span and finishes its answer. Neither tokens nor bodies nor queries reach the log: of the path
/// only the pattern of its route, and of a message only the correlation id that its author gave it.
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
    if let Some(caller) = response.extensions().get::<KnownCaller>().and_then(KnownCaller::get) {
        span.record("member_id", caller.member.as_str());
    }
    span.in_scope(|| finish(response, &id, latency))
}

/// An answer that took its time because its caller wanted to wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited;

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
    let denied = response.extensions_mut().remove::<Denied>();
    // Whoever waits for something is answered late because nothing happened.
    let is_slow = latency >= SLOW && response.extensions().get::<Waited>().is_none();
    log_answer(response.status().as_u16(), denied.as_ref(), latency, is_slow);
    if let Some(denied) = denied {
        Problem::new(&denied, id).write_into(&mut response);
    }
    add_headers(response.headers_mut(), id);
    response
}

/// The line of a request: a detail for those who look for it, unless something was wrong with the hub or slow.
fn log_answer(status: u16, denied: Option<&Denied>, latency: Duration, is_slow: bool) {
    let latency_us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
    let code = denied.map(|denied| denied.code().as_str());
    match denied.and_then(Denied::fault) {
        Some(fault) => tracing::error!(status, code, latency_us, cause = fault.chain(), "a request met a fault"),
        None if status >= STATUS_OF_TROUBLE => tracing::warn!(status, code, latency_us, "a request was not done"),
        None if is_slow => tracing::info!(status, code, latency_us, "answered slowly"),
        None => tracing::debug!(status, code, latency_us, "answered"),
    }
}

/// Headers that every answer has; an asset's own word on caching stays.
fn add_headers(headers: &mut HeaderMap, id: &str) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let id = HeaderValue::from_str(id).expect("an id is visible ASCII: checked by is_harmless");
    headers.insert(REQUEST_ID, id);
}

/// Ends a request that takes longer than this.
pub(crate) async fn limit_time(State(time_max): State<Duration>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(time_max, next.run(request)).await {
        Ok(response) => response,
        Err(_) => refuse_late(time_max).into_response(),
    }
}

/// The word to a request that took longer than it may.
pub(crate) fn refuse_late(time_max: Duration) -> Denied {
    Refusal::new(Code::TimedOut, format!("the request was not done within {} seconds", time_max.as_secs())).into()
}

/// Answers a request whose handler panicked, like any other fault.
#[expect(clippy::needless_pass_by_value, reason = "the signature is that of a panic handler")]
pub(crate) fn answer_panic(panic: Box<dyn Any + Send + 'static>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
    Denied::from(Fault::new("handle a request", format!("panic: {text}"))).into_response()
}

/// Answers an address that does not exist.
pub(crate) async fn refuse_address() -> Denied {
    Refusal::new(Code::NoRoute, "there is no such address on this hub").into()
}

/// Answers a method that an address does not take; the header `Allow` is added by the router.
pub(crate) async fn refuse_method() -> Denied {
    Refusal::new(Code::NoMethod, "this address does not take that method; the header Allow names those it takes").into()
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, body::to_bytes, middleware, routing::get};
    use tower::ServiceExt as _;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;

    async fn panic_now() -> String {
        panic!("secret {}", 7)
    }

    /// The status and the document that a request to this handler ends with.
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
    async fn a_panic_is_told_like_any_other_fault() {
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
    fn a_harmless_id_of_the_client_is_kept() {
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
    fn a_request_belongs_to_what_its_client_says() {
        const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(correlation(&[(CORRELATION_ID, "run:7")]).as_deref(), Some("run:7"));
        assert_eq!(correlation(&[(TRACE_PARENT, TRACE)]).as_deref(), Some("0af7651916cd43dd8448eb211c80319c"));
        assert_eq!(correlation(&[(TRACE_PARENT, TRACE), (CORRELATION_ID, "mine")]).as_deref(), Some("mine"));
    }

    #[test]
    fn what_could_do_harm_in_a_log_is_passed_over() {
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
