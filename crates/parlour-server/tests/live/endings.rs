//! How sessions end: at once, with a code that says why.

use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::{
    clients::{Events, Raw, Socket},
    serving::LiveHub,
    support::{Member, id_of},
};

#[tokio::test]
async fn a_removed_member_hears_nothing_more() {
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
async fn a_revoked_token_ends_what_was_opened_with_it_and_nothing_else() {
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
async fn a_stop_is_told_as_a_restart() {
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
async fn a_stop_waits_for_no_silent_client() {
    let hub = LiveHub::new().await;
    let mut silent = Raw::open(&hub, &hub.ben.token, &hub.query("")).await;
    silent.next().await.expect("hello");
    hub.end().await;
}

#[tokio::test]
async fn a_client_that_says_goodbye_is_answered_and_gone() {
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
