//! Nothing is lost, whichever way a message goes.

use parlour_dialects::{Dialect, Item, tkr};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    any_foreign::{any_row, any_signal, any_standard},
    support::{any_item, any_message, round_trip, scene, there_and_back},
};

/// The ways of which this dialect decides alone.
const WAYS: [Dialect; 3] = [Dialect::Native, Dialect::Tkr, Dialect::TkrLegacy];

fn comes_back(dialect: Dialect, value: &Value) -> Result<(), TestCaseError> {
    for way in WAYS {
        let again = there_and_back(dialect, way, value);
        prop_assert_eq!(again.as_ref(), Some(value), "over {}", way);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_standard_message_comes_back_as_it_was(message in any_standard()) {
        prop_assert_eq!(tkr::validate(&message), Ok(()));
        comes_back(Dialect::Tkr, &message)?;
    }

    #[test]
    fn a_legacy_message_comes_back_as_it_was(message in any_standard()) {
        comes_back(Dialect::TkrLegacy, &tkr::standard_to_legacy(message))?;
    }

    #[test]
    fn both_spellings_mean_the_same(message in any_standard()) {
        let legacy = tkr::standard_to_legacy(message.clone());
        prop_assert_eq!(tkr::decode(legacy, &scene()), tkr::decode(message, &scene()));
    }

    #[test]
    fn a_sign_of_life_comes_back_as_it_was(message in any_signal()) {
        comes_back(Dialect::Tkr, &message)?;
        comes_back(Dialect::TkrLegacy, &tkr::standard_to_legacy(message))?;
    }

    #[test]
    fn a_row_comes_back_as_it_was(row in any_row()) {
        comes_back(Dialect::Tkr, &row)?;
        comes_back(Dialect::TkrLegacy, &row)?;
    }

    #[test]
    fn the_standard_form_of_a_legacy_one_is_the_one_that_it_was_made_of(message in any_standard()) {
        prop_assert_eq!(tkr::legacy_to_standard(tkr::standard_to_legacy(message.clone())), message);
    }

    #[test]
    fn to_normalize_twice_is_to_normalize_once(message in prop_oneof![any_standard(), any_signal(), any_row(), any_hybrid()]) {
        let once = tkr::normalize_message(message, &scene()).expect("valid");
        prop_assert_eq!(tkr::validate(&once), Ok(()));
        prop_assert_eq!(tkr::normalize_message(once.clone(), &scene()), Ok(once));
    }

    #[test]
    fn a_standard_message_is_normal(message in any_standard()) {
        prop_assert_eq!(tkr::normalize_message(message.clone(), &scene()), Ok(message));
    }

    #[test]
    fn any_native_item_that_can_be_said_is_understood_as_the_same(item in any_item()) {
        for dialect in [Dialect::Tkr, Dialect::TkrLegacy] {
            if let Some(again) = round_trip(dialect, &item) {
                prop_assert_eq!(&again, &item);
            }
        }
    }

    #[test]
    fn the_legacy_form_is_the_standard_one_in_the_other_spelling(
        item in any_item(),
        foreign in prop_oneof![any_standard(), any_signal(), any_row(), any_hybrid()],
    ) {
        for item in [item, tkr::decode(foreign, &scene()).expect("a message")] {
            let standard = tkr::encode(&item);
            prop_assert_eq!(tkr::encode_legacy(&item), standard.map(tkr::standard_to_legacy));
        }
    }

    #[test]
    fn any_native_message_can_be_said_and_is_valid(message in any_message()) {
        let value = tkr::encode(&Item::message(message)).expect("every message");
        prop_assert_eq!(tkr::validate(&value), Ok(()), "{:#}", value);
    }

    #[test]
    fn no_json_breaks_the_dialect(value in any_mess()) {
        let _ = tkr::decode(value.clone(), &scene());
        let _ = tkr::validate(&value);
        let _ = tkr::normalize_message(value.clone(), &scene());
        let _ = (tkr::is_standard_format(&value), tkr::is_legacy_format(&value));
        let _ = tkr::standard_to_legacy(tkr::legacy_to_standard(value));
    }

    #[test]
    fn what_is_accepted_means_the_same_when_it_is_read_again(value in any_mess()) {
        if let Ok(item) = tkr::decode(value, &scene()) {
            for way in WAYS {
                let again = round_trip(way, &item);
                prop_assert_eq!(again.as_ref(), Some(&item), "over {}", way);
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
            // What the other one says must fit what this one needs.
            message["content"] = "x".into();
            if message["type"] == "text" {
                message["fromUser"] = true.into();
            }
            message
        })
        .boxed()
}

/// Objects with names of the format and values of any sort, and values that are no objects.
fn any_mess() -> impl Strategy<Value = Value> {
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
