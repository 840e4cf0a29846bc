//! Rows of the server.

use parlour_core::{
    author::AuthorType,
    message::{Kind, Message, State},
    model_visibility,
};
use parlour_dialects::{Item, jaibber};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{any_message, decode_context};

fn row(sender_type: &str, row_type: &str) -> Value {
    json!({
        "id": "m1", "projectId": "p1", "senderId": "u1", "senderType": sender_type, "senderName": "Coder",
        "type": row_type, "text": "Hello", "metadata": null, "createdAt": "2026-03-01T10:00:00.000Z",
    })
}

fn decoded(row: Value) -> Message {
    jaibber::decode(row, &decode_context()).expect("a row").message
}

#[test]
fn each_row_type_determines_author_and_kind() {
    use AuthorType::{Agent, Applet, Host, Person};
    for (sender_type, row_type, author_type, kind, state) in [
        ("user", "message", Person, Kind::User, State::Complete),
        ("agent", "message", Agent, Kind::User, State::Complete),
        ("api", "message", Applet, Kind::User, State::Complete),
        ("agent", "response", Agent, Kind::Assistant, State::Complete),
        ("user", "response", Agent, Kind::Assistant, State::Complete),
        ("agent", "error", Agent, Kind::Assistant, State::Failed),
        ("api", "system", Host, Kind::Host, State::Complete),
        ("user", "system", Host, Kind::Host, State::Complete),
    ] {
        let message = decoded(row(sender_type, row_type));
        let found = (message.from.author_type, message.kind, message.state);
        assert_eq!(found, (author_type, kind, state), "{sender_type} {row_type}");
        assert_eq!(jaibber::encode(&Item::message(message)), Some(row(sender_type, row_type)));
    }
}

#[test]
fn system_rows_never_reach_a_model() {
    assert!(!model_visibility::may_reach_model(&decoded(row("user", "system"))));
}

#[test]
fn a_row_has_the_time_and_the_author_of_its_frame() {
    let message = decoded(row("agent", "response"));
    let frame = json!({
        "from": "u1", "fromUsername": "Coder", "projectId": "p1", "text": "Hello", "messageId": "m1",
        "type": "response", "agentName": "Coder", "isAgentMessage": true,
    });
    let from_frame = jaibber::decode(frame.clone(), &decode_context()).expect("a frame").message;
    assert_eq!(message.created_at.to_string(), "2026-03-01T10:00:00.000Z");
    assert_eq!((&message.id, &message.from, &message.to), (&from_frame.id, &from_frame.from, &from_frame.to));
    let mut as_frame = jaibber::encode_frame(&Item::message(message)).expect("a frame");
    as_frame.as_object_mut().expect("object").remove("parlour");
    assert_eq!(as_frame, frame);
}

#[test]
fn a_posted_row_gets_the_time_of_decoding() {
    let posted = json!({"id": "m1", "projectId": "p1", "senderType": "user", "senderName": "Mara", "type": "message", "text": "Hi"});
    let message = decoded(posted.clone());
    assert_eq!((message.created_at, message.from.id.as_deref()), (decode_context().now, Some("jaibber:Mara")));
    assert_eq!(jaibber::encode(&Item::message(message)), Some(posted));
}

proptest! {
    #[test]
    fn every_message_can_be_a_row(message in any_message()) {
        let row = jaibber::encode_row(&message);
        prop_assert!(row["senderType"].is_string() && row["createdAt"].is_string());
        prop_assert_eq!(jaibber::decode(row, &decode_context()).expect("own row"), Item::message(message));
    }
}
