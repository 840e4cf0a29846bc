//! Events and ephemeral frames over both surfaces.

use serde_json::{Value, json};

use crate::{
    clients::{Events, Socket},
    serving::LiveHub,
    support::TestApp,
};

#[tokio::test]
async fn the_same_events_come_over_both_surfaces_at_the_same_positions() {
    let hub = LiveHub::new().await;
    let (mut socket, mut events) = (hub.socket().await, hub.events().await);
    for text in ["one", "two", "three"] {
        let position = hub.say(text).await;
        let (frame, event) = (socket.until("event").await, events.next().await.expect("an event"));
        assert_eq!((&frame["position"], &frame["data"]["body"]), (&json!(position), &json!(text)));
        assert_eq!((event.id, event.name.as_deref()), (Some(position), Some("messaging.posted")));
        assert_eq!(event.data, Some(frame));
    }
    hub.end().await;
}

#[tokio::test]
async fn an_event_stream_sends_retry_and_comment_at_once() {
    let hub = LiveHub::new().await;
    let mut events = Events::open(&hub, &hub.ben, &hub.query("")).await;
    let head = events.head.to_lowercase();
    assert!(head.starts_with("http/1.1 200 ok\r\n"), "{head}");
    for header in ["content-type: text/event-stream", "cache-control: no-cache", "x-accel-buffering: no"] {
        assert!(head.contains(&format!("\r\n{header}\r\n")), "{head}");
    }
    let first = events.next().await.expect("bytes");
    assert_eq!((first.retry.as_deref(), first.comment.as_deref()), (Some("1000"), Some("hello")));
    assert_eq!((first.name, first.data), (None, None));
    hub.end().await;
}

#[tokio::test]
async fn the_first_frame_of_a_socket_contains_the_caller() {
    let hub = LiveHub::new().await;
    let mut socket = Socket::open(&hub, &hub.ben, "").await;
    let hello = socket.next().await;
    assert_eq!(hello, json!({"type": "hello", "member_id": hub.ben.id, "heartbeat_seconds": 20}));
    hub.end().await;
}

#[tokio::test]
async fn ephemeral_frames_have_no_position() {
    let hub = LiveHub::new().await;
    let (mut socket, mut events) = (hub.socket().await, hub.events().await);
    let coder = hub.app.agent(&hub.project, "Coder").await;
    let body = json!({"channel_id": hub.channel, "stream": true});
    let answer = hub.app.post("/messages", body).by(&coder.token).await.expect(201);
    let path = format!("/messages/{}/chunks", answer["id"].as_str().expect("id"));
    hub.app.post(&path, json!({"text": "Hello"})).by(&coder.token).await.expect(200);
    hub.app.clock.advance(1_000);
    let (frame, event) = (socket.until("chunk").await, events.until("chunk").await);
    assert_eq!((&frame["start"], &frame["text"]), (&json!(0), &json!("Hello")));
    assert_eq!((event.id, event.data), (None, Some(frame)));
    hub.end().await;
}

#[tokio::test]
async fn long_texts_arrive_complete_over_both_surfaces() {
    let hub = LiveHub::new().await;
    let (mut socket, mut events) = (hub.socket().await, hub.events().await);
    let long = "é€😀x".repeat(6_000);
    hub.say(&long).await;
    assert_eq!(socket.until("event").await["data"]["body"], long);
    assert_eq!(events.until("messaging.posted").await.json()["data"]["body"], long);
    hub.end().await;
}

#[tokio::test]
async fn one_socket_can_subscribe_to_several_projects() {
    let hub = LiveHub::new().await;
    let mut socket = hub.socket().await;
    let other = hub.app.project("Gemini").await;
    let path = format!("/projects/{other}/people");
    hub.app.post(&path, json!({"person_id": hub.ben.id})).await.expect(201);
    let channel = hub.app.channel(&other, "orbit").await;
    assert_eq!(socket.done(json!({"type": "subscribe", "project_id": other})).await, Value::Null);
    assert_eq!(socket.until("live").await["project_id"], other);
    hub.say("here").await;
    assert_eq!(socket.until("event").await["project_id"], hub.project);
    hub.app.say(&channel, "there").await;
    assert_eq!(socket.until("event").await["project_id"], other);
    hub.end().await;
}

#[tokio::test]
async fn an_unsubscribed_project_sends_no_events() {
    let hub = LiveHub::new().await;
    let mut socket = hub.socket().await;
    for _ in 0..2 {
        socket.done(json!({"type": "unsubscribe", "project_id": hub.project})).await;
    }
    hub.say("unheard").await;
    let after = hub.say("heard").await;
    let after = after.rsplit_once('-').expect("a position");
    let before = format!("{}-{}", after.0, after.1.parse::<u64>().expect("a number") - 1);
    socket.send(json!({"type": "subscribe", "project_id": hub.project, "after": before})).await;
    assert_eq!(socket.next().await["type"], "ok");
    assert_eq!(socket.next().await["data"]["body"], "heard");
    hub.end().await;
}

#[tokio::test]
async fn a_head_request_opens_no_stream() {
    let hub = LiveHub::new().await;
    let path = format!("/events{}", hub.query(""));
    let reply = hub.app.call(axum::http::Method::HEAD, &path).by(TestApp::ADMIN).await;
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "text/event-stream"));
    assert!(reply.bytes.is_empty());
    hub.end().await;
}
