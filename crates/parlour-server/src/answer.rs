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
use parlour_core::{Code, Refusal};
use parlour_hub::Fault;
use tracing::Instrument as _;

use crate::{denied::Denied, problem::Problem};

/// The header that carries the id of a request both ways.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Characters of an id that a client may give its request.
const REQUEST_ID_CHARS_MAX: usize = 64;

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
        let own = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|text| is_harmless(text));
        own.map_or_else(|| self.next_id(), str::to_owned)
    }

    fn next_id(&self) -> String {
        format!("{}-{}", self.instance, self.given.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

fn is_harmless(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=REQUEST_ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(is_plain)
}

/// Runs a request in its span and finishes its answer. Neither tokens nor bodies nor queries reach the log.
pub(crate) async fn surround(State(ids): State<RequestIds>, request: Request, next: Next) -> Response {
    let id = ids.id_for(request.headers());
    let path = request.extensions().get::<MatchedPath>().map_or("(none)", MatchedPath::as_str);
    let span = tracing::info_span!("request", request_id = %id, method = %request.method(), path);
    let started = Instant::now();
    let response = next.run(request).instrument(span.clone()).await;
    span.in_scope(|| finish(response, &id, started.elapsed()))
}

fn finish(mut response: Response, id: &str, latency: Duration) -> Response {
    if let Some(denied) = response.extensions_mut().remove::<Denied>() {
        if let Some(fault) = denied.fault() {
            tracing::error!(cause = fault.chain(), "a request met a fault");
        }
        Problem::new(&denied, id).write_into(&mut response);
    }
    let latency_us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
    tracing::debug!(status = response.status().as_u16(), latency_us, "answered");
    add_headers(response.headers_mut(), id);
    response
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
            .layer(middleware::from_fn_with_state(RequestIds::new("run"), surround));
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
        for sent in ["", "a b", "a\tb", "<b>", "a,b", LONG] {
            assert_eq!(id_for(sent), "run-1", "{sent}");
        }
    }

    #[test]
    fn each_request_has_another_id() {
        let ids = RequestIds::new("run");
        assert_eq!([ids.next_id(), ids.clone().next_id()], ["run-1", "run-2"]);
    }
}
