//! Parlour's own messages: the complete form, the contract form, and refusals.

mod support;

use parlour_core::{
    Code, Refusal, Timestamp,
    author::AuthorType,
    message::{Importance, Kind, Message, State},
};
use parlour_dialects::{DecodeContext, Dialect, Frame, Item, decode_line, encode_line, native};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{any_item, any_message, decode_context};

/// The shortest message that the contract of the seed allows.
fn contract() -> Value {
    json!({
        "id": "msg_1",
        "from": "agt_1",
        "type": "channel",
        "to": "chn_1",
        "body": "Hello",
        "context": {"project_id": "prj_1"},
        "created_at": "2026-11-15T09:12:00Z",
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut contract = contract();
    contract[name] = value;
    contract
}

fn read(value: Value) -> Result<Message, Refusal> {
    native::decode(value, &decode_context()).map(|item| item.message)
}

#[test]
fn fields_omitted_by_the_contract_get_defaults() {
    let message = read(contract()).expect("a message");
    assert_eq!((message.seq, message.kind, message.state), (0, Kind::Assistant, State::Complete));
    assert_eq!((message.importance, message.blocking), (Importance::Normal, false));
    assert_eq!((message.project_id.as_str(), message.context.project_id.as_str()), ("prj_1", "prj_1"));
    assert_eq!((message.from.author_type, message.from.name.as_str()), (AuthorType::Agent, "agt_1"));
    assert_eq!(message.from.member_id().map(|id| id.to_string()).as_deref(), Some("agt_1"));
}

#[test]
fn all_fields_of_the_contract_are_read() {
    let value = json!({
        "id": "msg_1", "from": "per_1", "to": "thr_1", "type": "thread", "body": "Look", "mentions": ["agt_2"],
        "artifacts": ["art_1"], "blocking": true, "importance": "critical", "created_at": "2026-11-15T09:12:00Z",
        "context": {"project_id": "prj_1", "task_id": "tsk_1", "batch_id": "bat_1"}, "correlation_id": "c-1",
    });
    let message = read(value).expect("a message");
    assert_eq!((message.kind, message.importance, message.blocking), (Kind::User, Importance::Critical, true));
    assert_eq!((message.mentions.len(), message.artifacts.len()), (1, 1));
    assert_eq!(message.context.task_id.map(|id| id.to_string()).as_deref(), Some("tsk_1"));
    assert_eq!(message.correlation_id.as_deref(), Some("c-1"));
}

#[test]
fn the_kind_follows_from_the_author() {
    for (author_type, kind) in [
        ("person", Kind::User),
        ("agent", Kind::Assistant),
        ("applet", Kind::User),
        ("scheduler", Kind::User),
        ("tool", Kind::ToolResult),
        ("host", Kind::Host),
        ("system", Kind::System),
    ] {
        let message = read(with("from", json!({"type": author_type, "name": "X"}))).expect("a message");
        assert_eq!(message.kind, kind, "{author_type}");
    }
}

#[test]
fn the_conversation_type_follows_from_its_id_and_vice_versa() {
    for (to, conversation_type) in [("chn_1", "channel"), ("thr_1", "thread"), ("dm_1", "dm")] {
        let mut value = with("to", to.into());
        value["type"] = Value::Null;
        let message = read(value).expect("a message");
        assert_eq!(serde_json::to_value(message.conversation_type).expect("a name"), conversation_type);

        let mut value = with("to", Value::Null);
        value["type"] = conversation_type.into();
        let nowhere = read(value).expect("a message").to;
        assert_eq!(serde_json::to_value(nowhere.conversation_type()).expect("a name"), conversation_type);
    }
}

#[test]
fn the_project_may_be_in_either_field() {
    let mut outer = with("project_id", "prj_1".into());
    outer["context"] = Value::Null;
    assert_eq!(read(outer.clone()), read(contract()));
    outer["context"] = json!({"task_id": "tsk_1"});
    let message = read(outer).expect("a message");
    assert_eq!((message.context.project_id.as_str(), message.context.task_id.is_some()), ("prj_1", true));
}

#[test]
fn a_message_without_a_time_gets_the_time_of_decoding() {
    let now = Timestamp::from_millis(5);
    let item = native::decode(with("created_at", Value::Null), &DecodeContext::live(now)).expect("a message");
    assert_eq!(item.message.created_at, now);
}

#[test]
fn wrong_fields_are_refused_by_their_path() {
    for (name, value, field) in [
        ("id", json!("chn_1"), "id"),
        ("id", json!(5), "id"),
        ("id", Value::Null, "id"),
        ("from", json!("mara"), "from"),
        ("from", json!(["agt_1"]), "from"),
        ("from", json!(["agent", "agt_1", "Coder"]), "from"),
        ("context", json!(["prj_1", null, null]), "context"),
        ("project_id", json!(7), "project_id"),
        ("cause", json!([1, [], [], null]), "cause"),
        ("from", json!({"type": "robot", "name": "X"}), "from.type"),
        ("from", json!({"type": "agent"}), "from.name"),
        ("from", json!({"type": "agent", "name": "X", "age": 3}), "from.age"),
        ("body", Value::Null, "body"),
        ("body", json!({}), "body"),
        ("to", json!("agt_1"), "to"),
        ("type", json!("room"), "type"),
        ("mentions", json!(["agt_1", "mara"]), "mentions[1]"),
        ("mentions", json!("agt_1"), "mentions"),
        ("artifacts", json!([7]), "artifacts[0]"),
        ("importance", json!("huge"), "importance"),
        ("blocking", json!("true"), "blocking"),
        ("created_at", json!("yesterday"), "created_at"),
        ("context", Value::Null, "context.project_id"),
        ("context", json!({}), "context.project_id"),
        ("context", json!({"project_id": "prj_1", "task_id": "x"}), "context.task_id"),
        ("context", json!({"project_id": "prj_1", "colour": "x"}), "context.colour"),
        ("correlation_id", json!(5), "correlation_id"),
        ("metadata", json!([]), "metadata"),
        ("seq", json!(-1), "seq"),
        ("steps", json!([{"id": "s"}]), "steps[0].name"),
        ("frame", json!("film"), "frame"),
    ] {
        let refused = read(with(name, value.clone())).expect_err("wrong");
        assert_eq!(refused.field.as_deref(), Some(field), "{name}: {value} {}", refused.detail);
    }
}

#[test]
fn a_value_that_is_not_an_object_is_refused() {
    for value in [Value::Null, json!([]), json!(1), json!("msg_1"), json!(true)] {
        assert!(read(value).expect_err("no message").detail.contains("object"));
    }
}

#[test]
fn an_unknown_field_is_refused() {
    let refused = read(with("mention", json!(["agt_1"]))).expect_err("unknown");
    assert_eq!((refused.code, refused.field.as_deref()), (Code::UnknownField, Some("mention")));
    assert!(refused.candidates.contains(&"mentions".to_owned()), "{:?}", refused.candidates);
    let cause = json!({"depth": 1, "chain": [], "colour": "red"});
    assert_eq!(read(with("cause", cause)).expect_err("unknown").field.as_deref(), Some("cause.colour"));
    let usage = json!({"model": "m", "input_tokens": 1, "output_tokens": 2, "price": 3});
    assert_eq!(read(with("usage", usage)).expect_err("unknown").field.as_deref(), Some("usage.price"));
}

#[test]
fn a_large_body_is_read_and_a_large_unknown_one_is_not_repeated() {
    let body = "x".repeat(1 << 20);
    assert_eq!(read(with("body", body.clone().into())).expect("a message").body.len(), body.len());
    assert!(read(with("from", body.into())).expect_err("no id").detail.len() < 300);
}

#[test]
fn a_line_and_its_value_get_the_same_refusal() {
    for (name, value) in [
        ("mention", json!([])),
        ("from", json!(["agent", "agt_1", "Coder"])),
        ("from", json!({"type": "agent", "name": "X", "age": 3})),
        ("context", json!(["prj_1", null, null])),
        ("attachments", json!([["a.txt", "text/plain", 3, null, null]])),
        ("seq", json!(-1)),
        ("cause", json!({"depth": 1, "colour": "red"})),
    ] {
        let item = native::decode(contract(), &decode_context()).expect("a message");
        let mut whole = native::encode(&item);
        whole[name] = value;
        let refused = decode_line(Dialect::Native, whole.to_string().as_bytes(), &decode_context()).expect_err("wrong");
        assert_eq!(Err(refused), native::decode(whole, &decode_context()), "{name}");
    }
    let list = b"[\"msg_1\",\"prj_1\",\"channel\"]";
    assert!(decode_line(Dialect::Native, list, &decode_context()).is_err());
}

#[test]
fn the_frame_type_is_a_field_of_the_message() {
    let item = Item { frame: Frame::Piece, message: read(contract()).expect("a message") };
    assert_eq!(native::encode(&item)["frame"], "piece");
    assert_eq!(native::decode(native::encode(&item), &decode_context()), Ok(item));
}

proptest! {
    #[test]
    fn text_and_value_decode_to_the_same_message(item in any_item()) {
        let mut line = Vec::new();
        prop_assert!(encode_line(Dialect::Native, &item, &mut line));
        let value: Value = serde_json::from_slice(&line).expect("JSON");
        prop_assert_eq!(&value, &native::encode(&item));
        prop_assert_eq!(decode_line(Dialect::Native, &line, &decode_context()), native::decode(value, &decode_context()));
    }

    #[test]
    fn a_complete_message_survives_a_round_trip(message in any_message()) {
        let printed = serde_json::to_value(&message).expect("plain data");
        prop_assert_eq!(read(printed), Ok(message));
    }
}
