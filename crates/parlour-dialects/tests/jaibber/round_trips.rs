//! Every form of Jaibber survives a round trip, also through another dialect.

use parlour_dialects::{Dialect, Frame, jaibber};
use proptest::prelude::*;
use serde_json::Value;

use super::any_form::{any_entry, any_frame, any_presence, any_row};
use crate::support::{convert_and_return, decode_context};

fn check(value: &Value) -> Result<(), TestCaseError> {
    for other in [Dialect::Native, Dialect::Jaibber] {
        let again = convert_and_return(Dialect::Jaibber, other, value);
        prop_assert_eq!(again.as_ref(), Some(value), "over {}", other);
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_frame_survives_a_round_trip(frame in any_frame()) {
        check(&frame)?;
    }

    #[test]
    fn every_row_survives_a_round_trip(row in any_row()) {
        check(&row)?;
    }

    #[test]
    fn every_local_entry_survives_a_round_trip(entry in any_entry()) {
        check(&entry)?;
    }

    #[test]
    fn presence_data_survive_a_round_trip(presence in any_presence()) {
        check(&presence)?;
        let item = jaibber::decode(presence.clone(), &decode_context()).expect("a signal");
        prop_assert_eq!(item.frame, Frame::Signal);
        prop_assert_eq!(jaibber::PresenceData::from_value(presence.clone()).expect("read").into_value(), presence);
    }

    #[test]
    fn the_typed_frame_has_the_same_content(frame in any_frame()) {
        let typed = jaibber::AblyMessage::from_value(frame.clone()).expect("a frame");
        prop_assert_eq!(typed.into_value(), frame);
    }

    #[test]
    fn a_canonical_answer_stores_only_the_missing_time(
        text in "[a-z ]{1,20}",
        depth in 1..3_u32,
    ) {
        let frame = serde_json::json!({
            "from": "u1", "fromUsername": "Coder", "projectId": "p1", "text": text, "messageId": "m1",
            "type": "response", "agentName": "Coder", "isAgentMessage": true, "responseDepth": depth,
            "respondingChain": ["coder"],
        });
        let item = jaibber::decode(frame, &decode_context()).expect("a frame");
        prop_assert_eq!(Value::Object(item.message.metadata), serde_json::json!({"jaibber": {"isUntimed": true}}));
    }
}
