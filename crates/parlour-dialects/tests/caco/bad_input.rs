use parlour_core::Code;
use parlour_dialects::{Dialect, caco, decode_line};
use serde_json::{Value, json};

use crate::support::decode_context;

fn check(value: Value, field: Option<&str>, rule: &str) {
    let refused = caco::decode(value.clone(), &decode_context()).expect_err(&value.to_string());
    assert_eq!(refused.field.as_deref(), field, "{value}");
    assert!(refused.detail.contains(rule), "{value}: {}", refused.detail);
}

#[test]
fn a_value_that_is_not_an_event_is_refused() {
    for (value, type_name) in [
        (json!(null), "null"),
        (json!([]), "an array"),
        (json!(5), "a number"),
        (json!("user.message"), "a string"),
        (json!(true), "a boolean"),
    ] {
        check(value, None, &format!("a Caco event must be an object, not {type_name}"));
    }
    check(json!({}), Some("type"), "required");
    check(json!({"type": null}), Some("type"), "required");
    check(json!({"type": ["user.message"]}), Some("type"), "must be a string, not an array");
}

#[test]
fn a_known_event_needs_its_data() {
    for name in ["user.message", "assistant.message", "assistant.turn_start", "session.error", "tool.execution_start"] {
        check(json!({"type": name}), Some("data"), "required");
        check(json!({"type": name, "data": null}), Some("data"), "required");
        check(json!({"type": name, "data": "x"}), Some("data"), "must be an object");
    }
}

#[test]
fn each_event_needs_its_fields() {
    for (name, data, field) in [
        ("user.message", json!({}), "data.content"),
        ("user.message", json!({"content": null}), "data.content"),
        ("assistant.message", json!({"content": "x"}), "data.messageId"),
        ("assistant.message", json!({"messageId": "m"}), "data.content"),
        ("assistant.message_delta", json!({"deltaContent": "x"}), "data.messageId"),
        ("assistant.message_delta", json!({"messageId": "m"}), "data.deltaContent"),
        ("tool.execution_start", json!({"toolName": "bash"}), "data.toolCallId"),
        ("tool.execution_start", json!({"toolCallId": "t"}), "data.toolName"),
        ("tool.execution_complete", json!({"success": true}), "data.toolCallId"),
        ("system.message", json!({"role": "system"}), "data.content"),
        ("session.info", json!({}), "data.message"),
        ("session.warning", json!({}), "data.message"),
        ("session.error", json!({"errorType": "x"}), "data.message"),
    ] {
        check(json!({"type": name, "data": data}), Some(field), "required");
    }
}

#[test]
fn fields_of_another_type_are_refused_with_their_path() {
    for (name, data, field) in [
        ("user.message", json!({"content": 5}), "data.content"),
        ("user.message", json!({"content": "x", "source": 5}), "data.source"),
        ("user.message", json!({"content": "x", "source": "applet", "appletSlug": {}}), "data.appletSlug"),
        ("user.message", json!({"content": "x", "source": "agent", "fromSession": 1}), "data.fromSession"),
        ("user.message", json!({"content": "x", "correlationId": []}), "data.correlationId"),
        ("assistant.message", json!({"messageId": 7, "content": "x"}), "data.messageId"),
        ("assistant.message", json!({"messageId": "m", "content": ["x"]}), "data.content"),
        ("assistant.message", json!({"messageId": "m", "content": "x", "toolRequests": {}}), "data.toolRequests"),
        ("assistant.turn_start", json!({"messageId": 0}), "data.messageId"),
        ("tool.execution_start", json!({"toolCallId": 1, "toolName": "x"}), "data.toolCallId"),
        ("tool.execution_complete", json!({"toolCallId": "t", "success": "yes"}), "data.success"),
        ("tool.execution_complete", json!({"toolCallId": "t", "toolName": 5}), "data.toolName"),
        ("system.message", json!({"content": "x", "name": 5}), "data.name"),
    ] {
        check(json!({"type": name, "data": data}), Some(field), "this must be");
    }
}

#[test]
fn invalid_calls_in_an_answer_are_refused_with_their_path() {
    for (call, field) in [
        (json!({"name": "bash"}), "data.toolRequests[1].toolCallId"),
        (json!({"toolCallId": "t"}), "data.toolRequests[1].name"),
        (json!("bash"), "data.toolRequests[1]"),
    ] {
        let calls = json!([{"toolCallId": "t", "name": "bash"}, call]);
        let data = json!({"messageId": "m", "content": "", "toolRequests": calls});
        check(json!({"type": "assistant.message", "data": data}), Some(field), "");
    }
}

#[test]
fn an_empty_message_id_is_refused() {
    let data = json!({"messageId": "", "content": "x", "deltaContent": "x"});
    for name in ["assistant.message", "assistant.message_delta"] {
        check(json!({"type": name, "data": data}), Some("data.messageId"), "must not be empty");
    }
}

#[test]
fn event_fields_of_another_type_are_refused() {
    let event = |name: &str, value: Value| json!({"type": "user.message", "data": {"content": "x"}, name: value});
    check(event("timestamp", json!("yesterday")), Some("timestamp"), "RFC 3339");
    check(event("timestamp", json!(1_770_000_000_000_u64)), Some("timestamp"), "a string");
    check(event("id", json!(5)), Some("id"), "a string");
    check(event("parlour", json!(5)), Some("parlour"), "an object");
    check(event("parlour", json!({"kind": "boss"})), Some("parlour.kind"), "boss");
}

#[test]
fn an_invalid_event_in_a_socket_frame_is_refused_with_its_path() {
    let event = json!({"type": "user.message", "data": {"content": 5}});
    check(json!({"type": "event", "sessionId": "s", "event": event}), Some("event.data.content"), "a string");
    check(json!({"type": "event", "event": event}), Some("sessionId"), "required");
    check(json!({"type": "event", "sessionId": 5, "event": event}), Some("sessionId"), "a string");
    check(json!({"type": "event", "sessionId": "s"}), Some("event"), "required");
    check(json!({"type": "event", "sessionId": "s", "event": "x"}), Some("event"), "an object");
    check(json!({"type": "event", "sessionId": "s", "event": {}}), Some("event.type"), "required");
}

#[test]
fn large_and_deep_input_never_panics() {
    let wide = "[applet:x] ".repeat(200_000);
    let item =
        caco::decode(json!({"type": "user.message", "data": {"content": wide}}), &decode_context()).expect("wide");
    assert_eq!(item.message.body.len(), wide.len() - "[applet:x] ".len());
    let unended = "[output:".repeat(200_000);
    assert_eq!(caco::output_parts(&unended), [caco::OutputPart::Text(&unended)]);
    let deep = [b"{\"type\":".as_slice(), &b"[".repeat(100_000), &b"]".repeat(100_000), b"}"].concat();
    assert_eq!(decode_line(Dialect::Caco, &deep, &decode_context()).expect_err("deep").code, Code::MalformedJson);
}
