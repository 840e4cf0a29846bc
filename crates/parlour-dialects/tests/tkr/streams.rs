//! A streamed answer: an empty stub, chunks, and the full text.

use parlour_core::message::State;
use parlour_dialects::{Frame, Item, tkr};
use serde_json::{Value, json};

use crate::{again, answer, read, with};

fn flags(value: &Value) -> (Option<bool>, Option<bool>) {
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    (flag("streaming"), flag("turn_complete"))
}

/// The frames of one answer of a native agent.
fn frame(frame: Frame, body: &str, state: State) -> Value {
    let Item { mut message, .. } = read(answer(json!({"content": body})));
    message.metadata.clear();
    tkr::encode(&Item { frame, message: parlour_core::message::Message { state, ..message } }).expect("a frame")
}

#[test]
fn an_answer_is_a_stub_then_chunks_then_the_full_text() {
    let stub = frame(Frame::Typing, "", State::Streaming);
    assert_eq!((flags(&stub), &stub["content"]), ((Some(true), Some(false)), &json!("")));
    let piece = frame(Frame::Piece, "Let me ", State::Streaming);
    assert_eq!((flags(&piece), &piece["content"]), ((Some(true), Some(false)), &json!("Let me ")));
    let whole = frame(Frame::Message, "Let me see.", State::Complete);
    assert_eq!((flags(&whole), &whole["content"]), ((Some(false), Some(true)), &json!("Let me see.")));
    for form in [stub, piece, whole] {
        assert_eq!(
            (&form["type"], &form["from_agent"], &form["id"]),
            (&json!("text"), &json!("phil"), &json!("msg_1"))
        );
        assert_eq!(form.get("metadata"), None, "all of it is said");
    }
}

#[test]
fn an_unfinished_message_has_no_turn_complete() {
    for body in ["", "So far"] {
        let begun = frame(Frame::Message, body, State::Streaming);
        assert_eq!((flags(&begun), &begun["content"]), ((Some(true), None), &json!(body)));
        assert_eq!(read(begun).frame, Frame::Message);
    }
}

#[test]
fn flags_and_content_determine_the_frame() {
    let cases = [
        (json!(true), json!(false), "", Frame::Typing, State::Streaming),
        (json!(true), json!(false), "a", Frame::Piece, State::Streaming),
        (json!(true), json!(null), "", Frame::Message, State::Streaming),
        (json!(true), json!(null), "a", Frame::Message, State::Streaming),
        (json!(true), json!(true), "a", Frame::Message, State::Complete),
        (json!(false), json!(false), "a", Frame::Message, State::Complete),
        (json!(false), json!(true), "", Frame::Message, State::Complete),
        (json!(null), json!(false), "a", Frame::Message, State::Complete),
        (json!(null), json!(null), "a", Frame::Message, State::Complete),
    ];
    for (streaming, turn_complete, content, frame, state) in cases {
        let value = answer(json!({"streaming": streaming, "turn_complete": turn_complete, "content": content}));
        let item = read(value.clone());
        assert_eq!((item.frame, item.message.state), (frame, state), "{value}");
        assert_eq!(again(value.clone()), value, "turn_complete: false is not lost");
    }
}

#[test]
fn a_stub_may_omit_its_content() {
    let stub = answer(json!({"streaming": true, "turn_complete": false, "content": null}));
    assert_eq!(read(stub.clone()).frame, Frame::Typing);
    assert_eq!(again(stub.clone()), stub);
}

#[test]
fn steps_and_chunks_without_text_are_not_encoded() {
    let item = |frame| Item { frame, message: read(answer(json!({"content": ""}))).message };
    assert_eq!(tkr::encode(&item(Frame::Step)), None);
    assert_eq!(tkr::encode(&item(Frame::Piece)), None);
    assert!(tkr::encode(&item(Frame::Typing)).is_some());
}

#[test]
fn messages_of_the_user_have_no_stream_flags() {
    assert_eq!(flags(&again(with(json!({})))), (None, None));
}
