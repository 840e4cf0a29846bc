//! Authentication of WebSockets.

use parlour_core::limits;
use serde_json::json;

use crate::{clients::Socket, serving::LiveHub};

async fn stranger(hub: &LiveHub, query: &str) -> Socket {
    Socket::try_open(hub, query, &[]).await.expect("opened")
}

#[tokio::test]
async fn a_client_can_authenticate_with_the_first_frame() {
    let hub = LiveHub::new().await;
    let mut socket = stranger(&hub, "").await;
    socket.send(json!({"type": "sign_in", "token": hub.ben.token, "ref": "1"})).await;
    assert_eq!(socket.next().await["member_id"], hub.ben.id);
    assert_eq!(socket.next().await, json!({"type": "ok", "ref": "1"}));
    socket.done(json!({"type": "subscribe", "project_id": hub.project})).await;
    hub.end().await;
}

#[tokio::test]
async fn the_project_of_the_query_is_subscribed_after_authentication() {
    let hub = LiveHub::new().await;
    let mut socket = stranger(&hub, &hub.query("")).await;
    socket.send(json!({"type": "sign_in", "token": hub.ben.token})).await;
    socket.until("live").await;
    hub.say("hello").await;
    assert_eq!(socket.until("event").await["data"]["body"], "hello");
    let mut refused = stranger(&hub, "?project_id=prj_absent").await;
    refused.send(json!({"type": "sign_in", "token": hub.ben.token})).await;
    assert_eq!(refused.until("refused").await["code"], "PARLOUR-N01");
    refused.done(json!({"type": "ping"})).await;
    hub.end().await;
}

#[tokio::test]
async fn frames_before_authentication_are_refused() {
    let hub = LiveHub::new().await;
    let mut socket = stranger(&hub, "").await;
    for frame in [json!({"type": "ping"}), json!({"type": "subscribe", "project_id": hub.project})] {
        assert_eq!(socket.ask(frame).await["code"], "PARLOUR-A01");
    }
    assert_eq!(socket.ask(json!({"type": "shout"})).await["code"], "PARLOUR-I02");
    socket.send(json!({"type": "sign_in", "token": hub.ben.token})).await;
    assert_eq!(socket.next().await["type"], "hello");
    hub.end().await;
}

#[tokio::test]
async fn a_wrong_token_closes_the_socket() {
    let hub = LiveHub::new().await;
    let mut socket = stranger(&hub, "").await;
    socket.send(json!({"type": "sign_in", "token": "wrong", "ref": "1"})).await;
    let (frames, code) = socket.rest().await;
    assert_eq!((&frames[0]["ref"], &frames[0]["code"], code), (&json!("1"), &json!("PARLOUR-A01"), 4401));
    hub.end().await;
}

#[tokio::test]
async fn a_socket_without_authentication_is_closed_after_a_time_limit() {
    let hub = LiveHub::new().await;
    let mut socket = stranger(&hub, "").await;
    // The hub has answered, so it already waits for the sign-in.
    socket.ask(json!({"type": "ping"})).await;
    hub.app.clock.advance(limits::LIVE_SIGN_IN_SECONDS_MAX as u32 * 1_000);
    assert_eq!(socket.closed().await, 4401);
    hub.end().await;
}

#[tokio::test]
async fn too_many_unreadable_frames_close_an_unauthenticated_socket() {
    let hub = LiveHub::new().await;
    let mut socket = stranger(&hub, "").await;
    for _ in 0..limits::LIVE_BAD_FRAMES_MAX {
        socket.send(json!("?")).await;
    }
    assert_eq!(socket.closed().await, 4400);
    hub.end().await;
}

#[tokio::test]
async fn a_wrong_token_in_the_request_is_refused_before_the_upgrade() {
    let hub = LiveHub::new().await;
    for value in ["Bearer wrong", "Basic abc", "Bearer "] {
        assert_eq!(Socket::try_open(&hub, "", &[("authorization", value)]).await.err(), Some(401), "{value}");
    }
    let path = format!("/events{}", hub.query(""));
    hub.app.get(&path).by("wrong").await.expect_problem("PARLOUR-A01", None);
    hub.app.get(&path).by_nobody().await.expect_problem("PARLOUR-A01", None);
    hub.end().await;
}
