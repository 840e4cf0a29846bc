//! Entries of the local history of a client.

use parlour_core::message::State;
use parlour_dialects::jaibber::decode;
use serde_json::{Value, json};

use crate::support::decode_context;

fn entry(sender: &str, status: &str) -> Value {
    json!({"id": "m1", "conversationId": "p1", "sender": sender, "text": "Hi", "timestamp": "2026-03-01T10:00:00.000Z", "status": status})
}

#[test]
fn a_status_is_the_state_of_a_message() {
    for (status, state) in [
        ("sending", State::Complete),
        ("sent", State::Complete),
        ("streaming", State::Streaming),
        ("done", State::Complete),
        ("error", State::Failed),
    ] {
        let message = decode(entry("me", status), &decode_context()).expect("an entry").message;
        assert_eq!((message.state, message.body.as_str()), (state, "Hi"), "{status}");
    }
}

#[test]
fn me_and_them_are_different_authors() {
    let author = |sender: &str| decode(entry(sender, "done"), &decode_context()).expect("an entry").message.from;
    assert_eq!((author("me").id.as_deref(), author("me").name.as_str()), (Some("jaibber:me"), "me"));
    assert_eq!(author("them").id.as_deref(), Some("jaibber:them/"));
}
