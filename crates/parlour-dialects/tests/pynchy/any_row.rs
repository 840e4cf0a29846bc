//! Generators of rows.

use parlour_core::message::Message;
use parlour_dialects::{DecodeContext, Dialect};
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Map, Value, json};

use crate::support::{any_text, decode_context};

/// A plain row with changed columns.
pub(crate) fn row(changes: &Value) -> Value {
    let mut row = json!({
        "id": "m-1", "chat_jid": "1@g.us", "sender": "49170@s.whatsapp.net", "sender_name": "Mara", "content": "Hello",
        "timestamp": "2026-02-15T09:12:00+00:00", "is_from_me": 0, "message_type": "user", "metadata": null,
    });
    for (name, value) in changes.as_object().expect("changes") {
        row[name] = value.clone();
    }
    row
}

/// The decoded message of such a row.
pub(crate) fn message(changes: &Value) -> Message {
    decoded(&row(changes))
}

/// The decoded message of a row.
pub(crate) fn decoded(row: &Value) -> Message {
    Dialect::Pynchy.decode(row.clone(), &decode_context()).expect("a row").message
}

/// The context in which all rows are decoded.
pub(crate) fn reading() -> DecodeContext {
    decode_context()
}

/// The ids of chats.
pub(crate) fn any_jid() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,12}@g.us",
        "[0-9]{1,12}@s.whatsapp.net",
        "slack:C[0-9A-Z]{4}",
        "tui",
        "chn_[a-z]{1,4}",
        ".{1,9}"
    ]
}

/// The ids of rows.
pub(crate) fn any_id() -> impl Strategy<Value = String> {
    prop_oneof!["(host|sys-notice|cmd|bot|tui)-[0-9]{13}", "think-[0-9]{13}-[0-9]{1,3}", "msg_[a-z]{1,4}", ".{1,9}"]
}

fn any_sender() -> impl Strategy<Value = String> {
    let words = vec![
        "host",
        "system",
        "bot",
        "deploy",
        "tui-user",
        "command_output",
        "thinking",
        "tool_use",
        "tool_result",
        "result_meta",
        "system_notice",
    ];
    prop_oneof![2 => prop::sample::select(words).prop_map(str::to_owned), 1 => any_jid(), 1 => any_text()]
}

/// Times in all accepted formats.
pub(crate) fn any_time() -> impl Strategy<Value = String> {
    let date = (1970..2100_u32, 1..13_u32, 1..29_u32).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}"));
    let time = (0..24_u32, 0..60_u32, 0..60_u32).prop_map(|(h, m, s)| format!("{h:02}:{m:02}:{s:02}"));
    let fraction = prop_oneof![Just(String::new()), "\\.[0-9]{1,9}", "\\.[0-9]{3}", "\\.[0-9]{3}000"];
    let zone =
        prop_oneof![3 => Just("+00:00"), 1 => Just("Z"), 1 => Just(""), 1 => Just("+05:30"), 1 => Just("-08:00")];
    let between = prop_oneof![3 => Just("T"), 1 => Just(" ")];
    (date, between, time, fraction, zone).prop_map(|(d, b, t, f, z)| format!("{d}{b}{t}{f}{z}"))
}

fn any_fields() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        any_text().prop_map(Value::from),
        Just(json!({"a": [1, null, "ä🏠"]})),
    ];
    let name = prop_oneof![3 => Just("exit_code".to_owned()), 2 => "[a-z]{1,5}", 1 => Just("pynchy".to_owned()), 1 => ".{0,3}"];
    vec((name, value), 0..4).prop_map(|fields| {
        let mut fields: Map<_, _> = fields.into_iter().collect();
        fields.remove("parlour");
        fields
    })
}

fn any_metadata() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => Just(Value::Null),
        1 => any_fields().prop_map(Value::Object),
        1 => any_fields().prop_map(|fields| Value::Object(fields).to_string().into()),
        1 => any_fields().prop_map(|fields| format!("{:#}", Value::Object(fields)).into()),
        1 => prop::sample::select(vec!["null", "5", "[]", "{}", " {\"b\":1,\"a\":2}", "{\"a\":1,\"a\":2}", "{\"a\":1e2}"])
            .prop_map(Value::from),
    ]
}

/// Any row, in any encoding.
pub(crate) fn any_row() -> impl Strategy<Value = Value> {
    let types = vec!["user", "assistant", "system", "tool_result", "host"];
    let name = prop_oneof![3 => any_text().prop_map(Value::from), 1 => Just(Value::Null), 1 => Just("".into())];
    let from_me = prop::sample::select(vec![json!(0), json!(1), json!(true), json!(false), Value::Null]);
    let message_type = prop_oneof![9 => prop::sample::select(types).prop_map(Value::from), 1 => Just(Value::Null)];
    let left_out = vec(prop::sample::select(vec!["sender_name", "is_from_me", "message_type", "metadata"]), 0..3);
    let more = option::weighted(0.2, ("[a-z]{3}", any_text()));
    let columns = (any_id(), any_jid(), any_sender(), name, any_text(), any_time());
    (columns, from_me, message_type, any_metadata(), option::weighted(0.3, left_out), more).prop_map(
        |((id, jid, sender, name, content, time), from_me, message_type, metadata, left_out, more)| {
            let mut row = json!({
                "id": id, "chat_jid": jid, "sender": sender, "sender_name": name, "content": content,
                "timestamp": time, "is_from_me": from_me, "message_type": message_type, "metadata": metadata,
            });
            let columns = row.as_object_mut().expect("a row");
            columns.extend(more.map(|(name, value)| (name, value.into())));
            for name in left_out.unwrap_or_default() {
                columns.remove(name);
            }
            row
        },
    )
}
