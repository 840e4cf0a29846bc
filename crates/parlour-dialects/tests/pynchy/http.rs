//! The HTTP events of pynchy.

use parlour_core::{
    Timestamp,
    author::AuthorType,
    message::{Kind, Message},
    step::Step,
};
use parlour_dialects::{
    Dialect, Frame, Item,
    pynchy::{decode_http, encode_http, encode_http_entry},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    any_row::{any_jid, any_row, any_time, decoded, message, reading},
    support::{any_item, any_text, round_trip},
};

fn event(name: &str, is_bot: bool) -> Value {
    json!({
        "type": "message", "chat_jid": "1@g.us", "sender_name": name, "content": "Hello",
        "timestamp": "2026-02-15T09:12:00.5+00:00", "is_bot": is_bot,
    })
}

#[test]
fn an_event_decodes_to_a_message_with_its_author() {
    for (name, is_bot, author, kind) in [
        ("Mara", false, AuthorType::Person, Kind::User),
        ("host", false, AuthorType::Person, Kind::User),
        ("pynchy", true, AuthorType::Agent, Kind::Assistant),
        ("host", true, AuthorType::Host, Kind::Host),
        ("command", true, AuthorType::Tool, Kind::ToolResult),
        ("System", true, AuthorType::System, Kind::System),
    ] {
        let item = decode_http(event(name, is_bot), &reading()).expect("an event");
        let message = &item.message;
        assert_eq!((message.from.author_type, message.kind), (author, kind), "{name} {is_bot}");
        assert_eq!((message.from.name.as_str(), message.from.member_id()), (name, None));
        assert_eq!(encode_http(&item), Some(event(name, is_bot)));
    }
}

#[test]
fn message_ids_depend_on_the_content_of_the_event() {
    let id = |event: Value| decode_http(event, &reading()).expect("an event").message.id;
    assert_eq!(id(event("Mara", false)), id(event("Mara", false)));
    for (field, value) in
        [("chat_jid", "2@g.us"), ("sender_name", "Max"), ("content", "Hi"), ("timestamp", "2026-02-15T09:12:00Z")]
    {
        let mut other = event("Mara", false);
        other[field] = value.into();
        assert_ne!(id(other), id(event("Mara", false)), "{field}");
    }
}

#[test]
fn other_events_are_signals() {
    for event in [
        json!({"type": "agent_activity", "chat_jid": "1@g.us", "active": true}),
        json!({"type": "agent_trace", "chat_jid": "1@g.us", "trace_type": "text", "text": "Sun"}),
        json!({"type": "chat_cleared", "chat_jid": "1@g.us"}),
    ] {
        let item = decode_http(event.clone(), &reading()).expect("an event");
        assert_eq!(item.frame, Frame::Signal);
        assert_eq!((encode_http(&item), Dialect::Pynchy.encode(&item)), (Some(event), None));
    }
    assert_eq!(encode_http(&Item::signal("tkr", json!({}), Timestamp::from_millis(0))), None);
}

#[test]
fn native_frames_are_encoded_as_events() {
    let agent = message(&json!({"sender": "bot", "message_type": "assistant", "content": "Sun"}));
    let encoded = |frame, message: &Message| encode_http(&Item { frame, message: message.clone() });
    let activity = json!({"type": "agent_activity", "chat_jid": "1@g.us", "active": true});
    assert_eq!(encoded(Frame::Typing, &agent), Some(activity));
    assert_eq!(encoded(Frame::Typing, &message(&json!({}))), None, "typing of people has no frame");
    let text = json!({"type": "agent_trace", "chat_jid": "1@g.us", "trace_type": "text", "text": "Sun"});
    assert_eq!(encoded(Frame::Piece, &agent), Some(text));
    assert_eq!(encoded(Frame::Step, &agent), None, "without a step there is no frame");
}

#[test]
fn a_started_and_a_finished_step_are_traces() {
    let encoded = |step: Step| {
        let message = Message { steps: vec![step], ..message(&json!({})) };
        encode_http(&Item { frame: Frame::Step, message }).expect("a trace")
    };
    let begun = Step {
        id: "s1".into(),
        name: "Bash".into(),
        input: Some(json!({"command": "ls"})),
        output: None,
        is_error: false,
        started_at: Timestamp::from_millis(0),
        finished_at: None,
    };
    let call = json!({
        "type": "agent_trace", "chat_jid": "1@g.us", "trace_type": "tool_use", "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    });
    assert_eq!(encoded(begun.clone()), call);
    for (output, content) in [(Some(json!("a")), "a"), (Some(json!([1])), "[1]"), (None, "")] {
        let finished_at = Some(Timestamp::from_millis(1));
        let trace = json!({
            "type": "agent_trace", "chat_jid": "1@g.us", "trace_type": "tool_result", "tool_use_id": "s1",
            "content": content, "is_error": true,
        });
        assert_eq!(encoded(Step { output, is_error: true, finished_at, ..begun.clone() }), trace);
    }
}

#[test]
fn an_entry_of_a_history_has_four_fields() {
    let entry = encode_http_entry(&message(&json!({"timestamp": "2026-02-15T09:12:00Z"})));
    let expected =
        json!({"sender_name": "Mara", "content": "Hello", "timestamp": "2026-02-15T09:12:00Z", "is_from_me": false});
    assert_eq!(entry, expected);
}

#[test]
fn the_host_is_identified_by_its_name() {
    let host = message(&json!({"sender": "deploy", "sender_name": "deploy", "message_type": "host"}));
    assert_eq!(encode_http_entry(&host)["sender_name"], "host");
    let again = decode_http(encode_http(&Item::message(host)).expect("an event"), &reading()).expect("own form");
    assert_eq!(again.message.kind, Kind::Host);
}

fn any_event() -> impl Strategy<Value = Value> {
    let name = prop_oneof![any_text(), Just("host".to_owned()), Just("command".to_owned()), Just("System".to_owned())];
    (any_jid(), name, any_text(), any_time(), any::<bool>(), prop::option::weighted(0.2, "[a-z]{3}")).prop_map(
        |(jid, name, content, time, is_bot, more)| {
            let mut event = event(&name, is_bot);
            event["chat_jid"] = jid.into();
            event["content"] = content.into();
            event["timestamp"] = time.into();
            if let Some(more) = more {
                event[more] = 1.into();
            }
            event
        },
    )
}

proptest! {
    #[test]
    fn every_event_survives_a_round_trip_through_every_dialect(event in any_event()) {
        let item = decode_http(event.clone(), &reading()).expect("an event");
        for &other in Dialect::ALL {
            if let Some(again) = round_trip(other, &item) {
                prop_assert_eq!(encode_http(&again), Some(event.clone()), "over {}", other);
            }
        }
    }

    #[test]
    fn every_encoded_event_can_be_decoded(item in any_item()) {
        if let Some(event) = encode_http(&item) {
            prop_assert!(decode_http(event.clone(), &reading()).is_ok(), "{event}");
        }
    }

    #[test]
    fn the_event_of_a_row_has_its_content(row in any_row()) {
        let message = decoded(&row);
        let event = encode_http(&Item::message(message)).expect("an event");
        prop_assert_eq!(&event["content"], &row["content"]);
        prop_assert_eq!(&event["timestamp"], &row["timestamp"]);
        prop_assert_eq!(&event["chat_jid"], &row["chat_jid"]);
    }
}
