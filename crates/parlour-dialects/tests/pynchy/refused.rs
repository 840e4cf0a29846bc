//! An invalid row is refused with the name of the column and the rule.

use parlour_core::{Refusal, limits};
use parlour_dialects::{Dialect, pynchy::decode_http};
use serde_json::{Value, json};

use crate::any_row::{reading, row};

fn refusal(row: &Value) -> Refusal {
    Dialect::Pynchy.decode(row.clone(), &reading()).expect_err(&row.to_string())
}

#[test]
fn a_value_that_is_not_an_object_is_not_a_row() {
    for value in [json!(null), json!([]), json!(5), json!("a"), json!(true)] {
        let refusal = refusal(&value);
        assert!(refusal.field.is_none() && refusal.detail.contains("a row of pynchy must be an object"), "{refusal:?}");
    }
}

#[test]
fn each_column_is_refused_by_its_name() {
    let deep = format!("{}1{}", "{\"a\":".repeat(110), "}".repeat(110));
    let very_deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    for (column, value, rule) in [
        ("id", json!(null), "required"),
        ("id", json!(""), "required"),
        ("id", json!(7), "a string"),
        ("chat_jid", json!(null), "required"),
        ("chat_jid", json!(""), "required"),
        ("chat_jid", json!(["a"]), "a string"),
        ("sender", json!(null), "required"),
        ("sender", json!({}), "a string"),
        ("sender_name", json!(5), "a string"),
        ("content", json!(null), "required"),
        ("content", json!(["a"]), "a string"),
        ("timestamp", json!(null), "required"),
        ("timestamp", json!(1_771_146_720), "a string"),
        ("timestamp", json!("yesterday"), "2026"),
        ("timestamp", json!(""), "2026"),
        ("timestamp", json!("2026-02-15"), "2026"),
        ("timestamp", json!("2026-02-15T25:00:00Z"), "2026"),
        ("timestamp", json!("1".repeat(1_000_000)), "ISO 8601"),
        ("is_from_me", json!(2), "0 or 1"),
        ("is_from_me", json!(-1), "0 or 1"),
        ("is_from_me", json!(0.5), "0 or 1"),
        ("is_from_me", json!("1"), "0 or 1"),
        ("message_type", json!("tool"), "user, assistant, system, tool_result, host"),
        ("message_type", json!("Host"), "user, assistant, system, tool_result, host"),
        ("message_type", json!(""), "user, assistant, system, tool_result, host"),
        ("message_type", json!(1), "a string"),
        ("metadata", json!(5), "an object, its JSON text, or null"),
        ("metadata", json!([]), "an object, its JSON text, or null"),
        ("metadata", json!(""), "not valid JSON"),
        ("metadata", json!("{"), "not valid JSON"),
        ("metadata", json!("{'exit_code': 0}"), "not valid JSON"),
        ("metadata", json!("{\"a\": NaN}"), "not valid JSON"),
        ("metadata", json!(deep), "nested"),
        ("metadata", serde_json::from_str(&deep).expect("JSON"), "nested"),
        ("metadata", json!(very_deep), "not valid JSON"),
    ] {
        let shown: String = value.to_string().chars().take(60).collect();
        let refusal = refusal(&row(&json!({column: value})));
        assert_eq!(refusal.field.as_deref(), Some(column), "{shown}: {refusal:?}");
        assert!(refusal.detail.contains(rule) && refusal.detail.len() < 300, "{shown}: {refusal:?}");
    }
}

#[test]
fn an_unknown_type_is_refused_with_the_five_known_ones() {
    let refusal = refusal(&row(&json!({"message_type": "notice"})));
    assert_eq!(refusal.candidates, ["user", "assistant", "system", "tool_result", "host"]);
}

#[test]
fn invalid_extras_are_refused_with_their_path() {
    for (extras, field) in [
        (json!(5), "metadata.parlour"),
        (json!({"kind": "boss"}), "metadata.parlour.kind"),
        (json!({"x": 1}), "metadata.parlour.x"),
    ] {
        for spelling in [json!({"parlour": extras}), json!(json!({"parlour": extras}).to_string())] {
            let refusal = refusal(&row(&json!({"metadata": spelling})));
            assert_eq!(refusal.field.as_deref(), Some(field), "{spelling}");
        }
    }
}

#[test]
fn a_text_of_megabytes_is_read() {
    let wide = "x".repeat(limits::DIALECT_LINE_BYTES_MAX / 8);
    for column in ["id", "chat_jid", "sender", "sender_name", "content"] {
        let item = Dialect::Pynchy.decode(row(&json!({column: wide})), &reading()).expect(column);
        let again = Dialect::Pynchy.encode(&item).expect("a row");
        assert_eq!(again[column].as_str().map(str::len), Some(wide.len()), "{column}");
    }
}

#[test]
fn events_are_refused_by_their_fields() {
    let event = json!({
        "type": "message", "chat_jid": "1@g.us", "sender_name": "Mara", "content": "Hi",
        "timestamp": "2026-02-15T09:12:00Z", "is_bot": false,
    });
    for (field, value) in [
        ("type", json!("ping")),
        ("type", json!(null)),
        ("type", json!(5)),
        ("chat_jid", json!(null)),
        ("sender_name", json!(1)),
        ("content", json!([])),
        ("timestamp", json!("soon")),
        ("is_bot", json!(1)),
        ("is_bot", json!(null)),
    ] {
        let mut event = event.clone();
        event[field] = value;
        let refusal = decode_http(event.clone(), &reading()).expect_err(&event.to_string());
        assert_eq!(refusal.field.as_deref(), Some(field), "{event}");
    }
    assert!(decode_http(json!([]), &reading()).is_err());
}
