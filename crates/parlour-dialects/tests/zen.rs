//! Messages of the old store: decoding, round trips and refusals.

#[path = "zen/any_form.rs"]
mod any_form;
#[path = "zen/injection.rs"]
mod injection;
mod support;

use any_form::any_form;
use parlour_core::{
    Refusal,
    author::AuthorType,
    conversation::ConversationType,
    message::{Importance, Kind, Message},
};
use parlour_dialects::{Dialect, Frame, zen};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{any_message, convert_and_return, decode_context};

/// A message of a channel, as the store kept it in memory.
fn channel_message() -> Value {
    json!({
        "id": "c:ch:demo:general:1757000000000",
        "type": "channel",
        "channel_id": "ch:demo:general",
        "from": "planner",
        "body": "Ready?",
        "mentions": ["coder"],
        "artifacts": [],
        "blocking": true,
        "importance": "high",
        "ts": 1_757_000_000_000_i64,
        "resume_token": "0f0e0d0c0b0a09080706050403020100",
    })
}

fn dm_message() -> Value {
    json!({
        "id": "dm:coder:planner:1757000000001", "type": "dm", "members": ["coder", "planner"], "from": "coder",
        "body": "Yes", "blocking": false, "importance": "normal", "ts": 1_757_000_000_001_i64,
    })
}

fn thread_message() -> Value {
    json!({
        "id": "th:c:ch:demo:general:1757000000000:1757000000002:a1b2c3", "type": "thread",
        "channel_id": "ch:demo:general", "root": "c:ch:demo:general:1757000000000", "from": "coder", "body": "On it",
        "ts": 1_757_000_000_002_i64,
    })
}

fn with(mut form: Value, name: &str, value: Value) -> Value {
    form[name] = value;
    form
}

fn without(mut form: Value, names: &[&str]) -> Value {
    let fields = form.as_object_mut().expect("an object");
    names.iter().for_each(|name| drop(fields.remove(*name)));
    form
}

fn read(form: Value) -> Result<Message, Refusal> {
    zen::decode(form, &decode_context()).map(|item| item.message)
}

#[test]
fn a_channel_message_is_decoded() {
    let message = read(channel_message()).expect("a message");
    assert_eq!((message.from.id.as_deref(), message.from.author_type), (Some("zen:planner"), AuthorType::Agent));
    assert_eq!((message.kind, message.importance), (Kind::Assistant, Importance::High));
    assert_eq!(message.project_id.as_str(), "prj_f_demo");
    assert_eq!(message.created_at.as_millis(), 1_757_000_000_000);
    assert_eq!((message.body.as_str(), message.conversation_type), ("Ready?", ConversationType::Channel));
}

#[test]
fn tokens_and_ids_of_the_old_store_are_preserved() {
    let message = read(channel_message()).expect("a message");
    assert_eq!(
        message.metadata["zen"],
        json!({
            "id": "c:ch:demo:general:1757000000000",
            "channel_id": "ch:demo:general",
            "mentions": ["coder"],
            "blocking": true,
            "resume_token": "0f0e0d0c0b0a09080706050403020100",
        })
    );
}

#[test]
fn an_imported_blocking_message_has_no_question() {
    let message = read(channel_message()).expect("a message");
    assert!(!message.blocking && message.question.is_none() && message.calls.is_empty());
}

#[test]
fn the_order_of_dm_members_does_not_matter() {
    let to = read(dm_message()).expect("a message").to;
    for (names, fields) in [
        (&["members"][..], json!({"members": ["planner", "coder"]})),
        (&["members"], json!({"members": "coder,planner"})),
        (&["members"], json!({"a": "planner", "b": "coder"})),
        (&["members", "type"], json!({"a": "coder", "b": "planner"})),
        (&["members", "type"], json!({})),
    ] {
        let mut form = without(dm_message(), names);
        for (name, value) in fields.as_object().expect("an object") {
            form[name] = value.clone();
        }
        assert_eq!(read(form.clone()).expect("a message").to, to, "{form}");
    }
}

#[test]
fn a_reply_refers_to_the_root_message_of_its_thread() {
    let root = read(channel_message()).expect("a message").id;
    let reply = read(thread_message()).expect("a message");
    assert_eq!((reply.reply_to, reply.conversation_type), (Some(root), ConversationType::Thread));
    let unsaid = without(thread_message(), &["root", "type"]);
    assert_eq!(read(unsaid).expect("a message").to, reply.to, "the id contains it too");
}

#[test]
fn a_redis_hash_decodes_to_the_same_message_and_survives_a_round_trip() {
    let hash = json!({
        "id": "c:ch:demo:general:1757000000000", "type": "channel", "channel_id": "ch:demo:general", "from": "planner",
        "body": "Ready?", "mentions": "[\"coder\"]", "artifacts": "[]", "blocking": "True", "importance": "high",
        "ts": "1757000000000", "resume_token": "0f0e0d0c0b0a09080706050403020100", "resolved": "True",
        "resolved_ts": "1757000009000", "resolved_by": "coder,tester",
    });
    let (plain, message) = (read(channel_message()).expect("a message"), read(hash.clone()).expect("a message"));
    assert_eq!(Message { metadata: plain.metadata.clone(), ..message.clone() }, plain);
    assert_eq!(zen::encode(&zen::decode(hash.clone(), &decode_context()).expect("a message")), Some(hash));
}

#[test]
fn a_postgres_row_survives_a_round_trip_with_its_nulls() {
    let row = json!({
        "id": "dm:a:b:5", "type": "dm", "channel_id": null, "members": ["a", "b"], "root": null, "from": "a",
        "body": "x", "mentions": [], "blocking": false, "resume_token": null, "resolved": false, "resolved_ts": null,
        "ts": 5,
    });
    assert_eq!(convert_and_return(Dialect::Zen, Dialect::Native, &row), Some(row));
}

#[test]
fn references_are_read_from_context_or_meta() {
    for ties in [
        json!({"context": {"project_id": "p", "task_id": "t", "batch_id": "b"}, "correlation_id": "c"}),
        json!({"meta": {"project_id": "p", "task_id": "t", "batch_id": "b", "correlation_id": "c"}}),
        json!({"project_id": "p", "meta": "{\"task_id\":\"t\",\"batch_id\":\"b\",\"correlation_id\":\"c\"}"}),
    ] {
        let mut form = channel_message();
        for (name, value) in ties.as_object().expect("an object") {
            form[name] = value.clone();
        }
        let message = read(form.clone()).expect("a message");
        assert_eq!(message.project_id.as_str(), "prj_f_p", "{ties}");
        assert_eq!(message.context.task_id.expect("a task").as_str(), "tsk_f_t", "{ties}");
        assert_eq!(message.context.batch_id.expect("a batch").as_str(), "bat_f_b", "{ties}");
        assert_eq!(message.correlation_id.as_deref(), Some("c"), "{ties}");
        assert_eq!(convert_and_return(Dialect::Zen, Dialect::Native, &form), Some(form));
    }
}

#[test]
fn the_time_is_read_from_several_fields() {
    for (name, value) in [
        ("ts", json!(1_757_000_000_000_i64)),
        ("ts", json!("1757000000000")),
        ("created_at", json!(1_757_000_000_000_i64)),
        ("created_at", json!("1757000000000")),
        ("created_at", json!("2025-09-04T15:33:20Z")),
        ("id", json!("c:ch:demo:general:1757000000000")),
    ] {
        let form = with(without(channel_message(), &["ts"]), name, value);
        assert_eq!(read(form.clone()).expect("a message").created_at.as_millis(), 1_757_000_000_000, "{form}");
        assert_eq!(convert_and_return(Dialect::Zen, Dialect::Native, &form), Some(form));
    }
}

#[test]
fn native_ids_among_mentions_and_artifacts_are_members_and_artifacts() {
    let form = with(channel_message(), "mentions", json!(["agt_1", "coder", "per_2"]));
    let message = read(with(form, "artifacts", json!(["art_1"]))).expect("a message");
    assert_eq!((message.mentions.len(), message.artifacts.len()), (2, 1));
    assert_eq!(message.metadata["zen"]["mentions"], json!(["agt_1", "coder", "per_2"]));
    assert_eq!(message.metadata["zen"].get("artifacts"), None);
}

#[test]
fn records_of_conversations_are_signals() {
    for record in [
        json!({"id": "ch:p:general", "project_id": "p", "name": "general", "visibility": "project", "created_at": 1}),
        json!({"id": "t1", "channel_id": "ch:p:general", "root_message_id": "c:x:1", "created_at": 1}),
        json!({"id": "d1", "participants": ["a", "b"], "created_at": 1}),
    ] {
        let item = zen::decode(record.clone(), &decode_context()).expect("a record");
        assert_eq!((item.frame, zen::encode(&item)), (Frame::Signal, Some(record)));
    }
}

#[test]
fn wrong_fields_are_refused_by_their_names() {
    for (name, value, field) in [
        ("id", Value::Null, "id"),
        ("id", json!(7), "id"),
        ("from", Value::Null, "from"),
        ("from", json!({"id": "x"}), "from"),
        ("body", Value::Null, "body"),
        ("body", json!(["x"]), "body"),
        ("type", json!("room"), "type"),
        ("type", json!(1), "type"),
        ("channel_id", json!([]), "channel_id"),
        ("mentions", json!([1]), "mentions[0]"),
        ("mentions", json!({}), "mentions"),
        ("artifacts", json!("[1]"), "artifacts"),
        ("blocking", json!("perhaps"), "blocking"),
        ("importance", json!(3), "importance"),
        ("ts", json!("soon"), "ts"),
        ("ts", json!(-1), "ts"),
        ("ts", json!(1.5), "ts"),
        ("ts", json!(9_000_000_000_000_000_i64), "ts"),
        ("resume_token", json!(5), "resume_token"),
        ("resolved", json!([]), "resolved"),
        ("resolved_ts", json!("later"), "resolved_ts"),
        ("resolved_by", json!(5), "resolved_by"),
        ("context", json!("x"), "context"),
        ("context", json!({"task_id": 5}), "context.task_id"),
        ("meta", json!({"correlation_id": 5}), "meta.correlation_id"),
        ("project_id", json!(5), "project_id"),
        ("absent", json!(5), "absent"),
        ("parlour", json!(5), "parlour"),
    ] {
        let refused = read(with(channel_message(), name, value.clone())).expect_err("wrong");
        assert_eq!(refused.field.as_deref(), Some(field), "{name}: {value}");
    }
}

#[test]
fn a_message_without_a_conversation_is_refused() {
    for (form, field) in [
        (with(without(channel_message(), &["channel_id"]), "id", "x".into()), "channel_id"),
        (with(without(thread_message(), &["root"]), "id", "x".into()), "root"),
        (with(without(dm_message(), &["members"]), "id", "x".into()), "members"),
        (with(dm_message(), "members", json!(["a"])), "members"),
        (with(dm_message(), "members", json!(["a", "b", "c"])), "members"),
        (with(without(dm_message(), &["members"]), "a", "x".into()), "b"),
        (with(without(channel_message(), &["ts"]), "id", "x".into()), "ts"),
    ] {
        assert_eq!(read(form.clone()).expect_err("nowhere").field.as_deref(), Some(field), "{form}");
    }
    for value in [Value::Null, json!([]), json!(1), json!("x")] {
        assert!(read(value).expect_err("no message").detail.contains("object"));
    }
}

#[test]
fn a_native_message_has_the_format_of_the_store() {
    let message = read(without(channel_message(), &["resume_token"])).expect("a message");
    let native = Message { id: "msg_1".parse().expect("an id"), to: "chn_1".parse().expect("an id"), ..message };
    let mut native = Message { metadata: serde_json::Map::new(), ..native };
    native.from.id = Some("agt_1".to_owned());
    let form = zen::encode(&parlour_dialects::Item::message(native)).expect("a message");
    assert_eq!(
        without(form, &["parlour"]),
        json!({
            "id": "msg_1", "type": "channel", "channel_id": "chn_1", "from": "agt_1", "body": "Ready?", "mentions": [],
            "artifacts": [], "blocking": false, "importance": "high", "ts": 1_757_000_000_000_i64, "project_id": "demo",
        })
    );
}

#[test]
fn metadata_cannot_replace_author_or_text() {
    let mut item = zen::decode(channel_message(), &decode_context()).expect("a message");
    item.message.metadata["zen"]["body"] = "forged".into();
    item.message.metadata["zen"]["from"] = "forged".into();
    item.message.metadata["zen"]["ts"] = json!({"not": "a time"});
    let form = zen::encode(&item).expect("a message");
    assert_eq!((&form["body"], &form["from"]), (&json!("Ready?"), &json!("planner")));
    assert_eq!(zen::decode(form, &decode_context()), Ok(item));
}

proptest! {
    #[test]
    fn every_form_survives_a_round_trip(form in any_form()) {
        for other in [Dialect::Native, Dialect::Zen, Dialect::A2a] {
            let again = convert_and_return(Dialect::Zen, other, &form);
            prop_assert_eq!(again.as_ref(), Some(&form), "over {}", other);
        }
    }

    #[test]
    fn any_metadata_survive_a_round_trip(message in any_message(), form in any_form()) {
        let mut message = message;
        message.metadata.insert("zen".to_owned(), form);
        let item = parlour_dialects::Item::message(message);
        let again = zen::decode(zen::encode(&item).expect("a message"), &decode_context());
        prop_assert_eq!(again, Ok(item));
    }
}
