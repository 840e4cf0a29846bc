//! The rows of TKR's store.

use parlour_core::{
    author::AuthorType,
    message::{Kind, State},
};
use parlour_dialects::{Frame, Item, tkr};
use serde_json::{Value, json};

use crate::{again, read};

fn row(changes: Value) -> Value {
    let mut row = json!({
        "message_uuid": "r-1", "session_id": "s1", "type": "agent", "role": "assistant", "agent_id": "phil",
        "parts": [{"type": "text", "content": "Hello"}], "created_at": "2023-05-01T12:34:57.000001",
        "message_metadata": {"message_id": "msg_1", "timestamp": "2023-05-01T12:34:56.789Z", "in_reply_to": "msg_0"},
    });
    row.as_object_mut().expect("an object").extend(changes.as_object().cloned().expect("an object"));
    row
}

#[test]
fn id_and_time_of_the_wire_take_precedence_over_those_of_the_row() {
    let message = read(row(json!({}))).message;
    assert_eq!((message.id.as_str(), message.reply_to.expect("a reply").as_str()), ("msg_1", "msg_0"));
    assert_eq!(message.created_at.to_string(), "2023-05-01T12:34:56.789Z");
    let bare = read(row(json!({"message_metadata": null}))).message;
    assert_eq!((bare.id.as_str(), bare.created_at.to_string().as_str()), ("msg_f_r-1", "2023-05-01T12:34:57.000Z"));
}

#[test]
fn the_agent_of_a_user_row_is_the_recipient() {
    let message = read(row(json!({"type": "user", "agent_id": "agt_1"}))).message;
    assert_eq!((message.from.author_type, message.kind), (AuthorType::Person, Kind::User));
    assert_eq!(message.mentions.len(), 1);
}

#[test]
fn system_rows_are_not_from_the_user() {
    for type_name in ["system", "error", "task"] {
        let message = read(row(json!({"type": type_name, "agent_id": null}))).message;
        assert_eq!((message.from.author_type, message.kind), (AuthorType::Host, Kind::Host), "{type_name}");
    }
}

#[test]
fn the_two_rows_of_an_answer_are_one_message() {
    let flags = |streaming: bool, turn_complete: Option<bool>| json!({"message_id": "msg_1", "streaming": streaming, "turn_complete": turn_complete});
    let empty = json!([{"type": "text", "content": ""}]);
    for turn_complete in [Some(false), None] {
        let stub = row(json!({"parts": empty, "message_metadata": flags(true, turn_complete)}));
        assert_eq!(read(stub.clone()).frame, Frame::Typing, "the original loses turn_complete: false");
        assert_eq!(again(stub.clone()), stub);
    }
    let whole = read(row(json!({"message_metadata": flags(false, Some(true))})));
    assert_eq!((whole.frame, whole.message.state), (Frame::Message, State::Complete));
}

#[test]
fn a_stored_unfinished_answer_is_interrupted() {
    for turn_complete in [json!(false), json!(null)] {
        let cut = row(json!({"message_metadata": {"streaming": true, "turn_complete": turn_complete}}));
        let item = read(cut.clone());
        assert_eq!((item.frame, item.message.state), (Frame::Message, State::Interrupted));
        assert_eq!(again(cut.clone()), cut);
    }
}

#[test]
fn parts_are_joined_with_line_breaks() {
    let parts =
        json!([{"type": "text", "content": "One"}, {"type": "data", "content": {"text": "Two"}}, {"type": "x"}]);
    let several = row(json!({"parts": parts}));
    assert_eq!(read(several.clone()).message.body, "One\n\nTwo\n\n");
    assert_eq!(again(several.clone()), several);
    let object = row(json!({"parts": [{"type": "data", "content": {"a": 1}}]}));
    assert_eq!(read(object.clone()).message.content, Some(json!({"a": 1})));
    assert_eq!(again(object.clone()), object);
}

#[test]
fn unknown_and_missing_columns_survive_a_round_trip() {
    for odd in [row(json!({"rating": 5, "agent_name": null})), row(json!({"parts": null})), row(json!({"role": null}))]
    {
        assert_eq!(again(odd.clone()), odd);
    }
    let mut bare = row(json!({}));
    for name in ["parts", "role", "message_metadata"] {
        bare.as_object_mut().expect("an object").remove(name);
        assert_eq!(again(bare.clone()), bare, "without {name}");
    }
}

#[test]
fn a_row_with_a_changed_text_is_encoded_as_that_row() {
    let mut message = read(row(json!({}))).message;
    message.body = "Changed".into();
    let form = tkr::encode(&Item::message(message.clone())).expect("a message");
    assert_eq!((&form["message_uuid"], &form["parts"][0]["content"]), (&json!("r-1"), &json!("Changed")));
    assert_eq!(read(form).message, message);
}

#[test]
fn a_row_with_other_changes_is_encoded_as_a_message() {
    let original = read(row(json!({"parts": [{"type": "data", "content": {"a": 1}}]}))).message;
    let mut edited = original.clone();
    (edited.body, edited.content) = ("Changed".into(), None);
    let mut moved = original;
    moved.to = "chn_2".parse().expect("an id");
    for message in [edited, moved] {
        let form = tkr::encode(&Item::message(message.clone())).expect("a message");
        assert!(form.get("message_uuid").is_none(), "{form:#}");
        assert_eq!(read(form).message, message);
    }
}
