use std::sync::Arc;

use axum::http::{Method, header};
use parlour_server::{HttpGuard, ServerInfo};
use serde_json::json;

use crate::{
    client::{McpTestClient, last_message},
    support::{Call, TestApp},
};

const PATH: &str = "/mcp/fixtures";

#[tokio::test]
async fn fixtures_are_absent_by_default() {
    let app = TestApp::new().await;
    for method in [Method::GET, Method::POST, Method::DELETE] {
        app.call(method, PATH).await.expect_problem("PARLOUR-N02", None);
    }
    let client = McpTestClient::open(&app, TestApp::ADMIN).await;
    let listed = client.request(&app, "tools/list", json!({})).await.to_string();
    assert!(listed.contains("post_message") && !listed.contains("test_"), "{listed}");
    let called = client.request(&app, "tools/call", json!({"name": "test_simple_text", "arguments": {}})).await;
    assert_eq!(called["error"]["code"], -32602, "{called}");
}

#[tokio::test]
async fn enabled_fixtures_require_a_token() {
    let app = TestApp::new().await;
    let info = ServerInfo { version: "1".to_owned(), instance: "test".to_owned() };
    let router = parlour_server::app_with_fixtures(Arc::clone(&app.hub), info, HttpGuard::default());
    let call = || Call::new(router.clone(), Method::POST, PATH);
    call().await.expect_problem("PARLOUR-A01", None);
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let opened =
        call().by(TestApp::ADMIN).header(header::ACCEPT, "application/json, text/event-stream").json(body).await;
    assert_eq!(last_message(&opened)["result"]["serverInfo"]["name"], "parlour-fixtures");
}
