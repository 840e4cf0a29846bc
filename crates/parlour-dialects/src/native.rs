//! Parlour's own messages, one object each. A frame other than a message has the field `frame`.
//!
//! Two forms are decoded: the complete one, as the API and `parlour history --json` print it, and the contract, the
//! shortest form of a message, whose missing fields get default values. An unknown field is refused, because it would
//! be lost silently.

mod decode;
mod wire;

use serde_json::Value;

use self::decode::FRAME;
use crate::{Frame, Item};

pub use self::decode::decode;

pub(crate) use self::wire::decode_plain;

/// Encodes one item.
pub fn encode(item: &Item) -> Value {
    let mut value = serde_json::to_value(&item.message).expect("a message is plain data");
    if item.frame != Frame::Message {
        value[FRAME] = serde_json::to_value(item.frame).expect("a frame is a name");
    }
    value
}

/// Encodes one item as text, without an intermediate value.
pub fn encode_into(item: &Item, out: &mut Vec<u8>) {
    serde_json::to_writer(&mut *out, &item.message).expect("a message is plain data");
    if item.frame != Frame::Message {
        // The frame goes before the closing brace of the message.
        out.pop();
        out.extend_from_slice(b",\"frame\":");
        serde_json::to_writer(&mut *out, &item.frame).expect("a frame is a name");
        out.push(b'}');
    }
}
