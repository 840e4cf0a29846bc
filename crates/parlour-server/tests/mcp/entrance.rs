use axum::http::{Method, header};
use parlour_core::limits;
use serde_json::json;

use crate::{
    client::{Client, alone, initialize, last_message},
    support::TestApp,
};

#[tokio::test]
async fn nobody_gets_in_without_a_token() {
    let app = TestApp::new().await;
    for method in [Method::GET, Method::POST, Method::DELETE] {
        let reply = app.call(method, "/mcp").by_nobody().await;
        assert_eq!((reply.status.as_u16(), reply.header("www-authenticate")), (401, "Bearer"));
        reply.expect_problem("PARLOUR-A01", None);
    }
    assert_eq!(initialize(&app, "made-up", "2025-11-25").await.status, 401);
}

#[tokio::test]
async fn a_foreign_page_is_refused_by_its_origin_alone() {
    let app = TestApp::new().await;
    let reply = app.post("/mcp", json!({})).header(header::ORIGIN, "http://evil.example").await;
    assert_eq!(reply.status, 403);
    reply.expect_problem("PARLOUR-A03", None);
    let own =
        app.post("/mcp", json!({})).header(header::HOST, "localhost:1").header(header::ORIGIN, "http://localhost:1");
    assert_ne!(own.await.status, 403);
    let elsewhere = app.post("/mcp", json!({})).header(header::HOST, "evil.example").await;
    assert_eq!(elsewhere.status, 421);
}

#[tokio::test]
async fn a_version_that_nobody_knows_is_answered_with_one_that_exists() {
    let app = TestApp::new().await;
    for (asked, answered) in [("1999-01-01", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2026-07-28", "2025-11-25")]
    {
        let reply = initialize(&app, TestApp::ADMIN, asked).await;
        assert_eq!(last_message(&reply)["result"]["protocolVersion"], answered, "{asked}");
    }
}

#[tokio::test]
async fn a_request_of_the_newest_revision_needs_no_session() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    app.channel(&project, "general").await;
    let coder = app.agent(&project, "Coder").await;
    let told = alone(&app, &coder.token, "post_message", json!({"channel_id": "general", "body": "hello"})).await;
    assert!(!told.is_error, "{}", told.text);
}

#[tokio::test]
async fn hostile_bodies_end_in_stable_refusals() {
    let app = TestApp::new().await;
    let client = Client::open(&app, TestApp::ADMIN).await;
    let post = |body: String| client.call(&app, Method::POST).content("application/json", body);
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    assert_eq!(post(deep).await.json()["code"], "PARLOUR-I05");
    let large = format!("\"{}\"", "x".repeat(limits::REQUEST_BODY_BYTES_MAX));
    post(large).await.expect_problem("PARLOUR-I06", None);
    for body in ["", "nonsense", "[]", "{}", "null", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}"#] {
        let reply = post(body.to_owned()).await;
        assert!(reply.status.is_client_error() || last_message(&reply).get("error").is_some(), "{body}: {reply:?}");
    }
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#;
    assert_eq!(post(twice.to_owned()).await.json()["code"], "PARLOUR-I04");
}

#[tokio::test]
async fn an_unknown_tool_and_an_unknown_method_are_errors_of_the_protocol() {
    let app = TestApp::new().await;
    let client = Client::open(&app, TestApp::ADMIN).await;
    let tool = client.ask(&app, "tools/call", json!({"name": "rm", "arguments": {}})).await;
    assert_eq!(tool["error"]["code"], -32602, "{tool}");
    let method = client.ask(&app, "tools/eat", json!({})).await;
    assert_eq!(method["error"]["code"], -32601, "{method}");
}

#[tokio::test]
async fn other_methods_are_refused_as_everywhere() {
    let app = TestApp::new().await;
    let reply = app.put("/mcp").await;
    assert_eq!(reply.status, 405);
    reply.expect_problem("PARLOUR-N03", None);
}
