//! Refused frames.

use parlour_core::limits;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::{clients::Socket, serving::LiveHub};

#[tokio::test]
async fn a_refused_frame_does_not_close_the_socket() {
    let hub = LiveHub::new().await;
    let foreign = hub.app.project("Elsewhere").await;
    let mut socket = hub.socket().await;
    let channel = &hub.channel;
    for (frame, code, field) in [
        (json!({"type": "shout"}), "I02", "type"),
        (json!({"type": "ping", "louder": true}), "I03", "louder"),
        (json!({"type": "sign_in", "token": hub.ben.token}), "I02", "type"),
        (json!({"type": "subscribe", "project_id": foreign}), "N01", ""),
        (json!({"type": "subscribe", "project_id": "prj_absent"}), "N01", ""),
        (json!({"type": "subscribe", "project_id": hub.project}), "I02", "project_id"),
        (json!({"type": "subscribe", "project_id": hub.project, "after": "x"}), "I02", "after"),
        (json!({"type": "post", "message": {"channel_id": channel}}), "I10", "body"),
        (json!({"type": "post", "message": {"channel_id": channel, "boddy": "x"}}), "I03", "message.boddy"),
        (json!({"type": "post", "message": {"channel_id": "chn_absent", "body": "x"}}), "N01", ""),
        (json!({"type": "chunk", "message_id": "msg_absent", "text": "x"}), "N01", ""),
        (json!({"type": "finish_step", "message_id": "msg_absent", "step_id": "s"}), "N01", ""),
        (json!({"type": "typing", "conversation_id": "dm_absent"}), "N01", ""),
        (json!({"type": "presence", "state": "asleep"}), "I02", "state"),
    ] {
        let answer = socket.ask(frame.clone()).await;
        assert_eq!(
            (&answer["type"], &answer["code"]),
            (&json!("refused"), &json!(format!("PARLOUR-{code}"))),
            "{frame}"
        );
        assert_eq!(answer["field"].as_str().unwrap_or_default(), field, "{frame}: {answer}");
        assert!(answer["title"].is_string() && answer["detail"].is_string(), "{answer}");
        assert_eq!(answer["retryable"], false);
        socket.done(json!({"type": "ping"})).await;
    }
    hub.say("still here").await;
    assert_eq!(socket.until("event").await["data"]["body"], "still here");
    hub.end().await;
}

#[tokio::test]
async fn hidden_and_missing_projects_get_the_same_refusal() {
    let hub = LiveHub::new().await;
    let foreign = hub.app.project("Elsewhere").await;
    let mut socket = hub.socket().await;
    let mut detail = async |id: &str| {
        let answer = socket.ask(json!({"type": "subscribe", "project_id": id})).await;
        answer["detail"].as_str().expect("text").replace(id, "ID")
    };
    assert_eq!(detail(&foreign).await, detail("prj_absent").await);
    let path = |id: &str| format!("/events?project_id={id}");
    for id in [foreign.as_str(), "prj_absent"] {
        hub.app.get(&path(id)).by(&hub.ben.token).await.expect_problem("PARLOUR-N01", None);
        let bearer = format!("Bearer {}", hub.ben.token);
        let refused = Socket::try_open(&hub, &format!("?project_id={id}"), &[("authorization", &bearer)]).await;
        assert_eq!(refused.err(), Some(404));
    }
    hub.end().await;
}

#[tokio::test]
async fn binary_frames_are_refused() {
    let hub = LiveHub::new().await;
    let mut socket = hub.socket().await;
    socket.send_message(Message::binary(b"{\"type\":\"ping\"}".as_slice())).await;
    let answer = socket.next().await;
    assert_eq!((&answer["type"], &answer["code"]), (&json!("refused"), &json!("PARLOUR-I01")));
    socket.done(json!({"type": "ping"})).await;
    hub.end().await;
}

#[tokio::test]
async fn too_many_unreadable_frames_in_a_row_close_the_socket() {
    let hub = LiveHub::new().await;
    let mut socket = hub.socket().await;
    for number in 0..2 * limits::LIVE_BAD_FRAMES_MAX {
        let text = if number % limits::LIVE_BAD_FRAMES_MAX == 0 { r#"{"type":"ping"}"# } else { "?" };
        socket.send_message(Message::text(text)).await;
        socket.next().await;
    }
    socket.send_message(Message::text("?")).await;
    let (frames, code) = socket.rest().await;
    assert_eq!((frames.len(), code), (1, 4400), "the last one is answered too");
    hub.end().await;
}

#[tokio::test]
async fn a_frame_that_is_too_long_closes_the_socket() {
    let hub = LiveHub::new().await;
    let mut socket = hub.socket().await;
    let ping = |length: usize| {
        let bare = json!({"type": "ping", "ref": "x"}).to_string();
        Message::text(format!("{}{bare}", " ".repeat(length - bare.len())))
    };
    socket.send_message(ping(limits::LIVE_FRAME_BYTES_MAX)).await;
    assert_eq!(socket.next().await["type"], "ok");
    socket.send_message(ping(limits::LIVE_FRAME_BYTES_MAX + 1)).await;
    assert_eq!(socket.closed().await, 1009);
    hub.end().await;
}

#[tokio::test]
async fn the_subscriptions_of_a_socket_are_limited() {
    let hub = LiveHub::new().await;
    let admin = crate::support::Member { id: String::new(), token: crate::support::TestApp::ADMIN.to_owned() };
    let mut socket = Socket::open(&hub, &admin, "").await;
    let mut projects = vec![hub.project.clone()];
    for number in 0..limits::LIVE_SUBSCRIPTIONS_MAX {
        projects.push(hub.app.project(&format!("Project {number}")).await);
    }
    let last = projects.pop().expect("projects");
    for project in &projects {
        assert_eq!(socket.done(json!({"type": "subscribe", "project_id": project})).await, Value::Null);
    }
    let full = socket.ask(json!({"type": "subscribe", "project_id": last})).await;
    assert_eq!(full["code"], "PARLOUR-C05");
    socket.done(json!({"type": "unsubscribe", "project_id": projects[0]})).await;
    socket.done(json!({"type": "subscribe", "project_id": last})).await;
    hub.end().await;
}

#[tokio::test]
async fn a_change_without_the_scope_is_audited() {
    let hub = LiveHub::new().await;
    let request = json!({"member_id": hub.ben.id, "kind": "static", "scopes": ["messages:read"]});
    let issued = hub.app.post("/tokens", request).await.expect(201);
    let reader = crate::support::Member {
        id: hub.ben.id.clone(),
        token: issued["secret"].as_str().expect("a secret").to_owned(),
    };
    let mut socket = Socket::open(&hub, &reader, "").await;
    let refused = socket.ask(json!({"type": "post", "message": {"channel_id": hub.channel, "body": "xyzzy"}})).await;
    assert_eq!(refused["code"], "PARLOUR-A04");
    let page = hub.app.get("/audit?limit=1").await.expect(200);
    let entry = &page["items"][0];
    assert_eq!((&entry["action"], &entry["result"]), (&json!("live post"), &json!("PARLOUR-A04")));
    assert_eq!((&entry["surface"], &entry["token_id"]), (&json!("live"), &issued["id"]));
    assert_eq!(entry["actor"]["id"], hub.ben.id.as_str());
    assert!(!page.to_string().contains("xyzzy"), "{page}");
    hub.end().await;
}
