//! What the tests of all dialects share: any native message.

#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]
#![allow(clippy::panic, reason = "these files are tests and nothing else")]

mod any_message;

pub(crate) use any_message::{any_item, any_message, any_text};

use parlour_core::Timestamp;
use parlour_dialects::{DecodeContext, Dialect, Item, decode_line, encode_line};
use serde_json::Value;

/// A history that is read long after everything in it.
pub(crate) fn scene() -> DecodeContext {
    DecodeContext::history(Timestamp::from_millis(4_000_000_000_000))
}

/// Writes the item in the dialect and reads it again.
pub(crate) fn round_trip(dialect: Dialect, item: &Item) -> Option<Item> {
    let mut line = Vec::new();
    let is_said = encode_line(dialect, item, &mut line);
    is_said.then(|| {
        decode_line(dialect, &line, &scene())
            .unwrap_or_else(|refusal| panic!("{dialect}: {refusal:?}\n{}", String::from_utf8_lossy(&line)))
    })
}

/// Reads a value of the dialect, sends it through `other`, and writes it in its own dialect again.
pub(crate) fn there_and_back(dialect: Dialect, other: Dialect, value: &Value) -> Option<Value> {
    let item = dialect.decode(value.clone(), &scene()).unwrap_or_else(|refusal| panic!("{refusal:?}\n{value:#}"));
    dialect.encode(&round_trip(other, &item)?)
}
