//! Rows are decoded to native messages and survive a round trip.

use std::collections::HashSet;

use parlour_core::{
    author::AuthorType,
    message::{Importance, Kind, Message},
};
use parlour_dialects::{Dialect, Frame, Item, pynchy::Row};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    any_row::{any_id, any_jid, any_row, any_time, decoded, message, row},
    support::{any_message, convert_and_return, round_trip},
};

fn written(message: Message) -> Value {
    Dialect::Pynchy.encode(&Item::message(message)).expect("every message is a row")
}

#[test]
fn a_row_is_decoded() {
    let message = message(&json!({}));
    assert_eq!((message.body.as_str(), message.kind), ("Hello", Kind::User));
    assert_eq!(message.from.author_type, AuthorType::Person);
    assert_eq!(message.from.id.as_deref(), Some("pynchy:49170@s.whatsapp.net"));
    assert_eq!(message.from.name, "Mara");
    assert_eq!(message.created_at.to_string(), "2026-02-15T09:12:00.000Z");
    assert_eq!(json!(message.metadata), json!({"pynchy": {"id": "m-1", "chat_jid": "1@g.us"}}));
}

#[test]
fn the_type_determines_the_kind_and_the_sender_the_author() {
    for (sender, author) in [
        ("host", AuthorType::Host),
        ("deploy", AuthorType::Host),
        ("result_meta", AuthorType::Host),
        ("system", AuthorType::System),
        ("system_notice", AuthorType::System),
        ("bot", AuthorType::Agent),
        ("thinking", AuthorType::Agent),
        ("tool_use", AuthorType::Agent),
        ("command_output", AuthorType::Tool),
        ("tool_result", AuthorType::Tool),
        ("tui-user", AuthorType::Person),
    ] {
        for (name, kind) in [
            ("user", Kind::User),
            ("assistant", Kind::Assistant),
            ("system", Kind::System),
            ("tool_result", Kind::ToolResult),
            ("host", Kind::Host),
        ] {
            let message = message(&json!({"sender": sender, "message_type": name}));
            assert_eq!((message.from.author_type, message.kind), (author, kind), "{sender} as {name}");
        }
    }
}

#[test]
fn an_unknown_sender_has_the_default_author_type() {
    for (name, author) in [
        ("user", AuthorType::Person),
        ("assistant", AuthorType::Agent),
        ("system", AuthorType::System),
        ("tool_result", AuthorType::Tool),
        ("host", AuthorType::Host),
    ] {
        assert_eq!(message(&json!({"message_type": name})).from.author_type, author, "{name}");
    }
}

#[test]
fn no_sender_is_a_member() {
    for sender in ["per_1", "agt_1", "bot"] {
        assert_eq!(message(&json!({"sender": sender})).from.member_id(), None, "{sender}");
    }
}

#[test]
fn the_same_id_in_two_chats_is_two_messages() {
    let here = message(&json!({}));
    let there = message(&json!({"chat_jid": "2@g.us"}));
    assert_ne!(here.id, there.id);
    assert_eq!(here.id, message(&json!({"content": "later"})).id, "the key alone decides");
    assert_eq!((written(here)["id"].clone(), written(there)["id"].clone()), (json!("m-1"), json!("m-1")));
}

#[test]
fn times_are_formatted_like_python_isoformat() {
    let at = |text: &str| Row::of(&Message { metadata: Default::default(), ..message(&json!({"timestamp": text})) });
    assert_eq!(at("2026-02-15T09:12:00Z").timestamp, "2026-02-15T09:12:00+00:00");
    assert_eq!(at("2026-02-15T09:12:00.120Z").timestamp, "2026-02-15T09:12:00.120000+00:00");
}

#[test]
fn a_time_without_a_zone_is_in_utc() {
    for text in ["2026-02-15T09:12:00", "2026-02-15 09:12:00", "2026-02-15T10:12:00+01:00"] {
        let message = message(&json!({"timestamp": text}));
        assert_eq!(message.created_at.to_string(), "2026-02-15T09:12:00.000Z", "{text}");
        assert_eq!(written(message)["timestamp"], text);
    }
}

#[test]
fn a_row_has_the_form_of_the_database() {
    let row = Row::of(&message(&json!({"is_from_me": true, "metadata": {"a": 1}}))).into_value();
    assert_eq!((&row["is_from_me"], &row["metadata"]), (&json!(1), &json!("{\"a\": 1}")));
    assert_eq!(row.as_object().map(serde_json::Map::len), Some(9));
}

#[test]
fn an_edited_message_is_encoded_with_its_current_fields() {
    let at = message(&json!({"timestamp": "2026-02-15T09:12:00Z"}));
    let moved =
        Message { created_at: at.created_at.plus_millis(1), kind: Kind::Host, importance: Importance::High, ..at };
    let row = written(moved.clone());
    assert_eq!((&row["timestamp"], &row["message_type"]), (&json!("2026-02-15T09:12:00.001000+00:00"), &json!("host")));
    assert_eq!(decoded(&row), moved);
}

#[test]
fn an_empty_foreign_id_is_written_in_full() {
    let (id, to) = ("msg_f_".parse().expect("an id"), "chn_f_".parse().expect("an id"));
    let bare = Message { id, to, metadata: Default::default(), ..message(&json!({})) };
    let row = written(bare.clone());
    assert_eq!((&row["id"], &row["chat_jid"]), (&json!("msg_f_"), &json!("chn_f_")));
    assert_eq!(decoded(&row), bare);
}

#[test]
fn a_host_message_is_never_written_as_a_row_without_its_type() {
    let mut short = row(&json!({}));
    short.as_object_mut().expect("a row").remove("message_type");
    let host = Message { kind: Kind::Host, ..decoded(&short) };
    assert_eq!(written(host)["message_type"], "host");
}

#[test]
fn only_complete_messages_are_rows() {
    for frame in [Frame::Typing, Frame::Piece, Frame::Step, Frame::Signal] {
        assert_eq!(Dialect::Pynchy.encode(&Item { frame, message: message(&json!({})) }), None, "{frame:?}");
    }
}

#[test]
fn preserved_metadata_is_used_only_where_it_agrees() {
    for junk in [
        json!(5),
        json!([]),
        json!({"id": 7, "chat_jid": {}, "timestamp": "yesterday", "more": 1, "absent": "all"}),
        json!({"id": "m-2", "chat_jid": "2@g.us", "timestamp": "2030-01-01T00:00:00Z", "is_from_me": "yes"}),
        json!({"absent": ["id", "message_type", "sender_name"], "sender_name": null, "message_type": null}),
        json!({"metadata_text": "{\"a\": 1}", "metadata_form": "list", "more": {"id": "x", "content": "y"}}),
        json!({"metadata_text": "{\"parlour\": 5}", "pynchy": {"pynchy": {}}, "unknown": true}),
    ] {
        for kind in [Kind::Host, Kind::User] {
            let mut message = Message { kind, ..message(&json!({})) };
            message.metadata.insert("pynchy".to_owned(), junk.clone());
            let row = written(message.clone());
            assert_eq!((&row["content"], &row["chat_jid"]), (&json!("Hello"), &json!(message.to.as_str())), "{junk}");
            assert_eq!(decoded(&row), message, "{junk}");
        }
    }
}

proptest! {
    #[test]
    fn every_row_survives_a_round_trip_through_every_dialect(row in any_row()) {
        for &other in Dialect::ALL {
            if let Some(again) = convert_and_return(Dialect::Pynchy, other, &row) {
                prop_assert_eq!(&again, &row, "over {}", other);
            }
        }
    }

    #[test]
    fn a_changed_message_of_a_row_survives_a_round_trip(row in any_row(), other in any_message()) {
        // The metadata of one message with the fields of another: no preserved value matches any more.
        let mixed = Message { metadata: decoded(&row).metadata, ..other };
        let item = Item::message(mixed);
        let again = round_trip(Dialect::Pynchy, &item);
        prop_assert_eq!(again.as_ref(), Some(&item));
    }

    #[test]
    fn different_keys_are_different_messages(keys in prop::collection::vec((any_id(), any_jid()), 2..9)) {
        let ids: HashSet<_> = keys.iter().map(|(id, jid)| message(&json!({"id": id, "chat_jid": jid})).id).collect();
        prop_assert_eq!(ids.len(), keys.iter().collect::<HashSet<_>>().len());
    }

    #[test]
    fn every_time_text_survives_a_round_trip(text in any_time()) {
        prop_assert_eq!(&written(message(&json!({"timestamp": text})))["timestamp"], &json!(text));
    }

    #[test]
    fn later_times_sort_after_earlier_ones_as_text(one in 0..4_000_000_000_000_i64, apart in 0..100_000_i64) {
        let text = |millis| {
            let at = parlour_core::Timestamp::from_millis(millis);
            Row::of(&Message { created_at: at, ..message(&json!({})) }).timestamp
        };
        prop_assert_eq!(text(one).cmp(&text(one + apart)), 0.cmp(&apart));
    }
}
