//! Headers of every response.

use axum::http::{HeaderName, Method};

use crate::support::TestApp;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

#[tokio::test]
async fn a_response_contains_the_request_id() {
    let app = TestApp::new().await;
    let reply = app.get("/health").header(REQUEST_ID, "trace-7").await;
    assert_eq!(reply.header("x-request-id"), "trace-7");
    let ids =
        [app.get("/health").await, app.get("/nowhere").await].map(|reply| reply.header("x-request-id").to_owned());
    assert!(ids[0] != ids[1] && ids.iter().all(|id| id.starts_with("test-")), "{ids:?}");
}

#[tokio::test]
async fn an_unsafe_request_id_is_replaced() {
    let app = TestApp::new().await;
    let reply = app.get("/health").header(REQUEST_ID, "a b\"} forged=1").await;
    assert!(reply.header("x-request-id").starts_with("test-"));
}

#[tokio::test]
async fn responses_have_the_common_security_headers() {
    let app = TestApp::new().await;
    for path in ["/projects", "/health", "/nowhere", "/projects/prj_0"] {
        let reply = app.get(path).await;
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(reply.header("cache-control"), "no-store", "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), "", "{path}");
    }
}

#[tokio::test]
async fn a_head_request_gets_the_headers_only() {
    let app = TestApp::new().await;
    let reply = app.call(Method::HEAD, "/projects").await;
    assert_eq!((reply.status.as_u16(), reply.text()), (200, ""));
    assert_eq!(reply.header("content-type"), "application/json");
}

#[tokio::test]
async fn the_pages_are_served_beside_the_api() {
    let app = TestApp::new().await;
    for path in ["/", "/docs"] {
        let page = app.get(path).by_nobody().await;
        assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        assert_eq!(page.header("cache-control"), "no-cache", "an asset's own word on caching stays");
    }
}
