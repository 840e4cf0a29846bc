//! Host names, origins and cookies of requests.

use axum::http::{HeaderName, Method, header};
use parlour_server::HttpGuard;
use serde_json::json;

use crate::support::{Call, TestApp};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Every kind of path: with and without authentication, live, pages, and unknown ones.
const ADDRESSES: [&str; 9] =
    ["/health", "/me", "/openapi.json", "/", "/sign-in", "/events?project_id=prj_1", "/live", "/nowhere", "/docs"];

#[tokio::test]
async fn requests_to_unknown_hosts_are_refused() {
    let app = TestApp::new().await;
    for path in ADDRESSES {
        let reply = app.get(path).header(header::HOST, "evil.example").await;
        assert_eq!(reply.expect_problem("PARLOUR-A05", None)["status"], 421, "{path}");
        let reply = app.get(path).header(header::HOST, "localhost:4870").await;
        assert_ne!(reply.status.as_u16(), 421, "{path}");
    }
    let join = app.post("/join", json!({"code": "x", "name": "y"})).by_nobody();
    join.header(header::HOST, "evil.example").await.expect_problem("PARLOUR-A05", None);
}

#[tokio::test]
async fn the_host_of_an_absolute_uri_is_checked() {
    let app = TestApp::new().await;
    app.get("http://evil.example/health").await.expect_problem("PARLOUR-A05", None);
    app.get("http://127.0.0.1:4870/health").await.expect(200);
}

#[tokio::test]
async fn configured_host_names_are_accepted() {
    let hosts = "chat.example".parse().expect("a list");
    let app = TestApp::new().await.with_http_guard(HttpGuard { hosts, ..HttpGuard::default() });
    app.get("/me").header(header::HOST, "Chat.Example:8443").await.expect(200);
    app.get("/me").header(header::HOST, "sub.chat.example").await.expect_problem("PARLOUR-A05", None);
}

#[tokio::test]
async fn a_refused_host_is_quoted_safely() {
    let app = TestApp::new().await;
    let reply = app.get("/me").header(header::HOST, &format!("<script>{}", "x".repeat(5_000))).await;
    let problem = reply.expect_problem("PARLOUR-A05", None);
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.len() < 200), "{problem}");
}

/// A change by a signed-in browser with these origin headers.
async fn change(app: &TestApp, cookie: &str, words: &[(HeaderName, &str)]) -> u16 {
    let call = app.post("/projects", json!({"name": "Gemini"})).by_nobody();
    let call = call.header(header::COOKIE, cookie).header(header::HOST, "localhost:4870");
    let call = words.iter().fold(call, |call, (name, value)| call.header(name.clone(), value));
    let reply = call.await;
    if reply.status == 403 {
        assert!(!reply.headers.contains_key("set-cookie"), "a page elsewhere signs nobody out");
        assert_eq!(reply.json()["code"], "PARLOUR-A07", "{words:?}");
    }
    reply.status.as_u16()
}

#[tokio::test]
async fn a_session_cookie_is_accepted_only_from_the_own_origin() {
    let origins = "https://friend.example".parse().expect("a list");
    let app = TestApp::new().await.with_http_guard(HttpGuard { origins, ..HttpGuard::default() });
    let mara = app.person("Mara").await;
    let cookie = app.browser(&mara).await;
    for words in [
        &[][..],
        &[(FETCH_SITE, "cross-site")],
        &[(FETCH_SITE, "same-site")],
        &[(FETCH_SITE, "none")],
        &[(FETCH_SITE, "same-site"), (header::ORIGIN, "http://localhost:9999")],
        &[(header::ORIGIN, "http://localhost:9999")],
        &[(header::ORIGIN, "http://localhost")],
        &[(header::ORIGIN, "null")],
        &[(header::ORIGIN, "https://friend.example.evil")],
    ] {
        assert_eq!(change(&app, &cookie, words).await, 403, "{words:?}");
    }
    assert!(app.pages("/projects", &mara.token).await.is_empty(), "nothing was changed");
    for words in [
        &[(FETCH_SITE, "same-origin")],
        &[(header::ORIGIN, "http://localhost:4870")],
        &[(header::ORIGIN, "https://friend.example")],
    ] {
        assert!(matches!(change(&app, &cookie, words).await, 201 | 409), "{words:?}");
    }
}

#[tokio::test]
async fn reads_with_a_cookie_are_refused_for_other_origins() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let cookie = app.browser(&mara).await;
    let read = |site: &str| app.get("/me").by_browser(&cookie).header(FETCH_SITE, site);
    read("same-origin").await.expect(200);
    read("none").await.expect(200);
    for site in ["same-site", "cross-site", "", "same-origin, cross-site"] {
        read(site).await.expect_problem("PARLOUR-A07", None);
    }
}

#[tokio::test]
async fn other_origins_cannot_sign_in_or_out() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let cookie = app.browser(&mara).await;
    let link = app.call(Method::POST, &format!("/people/{}/link", mara.id)).await.expect(201);
    for (name, value) in [(FETCH_SITE, "cross-site"), (header::ORIGIN, "https://evil.example")] {
        let sign_in = app.post("/sign-in", json!({"code": link["code"]})).by_nobody();
        sign_in.header(name.clone(), value).await.expect_problem("PARLOUR-A07", None);
        let sign_out = app.call(Method::POST, "/sign-out").by_nobody().header(header::COOKIE, &cookie);
        sign_out.header(name, value).await.expect_problem("PARLOUR-A07", None);
    }
    app.get("/me").by_browser(&cookie).await.expect(200);
    app.post("/sign-in", json!({"code": link["code"]})).by_nobody().await.expect(200);
}

#[tokio::test]
async fn a_bearer_token_needs_no_origin_headers() {
    let app = TestApp::new().await;
    let call: Call = app.post("/projects", json!({"name": "Apollo"})).header(FETCH_SITE, "cross-site");
    call.header(header::COOKIE, "parlour_session=x").await.expect(201);
}

#[tokio::test]
async fn tokens_in_cookies_and_sessions_in_headers_are_rejected() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let cookie = app.browser(&mara).await;
    let secret = cookie.split('=').nth(1).expect("a value");
    app.get("/me").by(secret).await.expect_problem("PARLOUR-A01", None);
    app.get("/me").by_browser(&format!("parlour_session={}", mara.token)).await.expect_problem("PARLOUR-A01", None);
}

#[tokio::test]
async fn every_response_forbids_framing_and_referrers() {
    let app = TestApp::new().await;
    for path in ADDRESSES {
        let reply = app.get(path).await;
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(reply.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(reply.header("x-frame-options"), "DENY", "{path}");
    }
}

#[tokio::test]
async fn the_content_security_policy_allows_only_own_files() {
    let app = TestApp::new().await;
    for path in ["/", "/sign-in", "/docs"] {
        let reply = app.get(path).by_nobody().await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        let policy = reply.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        for rule in ["frame-ancestors 'none'", "base-uri 'none'", "connect-src 'self'"] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
    }
}
