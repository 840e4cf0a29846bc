use axum::http::{Method, header};
use parlour_core::limits;
use serde_json::json;

use crate::{
    client::{Client, SESSION_ID, Stage, initialize},
    support::{Call, TestApp},
};

/// The status of a small request in a session.
async fn ping(app: &TestApp, client: &Client) -> u16 {
    client.post(app, json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await.status.as_u16()
}

#[tokio::test]
async fn a_session_belongs_to_the_token_that_opened_it() {
    let stage = Stage::new().await;
    let thief = Client { token: stage.mara.token.clone(), ..stage.client.clone() };
    assert_eq!(ping(&stage.app, &thief).await, 404);
    let narrow = stage.narrow(&["messages:read"]).await;
    let other_token = Client { token: narrow, ..stage.client.clone() };
    assert_eq!(ping(&stage.app, &other_token).await, 404, "another token of the same member");
    assert_eq!(ping(&stage.app, &stage.client).await, 200);
    let unknown = Client { session: "made-up".to_owned(), ..stage.client.clone() };
    let reply = unknown.post(&stage.app, json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
    reply.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn a_closed_session_is_gone_and_its_run_has_stopped() {
    let stage = Stage::new().await;
    let run = stage.done("checkpoint", json!({"label": "work"})).await.value["run_id"].clone();
    assert_eq!(stage.client.call(&stage.app, Method::DELETE).await.status, 204);
    assert_eq!(ping(&stage.app, &stage.client).await, 404);
    let path = format!("/runs/{}", run.as_str().expect("an id"));
    let run = stage.app.get(&path).by(&stage.mara.token).await.expect(200);
    assert_eq!(
        (run["state"].as_str(), run["reason"].as_str()),
        (Some("cancelled"), Some("its MCP session was closed"))
    );
}

#[tokio::test]
async fn a_stream_that_is_open_ends_with_the_token() {
    let stage = Stage::new().await;
    let stream = tokio::spawn(std::future::IntoFuture::into_future(stage.client.call(&stage.app, Method::GET)));
    tokio::task::yield_now().await;
    let path = format!("/agents/{}/token", stage.coder.id);
    assert_eq!(stage.app.call(Method::POST, &path).await.status, 201);
    // The body is read to its end: without one this would wait for ever.
    stream.await.expect("no panic");
    assert_eq!(ping(&stage.app, &stage.client).await, 401, "the token is unknown now");
}

#[tokio::test]
async fn a_session_that_is_quiet_for_too_long_ends() {
    let stage = Stage::new().await;
    let quiet = u32::try_from(limits::MCP_SESSION_QUIET_SECONDS).expect("small") * 1_000;
    stage.app.clock.advance(quiet / 2);
    assert_eq!(ping(&stage.app, &stage.client).await, 200);
    stage.app.clock.advance(quiet / 2 + 1_000);
    tokio::task::yield_now().await;
    assert_eq!(ping(&stage.app, &stage.client).await, 200, "it was used in between");
    stage.app.clock.advance(quiet + 1_000);
    // Each look would be a use that keeps it open, so it is not looked at before its end.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(ping(&stage.app, &stage.client).await, 404);
}

#[tokio::test]
async fn one_session_too_many_ends_the_quietest_of_its_member() {
    let stage = Stage::new().await;
    let mut clients = vec![stage.client.clone()];
    while clients.len() < limits::MCP_SESSIONS_PER_MEMBER_MAX {
        stage.app.clock.advance(1_000);
        clients.push(Client::open(&stage.app, &stage.coder.token).await);
    }
    let other = Client::open(&stage.app, &stage.mara.token).await;
    stage.app.clock.advance(1_000);
    assert_eq!(ping(&stage.app, &clients[0]).await, 200, "the oldest is used again");
    let last = Client::open(&stage.app, &stage.coder.token).await;
    assert_eq!(ping(&stage.app, &clients[1]).await, 404);
    for client in [&clients[0], &clients[2], &last, &other] {
        assert_eq!(ping(&stage.app, client).await, 200);
    }
}

#[tokio::test]
async fn the_id_of_a_session_is_plain_text() {
    let app = TestApp::new().await;
    let opened = initialize(&app, TestApp::ADMIN, "2025-11-25").await;
    let id = opened.header("mcp-session-id").to_owned();
    assert!(!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()), "{id}");
    let call: Call = app.post("/mcp", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let reply = call.header(SESSION_ID, &id).header(header::ACCEPT, "application/json, text/event-stream").await;
    assert_eq!(reply.status, 200);
}
