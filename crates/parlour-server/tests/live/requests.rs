//! Requests of clients as frames.

use serde_json::{Value, json};

use crate::{
    clients::Socket,
    serving::LiveHub,
    support::{fields, id_of},
};

#[tokio::test]
async fn a_post_frame_gets_the_response_of_http() {
    let hub = LiveHub::new().await;
    let mut socket = hub.socket().await;
    let message = json!({"channel_id": hub.channel, "body": "Hello @Mara", "id": "msg_mine-1"});
    let over_socket = socket.done(json!({"type": "post", "message": message})).await;
    let over_http = hub.app.post("/messages", message).by(&hub.ben.token).await.expect(200);
    assert_eq!(over_socket, over_http);
    hub.end().await;
}

#[tokio::test]
async fn the_sender_receives_the_event_of_its_own_message() {
    let hub = LiveHub::new().await;
    let mut socket = hub.socket().await;
    socket.send(json!({"type": "post", "message": {"channel_id": hub.channel, "body": "Hello"}})).await;
    let (first, second) = (socket.next().await, socket.next().await);
    let mut types = [first["type"].as_str().expect("type"), second["type"].as_str().expect("type")];
    types.sort_unstable();
    assert_eq!(types, ["event", "ok"]);
    hub.end().await;
}

#[tokio::test]
async fn frames_of_one_socket_are_executed_in_order() {
    let hub = LiveHub::new().await;
    let mut socket = Socket::open(&hub, &hub.ben, "").await;
    socket.until("hello").await;
    let name = |number: usize| format!("{number:02}");
    for number in 0..30 {
        let frame = match number % 3 {
            0 => json!({"type": "post", "message": {"channel_id": hub.channel, "body": name(number)}}),
            1 => json!({"type": "ping"}),
            _ => json!({"type": "post", "message": {"channel_id": "chn_absent", "body": "x"}}),
        };
        let mut frame = frame;
        frame["ref"] = json!(name(number));
        socket.send(frame).await;
    }
    for number in 0..30 {
        assert_eq!(socket.next().await["ref"], name(number));
    }
    let path = format!("/channels/{}/messages", hub.channel);
    let history = hub.app.get(&path).by(&hub.ben.token).await.expect(200);
    let bodies: Vec<_> = history["items"].as_array().expect("items").iter().map(|item| item["body"].clone()).collect();
    let newest_first: Vec<_> = (0..10).rev().map(|index| json!(name(index * 3))).collect();
    assert_eq!(bodies, newest_first);
    hub.end().await;
}

#[tokio::test]
async fn an_answer_can_be_streamed_over_a_socket() {
    let hub = LiveHub::new().await;
    let coder = hub.app.agent(&hub.project, "Coder").await;
    let mut socket = Socket::open(&hub, &coder, "").await;
    let message = json!({"channel_id": hub.channel, "stream": true});
    let id = id_of(&socket.done(json!({"type": "post", "message": message})).await);
    let open = socket.done(json!({"type": "chunk", "message_id": id, "start": 0, "text": "Hel"})).await;
    assert_eq!((fields(&open), &open["chars"]), (vec!["chars", "lease_until", "message_id"], &json!(3)));
    assert_eq!(socket.done(json!({"type": "beat", "message_id": id})).await["chars"], 3);
    let step = json!({"id": "s1", "name": "grep", "input": {"q": 1}});
    let begun = socket.done(json!({"type": "start_step", "message_id": id, "step": step})).await;
    assert_eq!(begun["name"], "grep");
    let ended = socket.done(json!({"type": "finish_step", "message_id": id, "step_id": "s1", "output": 7})).await;
    assert_eq!(ended["output"], 7);
    let done = socket.done(json!({"type": "complete", "message_id": id, "body": "Hello"})).await;
    assert_eq!((&done["body"], &done["state"]), (&json!("Hello"), &json!("complete")));
    let late = socket.ask(json!({"type": "chunk", "message_id": id, "text": "!"})).await;
    assert_eq!(late["code"], "PARLOUR-C07");
    hub.end().await;
}

#[tokio::test]
async fn an_answer_can_be_failed_or_cancelled_over_a_socket() {
    let hub = LiveHub::new().await;
    let coder = hub.app.agent(&hub.project, "Coder").await;
    let (mut producer, mut reader) = (Socket::open(&hub, &coder, "").await, hub.socket().await);
    let begin = json!({"type": "post", "message": {"channel_id": hub.channel, "stream": true}});
    let failed = id_of(&producer.done(begin.clone()).await);
    let result = producer.done(json!({"type": "fail", "message_id": failed, "reason": "no model"})).await;
    assert_eq!((&result["state"], &result["reason"]), (&json!("failed"), &json!("no model")));
    let stopped = id_of(&producer.done(begin).await);
    let result = reader.done(json!({"type": "cancel", "message_id": stopped})).await;
    assert_eq!(result["state"], "cancelled");
    hub.end().await;
}

#[tokio::test]
async fn presence_frames_set_and_delete_the_presence() {
    let hub = LiveHub::new().await;
    let mut socket = hub.socket().await;
    let here = socket.done(json!({"type": "presence", "state": "working", "machine_name": "desk"})).await;
    assert_eq!((&here["member_id"], &here["state"]), (&json!(hub.ben.id), &json!("working")));
    let path = format!("/projects/{}/presence", hub.project);
    let there = hub.app.get(&path).await.expect(200);
    assert_eq!(there["items"][0]["member_id"], hub.ben.id);
    for _ in 0..2 {
        assert_eq!(socket.done(json!({"type": "leave"})).await, Value::Null);
    }
    assert_eq!(hub.app.get(&path).await.expect(200)["items"], json!([]));
    hub.end().await;
}

#[tokio::test]
async fn typing_is_sent_to_other_readers() {
    let hub = LiveHub::new().await;
    let (mut typist, mut reader) = (Socket::open(&hub, &hub.mara, "").await, hub.events().await);
    typist.done(json!({"type": "typing", "conversation_id": hub.channel})).await;
    hub.app.clock.advance(1_000);
    let typing = reader.until("typing").await;
    assert_eq!((typing.id.as_deref(), &typing.json()["members"]), (None, &json!([hub.mara.id])));
    hub.end().await;
}

#[tokio::test]
async fn a_post_frame_returns_calls_and_requires_confirmation_of_wide_mentions() {
    let hub = LiveHub::new().await;
    let coder = hub.app.agent(&hub.project, "Coder").await;
    let mut socket = Socket::open(&hub, &hub.ben, "").await;
    let post = |message: Value| json!({"type": "post", "message": message});
    let called = socket.done(post(json!({"channel_id": hub.channel, "body": "@Coder please"}))).await;
    assert_eq!(called["calls"], json!([coder.id]));
    let wide = json!({"channel_id": hub.channel, "body": "@agents look"});
    let refused = socket.ask(post(wide.clone())).await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("PARLOUR-M03")));
    assert_eq!((&refused["field"], &refused["candidates"]), (&json!("confirm_wide"), &json!(["Coder"])));
    let mut meant = wide;
    meant["confirm_wide"] = json!(true);
    assert_eq!(socket.done(post(meant)).await["calls"], json!([coder.id]));
    let notice = json!({"channel_id": hub.channel, "body": "@Coder it is green", "is_notice": true});
    assert_eq!(socket.done(post(notice)).await.get("calls"), None);
    hub.end().await;
}

#[tokio::test]
async fn frames_of_an_agent_can_contain_cause_and_usage() {
    let hub = LiveHub::new().await;
    let coder = hub.app.agent(&hub.project, "Coder").await;
    let mut socket = Socket::open(&hub, &coder, "").await;
    let message = json!({"channel_id": hub.channel, "stream": true, "cause": {"depth": 2, "chain": ["Critic"]}});
    let begun = socket.done(json!({"type": "post", "message": message})).await;
    assert_eq!(begun["cause"]["depth"], 2);
    let usage = json!({"model": "small-1", "input_tokens": 9, "output_tokens": 4});
    let frame = json!({"type": "complete", "message_id": id_of(&begun), "body": "Done", "usage": usage});
    assert_eq!(socket.done(frame).await["usage"], usage);
    let wrong = json!({"type": "fail", "message_id": id_of(&begun), "reason": "x", "usage": {"model": "m", "cost": 1}});
    let refused = socket.ask(wrong).await;
    assert_eq!((&refused["code"], &refused["field"]), (&json!("PARLOUR-I03"), &json!("usage.cost")));
    hub.end().await;
}

#[tokio::test]
async fn declining_a_call_is_sent_to_readers_of_the_conversation() {
    let hub = LiveHub::new().await;
    let coder = hub.app.agent(&hub.project, "Coder").await;
    let asked = id_of(&hub.app.say(&hub.channel, "@Coder please").await);
    let mut socket = hub.socket().await;
    let path = format!("/messages/{asked}/pass");
    let passed = hub.app.post(&path, json!({"reason": "no need"})).by(&coder.token).await.expect(200);
    let event = socket.until("event").await;
    assert_eq!((&event["name"], &event["data"]), (&json!("messaging.passed"), &passed));
    hub.end().await;
}
