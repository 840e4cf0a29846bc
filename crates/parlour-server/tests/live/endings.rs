//! Ends of sessions and their close codes.

use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::{
    clients::{Events, Raw, Socket},
    serving::LiveHub,
    support::{Member, id_of},
};

#[tokio::test]
async fn the_session_of_a_removed_member_is_closed() {
    let hub = LiveHub::new().await;
    let (socket, events) = (hub.socket().await, hub.events().await);
    hub.remove_ben().await;
    hub.say("not for Ben").await;
    let (frames, code) = socket.rest().await;
    assert_eq!(code, 4403);
    assert!(!json!(frames).to_string().contains("not for Ben"), "{frames:?}");
    assert_eq!(events.ended().await, 4403);
    hub.end().await;
}

#[tokio::test]
async fn a_replaced_token_ends_all_sessions_of_its_member() {
    let hub = LiveHub::new().await;
    let (socket, events) = (hub.socket().await, hub.events().await);
    let path = format!("/people/{}/token", hub.ben.id);
    hub.app.call(axum::http::Method::POST, &path).await.expect(201);
    assert_eq!(socket.closed().await, 4401);
    assert_eq!(events.ended().await, 4401);
    hub.end().await;
}

#[tokio::test]
async fn a_revoked_token_ends_only_its_own_sessions() {
    let hub = LiveHub::new().await;
    let issued = hub.app.post("/tokens", json!({"kind": "jwt"})).by(&hub.ben.token).await.expect(201);
    let secret = issued["secret"].as_str().expect("a secret").to_owned();
    let phone = Member { token: secret, ..hub.ben.clone() };
    let (kept, query) = (hub.socket().await, hub.query(""));
    let socket = Socket::open(&hub, &phone, &query).await;
    let events = Events::open(&hub, &phone, &query).await;
    let path = format!("/tokens/{}", id_of(&issued));
    hub.app.delete(&path).by(&hub.ben.token).await.expect_empty(204);
    assert_eq!(socket.closed().await, 4401);
    assert_eq!(events.ended().await, 4401);
    let mut kept = kept;
    hub.say("still here").await;
    assert_eq!(kept.until("event").await["data"]["body"], "still here");
    hub.end().await;
}

#[tokio::test]
async fn stopping_closes_sessions_with_the_code_restart() {
    let hub = LiveHub::new().await;
    let (socket, events) = (hub.socket().await, hub.events().await);
    let stranger = Socket::try_open(&hub, "", &[]).await.expect("opened");
    hub.stop();
    assert_eq!(socket.closed().await, 1012);
    assert_eq!(stranger.closed().await, 1012);
    assert_eq!(events.ended().await, 1012);
    hub.end().await;
}

#[tokio::test]
async fn stopping_does_not_wait_for_silent_clients() {
    let hub = LiveHub::new().await;
    let mut silent = Raw::open(&hub, &hub.ben.token, &hub.query("")).await;
    silent.next().await.expect("hello");
    hub.end().await;
}

#[tokio::test]
async fn the_close_frame_of_a_client_is_answered() {
    let hub = LiveHub::new().await;
    let (mut socket, mut events) = (hub.socket().await, hub.events().await);
    socket.done(json!({"type": "presence"})).await;
    hub.app.clock.advance(1_000);
    assert_eq!(events.until("presence").await.json()["present"][0]["member_id"], hub.ben.id);
    socket.send_message(Message::Close(None)).await;
    socket.gone().await;
    hub.app.clock.advance(1_000);
    assert_eq!(events.until("presence").await.json()["gone"], json!([hub.ben.id]));
    hub.end().await;
}
