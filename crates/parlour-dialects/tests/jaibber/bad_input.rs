//! Invalid input is refused with the name of its field.

use parlour_dialects::jaibber;
use serde_json::{Value, json};

use crate::support::decode_context;

fn frame() -> Value {
    json!({"from": "u1", "fromUsername": "Mara", "projectId": "p1", "text": "Hi", "messageId": "m1", "type": "message"})
}

fn row() -> Value {
    json!({"id": "m1", "projectId": "p1", "senderId": "u1", "senderType": "user", "senderName": "Mara", "type": "message",
           "text": "Hi", "metadata": null, "createdAt": "2026-03-01T10:00:00.000Z"})
}

fn entry() -> Value {
    json!({"id": "m1", "conversationId": "p1", "sender": "me", "text": "Hi", "timestamp": "2026-03-01T10:00:00.000Z", "status": "done"})
}

fn presence() -> Value {
    json!({"userId": "u1", "username": "Mara"})
}

fn refused_at(value: Value) -> String {
    let shown = value.to_string();
    let refusal = jaibber::decode(value, &decode_context()).expect_err(&shown);
    refusal.field.unwrap_or_default()
}

fn with(mut value: Value, name: &str, field: Value) -> Value {
    value[name] = field;
    value
}

fn without(mut value: Value, name: &str) -> Value {
    value.as_object_mut().expect("object").remove(name);
    value
}

#[test]
fn a_value_that_is_not_an_object_is_refused() {
    for value in [json!(null), json!([]), json!(5), json!("x"), json!(true), json!([{"messageId": "m1"}])] {
        assert_eq!(refused_at(value), "");
    }
    assert_eq!(refused_at(json!({})), "type");
}

#[test]
fn a_missing_required_field_is_named() {
    for (form, names) in [
        (frame as fn() -> Value, &["from", "fromUsername", "projectId", "text", "messageId", "type"][..]),
        (row, &["id", "projectId", "senderName", "type", "text"]),
        (entry, &["id", "sender", "text", "timestamp", "status"]),
        (presence, &["username"]),
    ] {
        for &name in names {
            assert_eq!(refused_at(without(form(), name)), name);
            assert_eq!(refused_at(with(form(), name, json!(null))), name);
            assert_eq!(refused_at(with(form(), name, json!({"a": 1}))), name);
        }
    }
}

#[test]
fn wrong_values_are_named() {
    for (form, name, value) in [
        (frame as fn() -> Value, "type", json!("shout")),
        (frame, "from", json!("")),
        (frame, "messageId", json!("")),
        (frame, "projectId", json!("")),
        (frame, "responseId", json!(1)),
        (frame, "agentName", json!(["Coder"])),
        (frame, "mentions", json!("Coder")),
        (frame, "isAgentMessage", json!("true")),
        (frame, "isTaskNotification", json!(1)),
        (frame, "responseDepth", json!(-1)),
        (frame, "responseDepth", json!(1.5)),
        (frame, "responseDepth", json!(4_294_967_296_u64)),
        (frame, "respondingChain", json!({})),
        (frame, "attachments", json!({})),
        (frame, "executionMode", json!("fast")),
        (frame, "executionMode", json!(1)),
        (frame, "parentMessageId", json!(false)),
        (frame, "senderType", json!("user")),
        (frame, "conversationId", json!("p1")),
        (row, "senderType", json!("robot")),
        (row, "type", json!("chunk")),
        (row, "senderId", json!(7)),
        (row, "senderId", json!("")),
        (row, "parentMessageId", json!(7)),
        (row, "metadata", json!([])),
        (row, "createdAt", json!("yesterday")),
        (row, "createdAt", json!(1_700_000_000)),
        (entry, "sender", json!("you")),
        (entry, "status", json!("lost")),
        (entry, "timestamp", json!("yesterday")),
        (entry, "executionMode", json!("fast")),
        (entry, "attachments", json!(5)),
        (presence, "userId", json!("")),
        (presence, "isAgent", json!("yes")),
        (presence, "agents", json!({})),
        (presence, "projectIds", json!([1])),
    ] {
        assert!(refused_at(with(form(), name, value.clone())).starts_with(name), "{name}: {value}");
    }
}

#[test]
fn a_refusal_names_the_list_index() {
    let file = |field: &str, value: Value| json!([{}, {field: value}]);
    for (name, value, field) in [
        ("mentions", json!(["a", 5]), "mentions[1]"),
        ("respondingChain", json!([null]), "respondingChain[0]"),
        ("attachments", json!([5]), "attachments[0]"),
        ("attachments", file("fileSize", json!("3")), "attachments[1].fileSize"),
        ("attachments", file("fileSize", json!(-3)), "attachments[1].fileSize"),
        ("attachments", file("blobUrl", json!(3)), "attachments[1].blobUrl"),
    ] {
        assert_eq!(refused_at(with(frame(), name, value)), field);
    }
    for (agents, field) in
        [(json!([{}]), "agents[0].agentName"), (json!([{"agentName": "a"}, {"agentName": ""}]), "agents[1].agentName")]
    {
        assert_eq!(refused_at(with(presence(), "agents", agents)), field);
    }
}

#[test]
fn invalid_signals_are_refused() {
    assert_eq!(refused_at(json!({"type": "deregister", "agentName": 5})), "agentName");
    assert_eq!(refused_at(json!({"type": "task-created", "task": "t-1"})), "task");
}

#[test]
fn an_unknown_type_is_refused_with_the_known_ones() {
    let refusal = jaibber::decode(with(frame(), "type", json!("shout")), &decode_context()).expect_err("no such type");
    assert_eq!(refusal.candidates.len(), jaibber::FrameType::ALL.len());
}

#[test]
fn invalid_extras_are_refused() {
    for form in [frame as fn() -> Value, row, entry] {
        assert_eq!(refused_at(with(form(), "parlour", json!(5))), "parlour");
        assert_eq!(refused_at(with(form(), "parlour", json!({"kind": "boss"}))), "parlour.kind");
    }
}

#[test]
fn a_megabyte_is_decoded() {
    let wide = "@".repeat(1_000_000);
    for name in ["from", "fromUsername", "projectId", "text", "messageId", "parentMessageId", "agentName"] {
        let frame = with(frame(), name, json!(wide));
        let item = jaibber::decode(frame.clone(), &decode_context()).expect("a long frame");
        assert!(jaibber::encode(&item) == Some(frame), "{name}");
    }
}
