//! What machines keep, and what holds many messages.

use parlour_core::message::State;
use parlour_dialects::jaibber::{decode, unpack_history};
use serde_json::{Value, json};

use crate::support::scene;

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
        let message = decode(entry("me", status), &scene()).expect("an entry").message;
        assert_eq!((message.state, message.body.as_str()), (state, "Hi"), "{status}");
    }
}

#[test]
fn me_and_them_are_different_authors() {
    let author = |sender: &str| decode(entry(sender, "done"), &scene()).expect("an entry").message.from;
    assert_eq!((author("me").id.as_deref(), author("me").name.as_str()), (Some("jaibber:me"), "me"));
    assert_eq!(author("them").id.as_deref(), Some("jaibber:them/"));
}

#[test]
fn a_page_is_turned_so_that_the_oldest_comes_first() {
    let page = json!({"data": [{"id": "2"}, {"id": "1"}], "pagination": {"cursor": null, "hasMore": false, "links": {"self": "/x"}}});
    assert_eq!(unpack_history(page), Ok(vec![json!({"id": "1"}), json!({"id": "2"})]));
}

#[test]
fn the_file_of_the_desktop_client_is_read_project_by_project() {
    let file = json!({"chat_messages": {"p1": [{"id": "1"}, {"id": "2"}], "p2": [{"id": "3"}]}, "settings": {}});
    assert_eq!(unpack_history(file), Ok(vec![json!({"id": "1"}), json!({"id": "2"}), json!({"id": "3"})]));
}

#[test]
fn lists_and_single_messages_stay_as_they_are() {
    for (value, all) in [
        (json!([{"id": "1"}, 5]), vec![json!({"id": "1"}), json!(5)]),
        (json!({"id": "1"}), vec![json!({"id": "1"})]),
        (json!(null), vec![json!(null)]),
    ] {
        assert_eq!(unpack_history(value), Ok(all));
    }
}

#[test]
fn what_holds_no_messages_is_refused_with_its_name() {
    for (value, field) in [
        (json!({"data": {}}), "data"),
        (json!({"chat_messages": []}), "chat_messages"),
        (json!({"chat_messages": {"p1": 5}}), "chat_messages.p1"),
        (json!({"chat_messages": {}, "data": []}), "chat_messages"),
    ] {
        assert_eq!(unpack_history(value).expect_err("no history").field.as_deref(), Some(field));
    }
}
