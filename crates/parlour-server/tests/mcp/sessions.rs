use axum::http::{Method, header};
use parlour_core::limits;
use serde_json::json;

use crate::{
    client::{McpFixture, McpTestClient, SESSION_ID, initialize},
    support::{Call, TestApp},
};

/// The status of a small request in a session.
async fn ping(app: &TestApp, client: &McpTestClient) -> u16 {
    client.post(app, json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await.status.as_u16()
}

#[tokio::test]
async fn a_session_belongs_to_the_token_that_opened_it() {
    let fixture = McpFixture::new().await;
    let other_member = McpTestClient { token: fixture.mara.token.clone(), ..fixture.client.clone() };
    assert_eq!(ping(&fixture.app, &other_member).await, 404);
    let narrow = fixture.scoped_token(&["messages:read"]).await;
    let other_token = McpTestClient { token: narrow, ..fixture.client.clone() };
    assert_eq!(ping(&fixture.app, &other_token).await, 404, "another token of the same member");
    assert_eq!(ping(&fixture.app, &fixture.client).await, 200);
    let unknown = McpTestClient { session: "made-up".to_owned(), ..fixture.client.clone() };
    let reply = unknown.post(&fixture.app, json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
    reply.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn closing_a_session_ends_it_and_cancels_its_run() {
    let fixture = McpFixture::new().await;
    let run = fixture.call("checkpoint", json!({"label": "work"})).await.value["run_id"].clone();
    assert_eq!(fixture.client.http(&fixture.app, Method::DELETE).await.status, 204);
    assert_eq!(ping(&fixture.app, &fixture.client).await, 404);
    let path = format!("/runs/{}", run.as_str().expect("an id"));
    let run = fixture.app.get(&path).by(&fixture.mara.token).await.expect(200);
    assert_eq!(
        (run["state"].as_str(), run["reason"].as_str()),
        (Some("cancelled"), Some("its MCP session was closed"))
    );
}

#[tokio::test]
async fn an_open_event_stream_ends_with_its_token() {
    let fixture = McpFixture::new().await;
    let stream = tokio::spawn(std::future::IntoFuture::into_future(fixture.client.http(&fixture.app, Method::GET)));
    tokio::task::yield_now().await;
    let path = format!("/agents/{}/token", fixture.coder.id);
    assert_eq!(fixture.app.call(Method::POST, &path).await.status, 201);
    // The body is read to its end: without one this would wait for ever.
    stream.await.expect("no panic");
    assert_eq!(ping(&fixture.app, &fixture.client).await, 401, "the token is unknown now");
}

#[tokio::test]
async fn an_idle_session_ends() {
    let fixture = McpFixture::new().await;
    let idle = u32::try_from(limits::MCP_SESSION_IDLE_SECONDS).expect("small") * 1_000;
    fixture.app.clock.advance(idle / 2);
    assert_eq!(ping(&fixture.app, &fixture.client).await, 200);
    fixture.app.clock.advance(idle / 2 + 1_000);
    tokio::task::yield_now().await;
    assert_eq!(ping(&fixture.app, &fixture.client).await, 200, "it was used in between");
    fixture.app.clock.advance(idle + 1_000);
    // A ping would count as use and keep the session open, so the test waits without one.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(ping(&fixture.app, &fixture.client).await, 404);
}

#[tokio::test]
async fn a_session_over_the_limit_ends_the_one_that_is_idle_the_longest() {
    let fixture = McpFixture::new().await;
    let mut clients = vec![fixture.client.clone()];
    while clients.len() < limits::MCP_SESSIONS_PER_MEMBER_MAX {
        fixture.app.clock.advance(1_000);
        clients.push(McpTestClient::open(&fixture.app, &fixture.coder.token).await);
    }
    let other = McpTestClient::open(&fixture.app, &fixture.mara.token).await;
    fixture.app.clock.advance(1_000);
    assert_eq!(ping(&fixture.app, &clients[0]).await, 200, "the oldest is used again");
    let last = McpTestClient::open(&fixture.app, &fixture.coder.token).await;
    assert_eq!(ping(&fixture.app, &clients[1]).await, 404);
    for client in [&clients[0], &clients[2], &last, &other] {
        assert_eq!(ping(&fixture.app, client).await, 200);
    }
}

#[tokio::test]
async fn session_ids_consist_of_visible_ascii() {
    let app = TestApp::new().await;
    let opened = initialize(&app, TestApp::ADMIN, "2025-11-25").await;
    let id = opened.header("mcp-session-id").to_owned();
    assert!(!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()), "{id}");
    let call: Call = app.post("/mcp", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let reply = call.header(SESSION_ID, &id).header(header::ACCEPT, "application/json, text/event-stream").await;
    assert_eq!(reply.status, 200);
}
