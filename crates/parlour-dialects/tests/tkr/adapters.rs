//! The five adapters, applied to every known form.

use parlour_dialects::tkr::{
    is_legacy_format, is_standard_format, legacy_to_standard, normalize_message, standard_to_legacy,
};
use serde_json::{Value, json};

use crate::{answer, read, support::decode_context, with};

fn normal(value: Value) -> Value {
    normalize_message(value.clone(), &decode_context()).unwrap_or_else(|refusal| panic!("{refusal:?}\n{value:#}"))
}

fn legacy(changes: Value) -> Value {
    standard_to_legacy(with(changes))
}

#[test]
fn the_form_is_recognised_by_id_and_session_field() {
    let cases = [
        (json!({"id": "1", "session_id": "s"}), true, false),
        (json!({"id": "1", "sessionId": "s"}), false, true),
        (json!({"id": "1", "sessionId": "s", "session_id": "s"}), true, true),
        (json!({"id": "1"}), false, false),
        (json!({"session_id": "s", "sessionId": "s"}), false, false),
        (json!({"id": null, "session_id": "s"}), false, false),
        (json!({"id": "1", "session_id": null}), false, false),
        (json!({"message_uuid": "1", "session_id": "s"}), false, false),
        (json!({}), false, false),
        (json!(null), false, false),
        (json!([{"id": "1", "session_id": "s"}]), false, false),
        (json!(5), false, false),
        (json!("id"), false, false),
    ];
    for (value, is_standard, is_legacy) in cases {
        assert_eq!((is_standard_format(&value), is_legacy_format(&value)), (is_standard, is_legacy), "{value}");
    }
}

#[test]
fn every_field_has_its_legacy_name() {
    let standard = json!({
        "id": "1", "type": "text", "timestamp": "t", "session_id": "s", "content": "c", "from_agent": "a",
        "from_user": false, "to_agent": "b", "in_reply_to": "0", "streaming": false, "turn_complete": false,
        "metadata": {"session_id": "stays"}, "context_id": "x", "context_data": 1, "target_agents": ["b"],
        "task_id": "t", "status": "done", "action": "update", "result": 2, "error_code": "e", "error_details": 3,
        "severity": "info", "recoverable": false, "message_type": "question",
    });
    let legacy = json!({
        "id": "1", "type": "text", "timestamp": "t", "sessionId": "s", "content": "c", "text": "c", "fromAgent": "a",
        "fromUser": false, "toAgent": "b", "inReplyTo": "0", "streaming": false, "turnComplete": false,
        "metadata": {"session_id": "stays"}, "contextId": "x", "contextData": 1, "targetAgents": ["b"],
        "taskId": "t", "status": "done", "action": "update", "result": 2, "errorCode": "e", "errorDetails": 3,
        "severity": "info", "recoverable": false, "message_type": "question",
    });
    assert_eq!(standard_to_legacy(standard.clone()), legacy);
    assert_eq!(legacy_to_standard(legacy.clone()), standard);
    assert_eq!(standard_to_legacy(legacy.clone()), legacy, "a legacy message stays one");
    assert_eq!(legacy_to_standard(standard.clone()), standard, "a standard message stays one");
}

#[test]
fn only_a_text_content_is_repeated_in_the_legacy_form() {
    let object = json!({"content": {"a": 1}});
    assert_eq!(standard_to_legacy(object.clone()), object);
    assert_eq!(legacy_to_standard(json!({"content": {"a": 1}, "text": "{'a': 1}"})), object);
    assert_eq!(legacy_to_standard(json!({"text": "a"})), json!({"content": "a"}));
    assert_eq!(legacy_to_standard(json!({"text": "a", "content": "b"})), json!({"content": "b"}));
    assert_eq!(legacy_to_standard(json!({"text": "a", "content": null})), json!({"content": "a"}));
    assert_eq!(legacy_to_standard(json!({"text": "a", "content": ""})), json!({"content": ""}));
}

#[test]
fn the_legacy_spelling_takes_precedence() {
    let cases = [
        (json!({"sessionId": "l", "session_id": "s"}), "l"),
        (json!({"sessionId": null, "session_id": "s"}), "s"),
        (json!({"sessionId": "", "session_id": "s"}), "s"),
        (json!({"sessionId": "l", "session_id": null}), "l"),
        (json!({"sessionId": "l", "session_id": ""}), "l"),
    ];
    for (value, session) in cases {
        assert_eq!(legacy_to_standard(value.clone()), json!({"session_id": session}), "{value}");
        assert_eq!(standard_to_legacy(value.clone()), json!({"sessionId": session}), "{value}");
        let mut message = with(json!({"session_id": null}));
        message.as_object_mut().expect("an object").extend(value.as_object().cloned().expect("an object"));
        assert_eq!(normal(message)["session_id"], session, "{value}");
    }
}

#[test]
fn overruled_values_of_a_hybrid_message_are_preserved() {
    let mut hybrid = with(json!({"from_user": null, "from_agent": "chloe", "turn_complete": true}));
    let changes = json!({"fromAgent": "phil", "turnComplete": false, "text": "Bye", "sessionId": "s1"});
    hybrid.as_object_mut().expect("an object").extend(changes.as_object().cloned().expect("an object"));
    let message = read(hybrid).message;
    assert_eq!((message.from.name.as_str(), message.body.as_str()), ("phil", "Hello"));
    let overruled = json!({"from_agent": "chloe", "turn_complete": true, "text": "Bye"});
    assert_eq!(message.metadata["tkr"]["overruled"], overruled);
}

#[test]
fn a_text_beside_an_object_is_preserved_unless_it_repeats_the_object() {
    let object = json!({"text": "Hello", "mood": "good"});
    for (text, preserved) in [
        ("Something else", Some("Something else")),
        ("Hello", None),
        ("", None),
        ("{\"mood\": \"good\", \"text\": \"Hello\"}", None),
        ("{\"mood\": \"bad\"}", Some("{\"mood\": \"bad\"}")),
    ] {
        let message = read(with(json!({"content": object, "text": text}))).message;
        assert_eq!((message.body.as_str(), message.content.as_ref()), ("Hello", Some(&object)), "{text}");
        let overruled = message.metadata.get("tkr").and_then(|tkr| tkr["overruled"]["text"].as_str());
        assert_eq!(overruled, preserved, "{text}");
    }
}

#[test]
fn a_hybrid_message_with_equal_spellings_is_the_standard_one() {
    let (standard, legacy) = (answer(json!({"to_agent": "b"})), standard_to_legacy(answer(json!({"to_agent": "b"}))));
    let mut hybrid = standard.clone();
    hybrid.as_object_mut().expect("an object").extend(legacy.as_object().cloned().expect("an object"));
    assert_eq!(normal(hybrid.clone()), standard);
    assert_eq!(legacy_to_standard(hybrid.clone()), standard);
    assert_eq!(read(hybrid), read(standard));
}

#[test]
fn a_value_that_is_not_an_object_is_not_normalized() {
    for value in [json!(null), json!([]), json!([1]), json!(5), json!("text"), json!(true)] {
        assert_eq!(legacy_to_standard(value.clone()), value);
        assert_eq!(standard_to_legacy(value.clone()), value);
        let refused = normalize_message(value.clone(), &decode_context()).expect_err("no object");
        assert!(refused.detail.starts_with("a TKR message must be an object"), "{}", refused.detail);
    }
    assert_eq!((legacy_to_standard(json!({})), standard_to_legacy(json!({}))), (json!({}), json!({})));
}

#[test]
fn rows_have_no_legacy_spelling() {
    let row = json!({"message_uuid": "r", "session_id": "s", "type": "user", "content": "x"});
    assert_eq!(standard_to_legacy(row.clone()), row);
}

#[test]
fn normalizing_fills_in_required_fields() {
    let minimal = normal(json!({"content": "Hi"}));
    let id = minimal["id"].as_str().expect("an id");
    assert!(id.starts_with("msg_h_"), "{id}");
    let expected = json!({
        "id": id, "type": "text", "timestamp": "2096-10-02T07:06:40.000Z", "session_id": "default",
        "from_user": true, "content": "Hi",
    });
    assert_eq!(minimal, expected);
    assert_eq!(normal(json!({"text": "Hi"})), minimal, "the same in the other spelling");
    assert_ne!(normal(json!({"text": "Ho"}))["id"], minimal["id"]);
    assert_eq!(normal(json!({"id": "", "session_id": "", "type": null, "content": "Hi"})), minimal);
}

#[test]
fn a_minimal_message_keeps_its_sender_and_type() {
    let normalized = normal(json!({"id": "1", "content": "Hi", "fromAgent": "phil"}));
    assert_eq!((&normalized["from_agent"], normalized.get("from_user")), (&json!("phil"), None));
    assert_eq!(normal(json!({"type": "text"}))["content"], "");
    let ping = normal(json!({"type": "ping"}));
    assert_eq!((&ping["type"], ping.get("from_user"), &ping["session_id"]), (&json!("ping"), None, &json!("default")));
}

#[test]
fn an_empty_object_is_not_a_message() {
    for value in [json!({}), json!({"foo": 1}), json!({"id": "1"}), json!({"id": "1", "session_id": "s"})] {
        let refused = normalize_message(value.clone(), &decode_context()).expect_err("nothing is said");
        assert_eq!(refused.field.as_deref(), Some("content"), "{value}");
    }
}

#[test]
fn packets_of_the_first_version_are_decoded() {
    let packet = json!({"message": "Hi", "agent_id": "phil", "turn_complete": false, "interrupted": false});
    let normalized = normal(packet);
    assert_eq!((&normalized["content"], &normalized["from_agent"]), (&json!("Hi"), &json!("phil")));
    assert_eq!((&normalized["turn_complete"], &normalized["interrupted"]), (&json!(false), &json!(false)));
    let error = normal(json!({"error": "It broke.", "agent_id": null}));
    assert_eq!(
        (&error["type"], &error["content"], error.get("from_user")),
        (&json!("error"), &json!("It broke."), None)
    );
}

#[test]
fn from_agent_takes_precedence_and_only_texts_default_to_the_user() {
    let both = normal(with(json!({"from_agent": "phil"})));
    assert_eq!((&both["from_agent"], both.get("from_user")), (&json!("phil"), None));
    assert_eq!(normal(with(json!({"from_user": null})))["from_user"], true);
    for message_type in ["system", "error"] {
        let normalized = normal(with(json!({"type": message_type, "from_user": null})));
        assert_eq!(normalized.get("from_user"), None, "{message_type}");
    }
}

#[test]
fn a_row_is_normalized_to_its_message() {
    let row = json!({
        "message_uuid": "r-1", "session_id": "s1", "type": "agent", "role": "assistant", "agent_id": "phil",
        "parts": [{"type": "text", "content": "Hello"}], "created_at": "2023-05-01T12:34:57Z",
        "message_metadata": {"message_id": "msg_1", "timestamp": "2023-05-01T12:34:56.789Z"},
    });
    assert_eq!(normal(row), answer(json!({})));
}

#[test]
fn fields_that_tkr_loses_survive_a_round_trip() {
    let message = answer(json!({
        "type": "agent_message", "task_id": "t-1", "turn_complete": false, "streaming": false, "to_agent": "chloe",
    }));
    assert_eq!(legacy_to_standard(standard_to_legacy(message.clone())), message);
    assert_eq!(normal(standard_to_legacy(message.clone())), message);
    assert_eq!(normal(legacy(json!({"fromUser": true}))), with(json!({})));
}
