//! Invalid messages are refused with the name of the field and the rule.

use parlour_core::Code;
use parlour_dialects::tkr;
use serde_json::{Value, json};

use crate::{answer, support::decode_context, with};

/// Checks that both `validate` and `decode` refuse a message for this field.
fn refused(value: Value, field: &str, rule: &str) {
    let refusals = [tkr::validate(&value).err(), tkr::decode(value.clone(), &decode_context()).err()];
    for refusal in refusals {
        let refusal = refusal.unwrap_or_else(|| panic!("accepted: {value:#}"));
        assert_eq!(refusal.field.as_deref(), Some(field), "{value:#}");
        assert!(refusal.detail.contains(rule), "{}", refusal.detail);
        assert!(refusal.detail.len() < 300, "no more than is needed");
    }
}

#[test]
fn a_field_of_another_type_is_refused_by_its_original_name() {
    for name in ["id", "timestamp", "session_id", "from_agent", "to_agent", "in_reply_to", "task_id"] {
        refused(with(json!({name: 5})), name, "a string");
        refused(with(json!({name: ["a"]})), name, "a string");
    }
    for name in
        ["sessionId", "fromAgent", "inReplyTo", "taskId", "contextId", "errorCode", "severity", "status", "text"]
    {
        refused(with(json!({name: 5})), name, "a string");
    }
    for name in ["from_user", "fromUser", "streaming", "turn_complete", "turnComplete", "recoverable"] {
        refused(with(json!({name: "true"})), name, "a boolean");
    }
    refused(with(json!({"metadata": "x"})), "metadata", "an object");
    refused(with(json!({"targetAgents": "x"})), "targetAgents", "an array of strings");
    refused(with(json!({"target_agents": ["a", 2]})), "target_agents[1]", "a string");
}

#[test]
fn a_content_is_a_text_or_an_object() {
    for content in [json!(["a"]), json!([]), json!(5), json!(true)] {
        refused(with(json!({"content": content})), "content", "a string or an object");
    }
    for content in [json!(""), json!("a"), json!({}), json!({"a": [1]})] {
        assert_eq!(tkr::validate(&with(json!({"content": content}))), Ok(()));
    }
}

#[test]
fn an_unknown_type_is_refused_with_the_known_ones() {
    for message_type in [json!("message"), json!("Text"), json!("")] {
        let refusal = tkr::validate(&with(json!({"type": message_type}))).expect_err("no such type");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::WrongShape, Some("type")));
        assert_eq!(refusal.candidates.len(), 9);
    }
    refused(with(json!({"type": 5})), "type", "a string");
    refused(with(json!({"type": {"a": 1}})), "type", "a string");
}

#[test]
fn each_type_has_its_required_fields() {
    refused(with(json!({"content": null})), "content", "required");
    refused(with(json!({"from_user": false})), "from_agent", "requires the id of its agent");
    refused(with(json!({"from_user": false, "from_agent": ""})), "from_agent", "requires the id of its agent");
    refused(with(json!({"type": "agent_message"})), "from_agent", "required");
    refused(with(json!({"type": "agent_message", "from_agent": ""})), "from_agent", "empty");
    refused(with(json!({"type": "context_update", "context_id": "c"})), "from_agent", "required");
    refused(answer(json!({"type": "context_update", "context_data": {}})), "context_id", "required");
    refused(answer(json!({"type": "context_update", "context_id": ""})), "context_id", "empty");
    refused(with(json!({"type": "task_update"})), "task_id", "required");
    refused(with(json!({"type": "error", "content": null})), "content", "required");
}

#[test]
fn optional_fields_of_a_type_can_be_missing() {
    for valid in [
        with(json!({"content": ""})),
        answer(json!({"content": null})),
        answer(json!({"type": "agent_message", "content": null})),
        answer(json!({"type": "agent_message", "target_agents": ["a", "b"]})),
        answer(json!({"type": "context_update", "context_id": "c", "content": null})),
        with(json!({"type": "task_update", "task_id": "t", "from_user": null, "content": null})),
        with(json!({"type": "task_update", "task_id": "t", "action": "reopen"})),
        with(json!({"type": "error", "from_user": null, "severity": "catastrophic"})),
        with(json!({"type": "system", "from_user": null, "content": null, "severity": "info"})),
        with(json!({"type": "ping", "from_user": null, "content": null})),
        with(json!({"type": "ack", "from_user": null, "content": null})),
    ] {
        assert_eq!(tkr::validate(&valid), Ok(()), "{valid:#}");
        assert_eq!(tkr::validate(&tkr::standard_to_legacy(valid.clone())), Ok(()), "{valid:#}");
        assert!(tkr::decode(valid, &decode_context()).is_ok());
    }
}

#[test]
fn a_valid_message_has_an_id_a_type_a_time_and_a_session() {
    for name in ["id", "type", "timestamp", "session_id"] {
        let refusal = tkr::validate(&with(json!({name: null}))).expect_err("missing");
        assert_eq!(refusal.field.as_deref(), Some(name));
        assert!(tkr::decode(with(json!({name: null})), &decode_context()).is_ok(), "but it is read without");
    }
    for name in ["id", "timestamp", "session_id"] {
        assert_eq!(tkr::validate(&with(json!({name: ""}))).expect_err("empty").field.as_deref(), Some(name));
    }
}

#[test]
fn an_invalid_time_is_refused() {
    for time in ["yesterday", "12:00", "2023-13-01T00:00:00Z", "2023-05-01", "1682944496"] {
        refused(with(json!({"timestamp": time})), "timestamp", "ISO 8601");
        let ping = with(json!({"type": "ping", "timestamp": time}));
        assert_eq!(tkr::decode(ping, &decode_context()).expect_err("no time").field.as_deref(), Some("timestamp"));
    }
}

#[test]
fn a_value_that_is_not_an_object_is_refused() {
    for value in [json!(null), json!([]), json!([{"id": "1"}]), json!(5), json!(true), json!("text")] {
        for refusal in [tkr::validate(&value).err(), tkr::decode(value.clone(), &decode_context()).err()] {
            let detail = refusal.expect("refused").detail;
            assert!(detail.starts_with("a TKR message must be an object, not "), "{detail}");
        }
    }
}

#[test]
fn invalid_extras_are_refused_with_their_path() {
    let extras = |extras: Value| tkr::decode(with(json!({"metadata": {"parlour": extras}})), &decode_context());
    for (value, field) in [
        (json!(5), "metadata.parlour"),
        (json!({"x": 1}), "metadata.parlour.x"),
        (json!({"importance": "huge"}), "metadata.parlour.importance"),
    ] {
        assert_eq!(extras(value).expect_err("refused").field.as_deref(), Some(field));
    }
    assert!(extras(json!({"importance": "high"})).is_ok());
}

#[test]
fn a_megabyte_in_any_field_is_decoded_or_refused_briefly() {
    let long = "x".repeat(1_000_000);
    for name in ["id", "session_id", "from_agent", "to_agent", "in_reply_to", "task_id", "content", "strange"] {
        let value = answer(json!({name: long}));
        let item = tkr::decode(value.clone(), &decode_context()).expect("long and valid");
        assert_eq!(tkr::encode(&item), Some(value), "{name}");
    }
    refused(with(json!({"timestamp": long})), "timestamp", "ISO 8601");
    refused(with(json!({"type": long})), "type", "unknown type");
    refused(with(json!({"from_user": long})), "from_user", "a boolean");
}

#[test]
fn an_invalid_row_is_refused_with_its_column() {
    let row = |changes: Value| {
        let mut row = json!({
            "message_uuid": "r", "session_id": "s", "type": "agent", "agent_id": "phil", "parts": [],
            "message_metadata": {}, "created_at": "2023-05-01T12:34:56Z",
        });
        row.as_object_mut().expect("an object").extend(changes.as_object().cloned().expect("an object"));
        tkr::decode(row, &decode_context()).expect_err("refused").field.expect("a field")
    };
    let cases = [
        (json!({"message_uuid": 5}), "message_uuid"),
        (json!({"message_uuid": null}), "message_uuid"),
        (json!({"session_id": ""}), "session_id"),
        (json!({"type": "text"}), "type"),
        (json!({"type": null}), "type"),
        (json!({"agent_id": null}), "agent_id"),
        (json!({"agent_id": 7}), "agent_id"),
        (json!({"parts": "x"}), "parts"),
        (json!({"parts": ["x"]}), "parts[0]"),
        (json!({"parts": [{"type": "text", "content": 5}]}), "parts[0].content"),
        (json!({"message_metadata": []}), "message_metadata"),
        (json!({"message_metadata": {"streaming": "yes"}}), "message_metadata.streaming"),
        (json!({"message_metadata": {"message_id": 5}}), "message_metadata.message_id"),
        (json!({"created_at": 5}), "created_at"),
        (json!({"created_at": "never"}), "timestamp"),
        (json!({"parlour": {"x": 1}}), "parlour.x"),
    ];
    for (changes, field) in cases {
        assert_eq!(row(changes.clone()), field, "{changes}");
    }
}
