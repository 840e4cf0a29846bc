//! Round trips of TKR messages and rows are lossless.

use parlour_dialects::{Dialect, Item, tkr};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    any_foreign::{any_row, any_signal, any_standard},
    support::{any_item, any_message, convert_and_return, decode_context, round_trip},
};

/// The dialects that express every TKR message.
const TKR_DIALECTS: [Dialect; 3] = [Dialect::Native, Dialect::Tkr, Dialect::TkrLegacy];

fn check_round_trip(dialect: Dialect, value: &Value) -> Result<(), TestCaseError> {
    for other in TKR_DIALECTS {
        let returned = convert_and_return(dialect, other, value);
        prop_assert_eq!(returned.as_ref(), Some(value), "over {}", other);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_standard_message_survives_a_round_trip(message in any_standard()) {
        prop_assert_eq!(tkr::validate(&message), Ok(()));
        check_round_trip(Dialect::Tkr, &message)?;
    }

    #[test]
    fn a_legacy_message_survives_a_round_trip(message in any_standard()) {
        check_round_trip(Dialect::TkrLegacy, &tkr::standard_to_legacy(message))?;
    }

    #[test]
    fn both_name_styles_decode_to_the_same_message(message in any_standard()) {
        let legacy = tkr::standard_to_legacy(message.clone());
        prop_assert_eq!(tkr::decode(legacy, &decode_context()), tkr::decode(message, &decode_context()));
    }

    #[test]
    fn a_heartbeat_survives_a_round_trip(message in any_signal()) {
        check_round_trip(Dialect::Tkr, &message)?;
        check_round_trip(Dialect::TkrLegacy, &tkr::standard_to_legacy(message))?;
    }

    #[test]
    fn a_row_survives_a_round_trip(row in any_row()) {
        check_round_trip(Dialect::Tkr, &row)?;
        check_round_trip(Dialect::TkrLegacy, &row)?;
    }

    #[test]
    fn converting_to_legacy_and_back_restores_the_standard_form(message in any_standard()) {
        prop_assert_eq!(tkr::legacy_to_standard(tkr::standard_to_legacy(message.clone())), message);
    }

    #[test]
    fn normalizing_is_idempotent(message in prop_oneof![any_standard(), any_signal(), any_row(), any_hybrid()]) {
        let once = tkr::normalize_message(message, &decode_context()).expect("valid");
        prop_assert_eq!(tkr::validate(&once), Ok(()));
        prop_assert_eq!(tkr::normalize_message(once.clone(), &decode_context()), Ok(once));
    }

    #[test]
    fn a_standard_message_is_normal(message in any_standard()) {
        prop_assert_eq!(tkr::normalize_message(message.clone(), &decode_context()), Ok(message));
    }

    #[test]
    fn every_encoded_item_decodes_to_the_same_item(item in any_item()) {
        for dialect in [Dialect::Tkr, Dialect::TkrLegacy] {
            if let Some(again) = round_trip(dialect, &item) {
                prop_assert_eq!(&again, &item);
            }
        }
    }

    #[test]
    fn the_legacy_encoding_equals_the_converted_standard_encoding(
        item in any_item(),
        foreign in prop_oneof![any_standard(), any_signal(), any_row(), any_hybrid()],
    ) {
        for item in [item, tkr::decode(foreign, &decode_context()).expect("a message")] {
            let standard = tkr::encode(&item);
            prop_assert_eq!(tkr::encode_legacy(&item), standard.map(tkr::standard_to_legacy));
        }
    }

    #[test]
    fn every_native_message_has_a_valid_form(message in any_message()) {
        let value = tkr::encode(&Item::message(message)).expect("every message");
        prop_assert_eq!(tkr::validate(&value), Ok(()), "{:#}", value);
    }

    #[test]
    fn no_json_makes_the_dialect_panic(value in almost_message()) {
        let _ = tkr::decode(value.clone(), &decode_context());
        let _ = tkr::validate(&value);
        let _ = tkr::normalize_message(value.clone(), &decode_context());
        let _ = (tkr::is_standard_format(&value), tkr::is_legacy_format(&value));
        let _ = tkr::standard_to_legacy(tkr::legacy_to_standard(value));
    }

    #[test]
    fn accepted_messages_survive_a_round_trip(value in almost_message()) {
        if let Ok(item) = tkr::decode(value, &decode_context()) {
            for dialect in TKR_DIALECTS {
                let again = round_trip(dialect, &item);
                prop_assert_eq!(again.as_ref(), Some(&item), "over {}", dialect);
            }
        }
    }
}

/// A message with fields of another in the legacy spelling.
fn any_hybrid() -> BoxedStrategy<Value> {
    (any_standard(), any_standard())
        .prop_map(|(mut message, other)| {
            let Value::Object(legacy) = tkr::standard_to_legacy(other) else { return message };
            let camel = legacy.into_iter().filter(|(name, _)| name.contains(char::is_uppercase) && name != "taskId");
            message.as_object_mut().expect("an object").extend(camel.filter(|(_, value)| !value.is_null()));
            // The fields of the other message must match the type of this one.
            message["content"] = "x".into();
            if message["type"] == "text" {
                message["fromUser"] = true.into();
            }
            message
        })
        .boxed()
}

/// Objects with field names of the format and arbitrary values, and values that are not objects.
fn almost_message() -> impl Strategy<Value = Value> {
    let names = vec![
        "id",
        "type",
        "timestamp",
        "session_id",
        "sessionId",
        "from_agent",
        "fromAgent",
        "from_user",
        "fromUser",
        "content",
        "text",
        "streaming",
        "turn_complete",
        "turnComplete",
        "metadata",
        "task_id",
        "taskId",
        "context_id",
        "parts",
        "message_uuid",
        "message_metadata",
        "agent_id",
        "created_at",
        "message",
        "error",
        "parlour",
        "to_agent",
        "x",
    ];
    let values = vec![
        json!(null),
        json!(true),
        json!(false),
        json!(5),
        json!([]),
        json!(["a", 1]),
        json!({}),
        json!({"parlour": {}}),
        json!({"parlour": {"body": "x"}}),
        json!({"tkr": 1}),
        json!(""),
        json!("a"),
        json!("text"),
        json!("error"),
        json!("user"),
        json!("agent"),
        json!("system"),
        json!("task_update"),
        json!("ping"),
        json!("agt_1"),
        json!("2023-05-01T12:34:56.789Z"),
        json!([{"type": "text", "content": "a"}]),
        json!({"message_id": "a", "streaming": true}),
    ];
    let field = (prop::sample::select(names), prop::sample::select(values.clone()));
    prop_oneof![
        9 => prop::collection::vec(field, 0..9).prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        1 => prop::sample::select(values),
    ]
}
