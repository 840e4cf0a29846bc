//! TKR: decoding and round trips of its messages and rows, and the adapters between its forms.

#![allow(clippy::needless_pass_by_value, reason = "messages are written down where they are read")]
#![allow(clippy::panic, unreachable_pub, reason = "these files are tests and nothing else")]

mod support;

#[path = "tkr/adapters.rs"]
mod adapters;
#[path = "tkr/any_foreign.rs"]
mod any_foreign;
#[path = "tkr/decoding.rs"]
mod decoding;
#[path = "tkr/foreign_metadata.rs"]
mod foreign_metadata;
#[path = "tkr/laws.rs"]
mod laws;
#[path = "tkr/refused.rs"]
mod refused;
#[path = "tkr/rows.rs"]
mod rows;
#[path = "tkr/streams.rs"]
mod streams;

use parlour_dialects::{Item, tkr};
use serde_json::{Value, json};

/// Decodes a message.
fn read(value: Value) -> Item {
    tkr::decode(value.clone(), &support::decode_context()).unwrap_or_else(|refusal| panic!("{refusal:?}\n{value:#}"))
}

/// Encodes a decoded item.
fn again(value: Value) -> Value {
    tkr::encode(&read(value)).expect("TKR has a word for its own")
}

/// A message of the user with changed fields; null removes a field.
fn with(changes: Value) -> Value {
    let mut message = json!({
        "id": "msg_1", "type": "text", "timestamp": "2023-05-01T12:34:56.789Z", "session_id": "s1",
        "from_user": true, "content": "Hello",
    });
    let fields = message.as_object_mut().expect("an object");
    fields.extend(changes.as_object().cloned().expect("an object"));
    fields.retain(|_, value| !value.is_null());
    message
}

/// An answer of an agent, with changes.
fn answer(changes: Value) -> Value {
    let mut base = json!({"from_user": null, "from_agent": "phil"});
    base.as_object_mut().expect("an object").extend(changes.as_object().cloned().expect("an object"));
    with(base)
}
