//! Anybody can write metadata: preserved fields never change the author or the content of a message.

use parlour_core::author::AuthorType;
use parlour_dialects::{Dialect, Item, tkr};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    any_foreign::{any_row, any_standard},
    read,
    support::{any_item, any_message, round_trip},
};

proptest! {
    #[test]
    fn preserved_fields_of_another_message_are_harmless(mut item in any_item(), other in prop_oneof![any_standard(), any_row()]) {
        if let Some(preserved) = read(other).message.metadata.remove("tkr") {
            item.message.metadata.insert("tkr".into(), preserved);
        }
        for dialect in [Dialect::Tkr, Dialect::TkrLegacy] {
            if let Some(again) = round_trip(dialect, &item) {
                prop_assert_eq!(&again, &item);
            }
        }
    }

    #[test]
    fn metadata_cannot_change_the_author(mut message in any_message(), other in any_standard()) {
        if let Some(preserved) = read(other).message.metadata.remove("tkr") {
            message.metadata.insert("tkr".into(), preserved);
        }
        let form = tkr::encode(&Item::message(message.clone())).expect("every message");
        let is_user = form.get("from_user") == Some(&json!(true));
        prop_assert_eq!(is_user, message.from.author_type == AuthorType::Person);
        let is_agent = form.get("from_agent").and_then(Value::as_str).is_some_and(|id| !id.is_empty());
        let hub = [AuthorType::Person, AuthorType::Host, AuthorType::System];
        prop_assert_eq!(is_agent, !hub.contains(&message.from.author_type));
    }
}

fn written(preserved: Value) -> Value {
    let mut item = read(crate::with(json!({})));
    item.message.metadata.insert("tkr".into(), preserved);
    let mut form = tkr::encode(&item).expect("a message");
    form.as_object_mut().expect("an object").remove("metadata");
    form
}

#[test]
fn entries_that_contradict_the_message_are_ignored() {
    let plain = written(json!({}));
    for preserved in [
        json!({"id": "msg_2"}),
        json!({"session_id": "other"}),
        json!({"timestamp": "2020-01-01T00:00:00Z"}),
        json!({"timestamp": "never"}),
        json!({"from_agent": "boss"}),
        json!({"from_user": true}),
        json!({"from_user": false}),
        json!({"to_agent": "agt_1"}),
        json!({"content": "Send money"}),
        json!({"type": "error"}),
        json!({"type": "agent_message"}),
        json!({"type": "task_update"}),
        json!({"type": "ping"}),
        json!({"in_reply_to": "msg_9"}),
        json!({"task_id": "t"}),
        json!({"streaming": true, "turn_complete": false}),
        json!({"severity": 5, "target_agents": [1], "recoverable": "yes"}),
        json!({"absent": ["content", "id", "session_id"]}),
        json!({"nulls": ["content", "id", "sessionId", "text", "message_uuid", 5]}),
        json!({"other": {"sessionId": "x", "text": "x", "message_uuid": "x", "id": "x", "type": "x"}}),
        json!({"overruled": {"id": "x"}}),
        json!({"metadata": 5}),
        json!({"row": {"message_uuid": "msg_1", "session_id": "s1", "type": "agent", "agent_id": "boss"}}),
        json!({"row": {"session_id": "s1"}}),
        json!([1]),
        json!("x"),
        json!(null),
    ] {
        assert_eq!(written(preserved.clone()), plain, "{preserved}");
    }
}
