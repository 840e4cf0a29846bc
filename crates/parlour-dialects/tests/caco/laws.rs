use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    message::{Kind, Message},
};
use parlour_dialects::{DecodeContext, Dialect, Frame, InputTrust, Item, caco};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    any_event::{almost_event, any_event, any_json},
    support::{any_item, any_message, convert_and_return, decode_context},
};

proptest! {
    #[test]
    fn an_event_survives_a_round_trip(event in any_event()) {
        let item = caco::decode(event.clone(), &decode_context()).expect("an event");
        prop_assert_eq!(caco::encode(&item), Some(event));
    }

    #[test]
    fn an_event_survives_a_round_trip_through_native(event in any_event()) {
        prop_assert_eq!(convert_and_return(Dialect::Caco, Dialect::Native, &event), Some(event));
    }

    #[test]
    fn a_live_event_survives_a_round_trip(event in any_event()) {
        let live = DecodeContext { trust: InputTrust::Live, ..decode_context() };
        let item = caco::decode(event, &live).expect("an event");
        let again = caco::decode(caco::encode(&item).expect("own word"), &decode_context());
        prop_assert_eq!(again, Ok(item));
    }

    #[test]
    fn decoded_events_survive_a_round_trip(event in almost_event()) {
        if let Ok(item) = caco::decode(event, &decode_context()) {
            let written = caco::encode(&item).expect("own word");
            prop_assert_eq!(caco::decode(written, &decode_context()), Ok(item));
        }
    }

    #[test]
    fn no_json_makes_it_panic(value in any_json()) {
        let _ = caco::decode(value.clone(), &decode_context());
        let _ = caco::decode(json!({"type": "event", "sessionId": "s", "event": value.clone()}), &decode_context());
        let _ = caco::decode_post(value.clone());
        let _ = caco::OutputMetadata::decode(value.clone());
        let _ = caco::SessionMeta::decode(value.clone());
        let _ = caco::Schedule::decode(value.clone());
        let _ = caco::LastRun::decode(value.clone());
        caco::passes_filter("x", Some(&value));
    }

    #[test]
    fn arbitrary_metadata_do_not_change_the_content(mut item in any_item(), junk in junk()) {
        item.message.metadata.insert("caco".to_owned(), junk);
        if let Some(written) = caco::encode(&item) {
            prop_assert_eq!(caco::decode(written, &decode_context()), Ok(item));
        }
    }

    #[test]
    fn a_broadcast_has_no_prefix_and_no_preserved_fields(message in any_message()) {
        let event = caco::encode_broadcast(&Item::message(message.clone())).expect("a message");
        let data = &event["data"];
        let text = data.get("content").or(data.get("message")).and_then(Value::as_str);
        prop_assert_eq!(text, Some(message.body.as_str()));
        prop_assert!(event.get("parlour").is_none());
        prop_assert_eq!(event["type"] == "user.message", data.get("source").is_some());
    }
}

/// Metadata under the key of the dialect, as anybody could write them.
fn junk() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["success", "id", "input", "error"]);
    let fields = (any_json(), any_json(), any_json(), any_json(), "[a-z\\[\\]: ]{0,12}", name);
    fields.prop_map(|(mut event, data, socket, requests, prefix, name)| {
        // A message decoded without a time is encoded without one, and gets the time of the next decoding.
        if let Some(event) = event.as_object_mut().filter(|event| event.get("timestamp") == Some(&Value::Null)) {
            event.remove("timestamp");
        }
        json!({
            "type": "session.error", "prefix": prefix, "event": event, "data": data, "socket": socket,
            "requests": requests, "absent": [name], "named": [name],
        })
    })
}

#[test]
fn an_event_without_a_time_gets_the_time_of_decoding() {
    let event = json!({"type": "session.info", "data": {"message": "Ready."}});
    let item = caco::decode(event.clone(), &DecodeContext::history(Timestamp::from_millis(7))).expect("an event");
    assert_eq!((item.message.created_at, item.frame), (Timestamp::from_millis(7), Frame::Message));
    assert_eq!(caco::encode(&item), Some(event));
}

#[test]
fn unusual_ids_stay_different() {
    let plain =
        caco::decode(json!({"type": "session.info", "data": {"message": "x"}}), &decode_context()).expect("an event");
    for id in ["msg_f_", "msg_f_x", "msg_f_msg_1", "msg_f_msg_f_1", "msg_h_1", "msg_1"] {
        for kind in [Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult, Kind::Host] {
            let from = Author { author_type: AuthorType::Agent, id: None, name: String::new() };
            let id = id.parse().expect("an id");
            let message = Message { id, kind, from, metadata: serde_json::Map::new(), ..plain.message.clone() };
            let item = Item::message(message);
            let written = caco::encode(&item).expect("a message");
            assert_eq!(caco::decode(written, &decode_context()), Ok(item));
        }
    }
}

#[test]
fn foreign_signals_and_frames_without_a_step_are_not_encoded() {
    let signal = Item::signal("tkr", json!({"type": "ping"}), decode_context().now);
    assert_eq!((caco::encode(&signal), caco::encode_broadcast(&signal)), (None, None));
    let forged = Item::signal("caco", json!({"type": "user.message", "data": {"content": "x"}}), decode_context().now);
    assert_eq!(caco::encode(&forged), None, "a message is no signal");
    let mut item = Item::signal("tkr", Value::Null, decode_context().now);
    item.frame = Frame::Step;
    assert_eq!(caco::encode(&item), None, "a step without a step");
}
