//! Round trips and generated native messages for the tests of all dialects.

#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]
#![allow(clippy::panic, reason = "these files are tests and nothing else")]

mod any_message;

pub(crate) use any_message::{any_item, any_message, any_text};

use parlour_core::Timestamp;
use parlour_dialects::{DecodeContext, Dialect, Item, decode_line, encode_line};
use serde_json::Value;

/// Decodes a history at a time after all of its messages.
pub(crate) fn decode_context() -> DecodeContext {
    DecodeContext::history(Timestamp::from_millis(4_000_000_000_000))
}

/// Encodes the item in the dialect and decodes it again; none if the dialect cannot express it. Native expresses every item.
pub(crate) fn round_trip(dialect: Dialect, item: &Item) -> Option<Item> {
    let mut line = Vec::new();
    let is_encoded = encode_line(dialect, item, &mut line);
    assert!(is_encoded || dialect != Dialect::Native, "{item:?}");
    is_encoded.then(|| {
        decode_line(dialect, &line, &decode_context())
            .unwrap_or_else(|refusal| panic!("{dialect}: {refusal:?}\n{}", String::from_utf8_lossy(&line)))
    })
}

/// Decodes a value, sends it through `other`, and encodes it in its own dialect again; none if `other` cannot express it.
pub(crate) fn convert_and_return(dialect: Dialect, other: Dialect, value: &Value) -> Option<Value> {
    let item =
        dialect.decode(value.clone(), &decode_context()).unwrap_or_else(|refusal| panic!("{refusal:?}\n{value:#}"));
    let through = round_trip(other, &item);
    assert!(through.is_some() || other != dialect, "{dialect} does not encode what it decoded: {value:#}");
    through.map(|item| dialect.encode(&item).unwrap_or_else(|| panic!("not encoded: {value:#}")))
}
