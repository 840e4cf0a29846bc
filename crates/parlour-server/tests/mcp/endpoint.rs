use axum::http::{Method, header};
use parlour_core::limits;
use serde_json::json;

use crate::{
    client::{McpTestClient, call_without_session, initialize, last_message},
    support::TestApp,
};

#[tokio::test]
async fn requests_without_a_valid_token_are_refused() {
    let app = TestApp::new().await;
    for method in [Method::GET, Method::POST, Method::DELETE] {
        let reply = app.call(method, "/mcp").by_nobody().await;
        assert_eq!((reply.status.as_u16(), reply.header("www-authenticate")), (401, "Bearer"));
        reply.expect_problem("PARLOUR-A01", None);
    }
    assert_eq!(initialize(&app, "made-up", "2025-11-25").await.status, 401);
}

#[tokio::test]
async fn foreign_origins_and_hosts_are_refused() {
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
async fn an_unknown_protocol_version_is_answered_with_a_supported_one() {
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
    let result =
        call_without_session(&app, &coder.token, "post_message", json!({"channel_id": "general", "body": "hello"}))
            .await;
    assert!(!result.is_error, "{}", result.text);
}

#[tokio::test]
async fn hostile_bodies_are_refused() {
    let app = TestApp::new().await;
    let client = McpTestClient::open(&app, TestApp::ADMIN).await;
    let post = |body: String| client.http(&app, Method::POST).content("application/json", body);
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    assert_eq!(post(deep).await.json()["code"], "PARLOUR-I05");
    let large = format!("\"{}\"", "x".repeat(limits::REQUEST_BODY_BYTES_MAX));
    post(large).await.expect_problem("PARLOUR-I06", None);
    let mut statuses = Vec::new();
    for body in ["", "nonsense", "[]", "{}", "null", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}"#] {
        statuses.push(post(body.to_owned()).await.status.as_u16());
    }
    assert_eq!(statuses, [415; 6]);
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#;
    assert_eq!(post(twice.to_owned()).await.json()["code"], "PARLOUR-I04");
}

#[tokio::test]
async fn unknown_tools_and_methods_are_protocol_errors() {
    let app = TestApp::new().await;
    let client = McpTestClient::open(&app, TestApp::ADMIN).await;
    let tool = client.request(&app, "tools/call", json!({"name": "rm", "arguments": {}})).await;
    assert_eq!(tool["error"]["code"], -32602, "{tool}");
    let method = client.request(&app, "tools/eat", json!({})).await;
    assert_eq!(method["error"]["code"], -32601, "{method}");
}

#[tokio::test]
async fn other_http_methods_are_refused() {
    let app = TestApp::new().await;
    let reply = app.put("/mcp").await;
    assert_eq!(reply.status, 405);
    reply.expect_problem("PARLOUR-N03", None);
}
