//! The column `metadata`.

use parlour_core::message::{Importance, Message};
use parlour_dialects::{Dialect, Item, pynchy};
use serde_json::{Value, json};

use crate::{
    any_row::{decoded, message, row},
    support::convert_and_return,
};

fn column(message: Message) -> Value {
    Dialect::Pynchy.encode(&Item::message(message)).expect("a row")["metadata"].clone()
}

#[test]
fn the_fields_of_the_column_are_metadata_of_the_message() {
    for spelling in [json!({"exit_code": 2}), json!("{\"exit_code\": 2}"), json!("{\"exit_code\":2}")] {
        let message = message(&json!({"message_type": "tool_result", "metadata": spelling}));
        assert_eq!(message.metadata.get("exit_code"), Some(&json!(2)), "{spelling}");
        assert_eq!((pynchy::exit_code(&message), pynchy::is_error(&message)), (Some(2), true));
        assert_eq!(column(message), spelling);
    }
}

#[test]
fn the_column_is_formatted_like_python_json() {
    let metadata = json!({"b": [1, 2, {"c": null}], "a": "Grüße 🏠\n\u{7f}\"", "d": {}});
    let Value::Object(metadata) = metadata else { unreachable!("an object") };
    let text = column(Message { metadata, ..message(&json!({})) });
    let text = text.as_str().expect("a text");
    let begin = r#"{"a": "Gr\u00fc\u00dfe \ud83c\udfe0\n\u007f\"", "b": [1, 2, {"c": null}], "d": {}, "parlour": {"#;
    assert!(text.starts_with(begin), "{text}");
}

#[test]
fn a_reserved_metadata_key_survives_a_round_trip() {
    for spelling in [json!("{\"pynchy\": {\"id\": \"x\"}}"), json!({"pynchy": {"more": 1}})] {
        let message = message(&json!({"metadata": spelling}));
        assert_eq!(message.metadata["pynchy"]["id"], "m-1");
        assert_eq!(column(message), spelling);
    }
}

#[test]
fn native_fields_without_a_column_are_in_the_metadata_column() {
    let high = Message { importance: Importance::High, ..message(&json!({"metadata": "{\"a\": 1}"})) };
    assert_eq!(column(high.clone()), "{\"a\": 1, \"parlour\": {\"importance\": \"high\"}}");
    let object = Message { importance: Importance::High, ..message(&json!({"metadata": {}})) };
    assert_eq!(column(object), json!({"parlour": {"importance": "high"}}));
    assert_eq!(decoded(&row(&json!({"metadata": column(high.clone())}))), high);
}

#[test]
fn an_unusual_spelling_does_not_change_the_extras() {
    for spelling in [json!("{\"b\":1,\"a\":2}"), json!("null"), json!("{}")] {
        let high = Message { importance: Importance::High, ..message(&json!({"metadata": spelling})) };
        assert_eq!(decoded(&row(&json!({"metadata": column(high.clone())}))), high, "{spelling}");
    }
}

#[test]
fn a_column_that_is_not_an_object_is_only_preserved() {
    for text in ["null", "5", "[1]", "\"x\"", "true"] {
        let message = message(&json!({"metadata": text}));
        assert_eq!(message.metadata.len(), 1, "{text}");
        assert_eq!(column(message), text);
    }
}

#[test]
fn metadata_of_another_dialect_is_stored_in_the_column() {
    let mut message = message(&json!({}));
    message.metadata.insert("tkr".to_owned(), json!({"sequence": 7}));
    assert_eq!(column(message), "{\"tkr\": {\"sequence\": 7}}");
}

#[test]
fn a_column_of_maximum_depth_survives_every_dialect() {
    let deep = format!("{}1{}", "{\"a\": ".repeat(100), "}".repeat(100));
    let row = row(&json!({"metadata": deep}));
    for &other in Dialect::ALL {
        if let Some(again) = convert_and_return(Dialect::Pynchy, other, &row) {
            assert_eq!(again, row, "{other}");
        }
    }
}

#[test]
fn deeper_metadata_of_a_native_message_survives() {
    let deep = format!("{}1{}", "{\"a\": ".repeat(110), "}".repeat(110));
    for row in [row(&json!({})), row(&json!({"metadata": {"b": 1}})), row(&json!({"metadata": "{\"b\":1}"}))] {
        let mut message = decoded(&row);
        message.metadata.insert("deep".to_owned(), serde_json::from_str(&deep).expect("JSON"));
        let again = Dialect::Pynchy.encode(&Item::message(message.clone())).expect("a row");
        assert_eq!(decoded(&again), message, "{row}");
    }
}
