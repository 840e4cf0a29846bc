//! Parlour's own messages, one object each; a frame that is no whole message says so in `frame`.
//!
//! Two forms are read. The whole one is what the API and `parlour history --json` print. The contract is the shortest one
//! that is still a message; what it leaves out gets its plain value. A field that no message has is refused: it would be
//! lost, and nobody would learn of it.

mod contract;
mod names;
mod plain;

use parlour_core::{Code, Refusal, message::Message};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{DecodeContext, Frame, Item, fields::Fields};

pub(crate) use plain::decode_plain;

/// Where a frame that is no whole message says so.
const FRAME: &str = "frame";

/// Reads one message, whole or as the contract has it.
pub fn decode(value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
    let mut fields = Fields::of(value, "a native message")?.rest();
    let frame = take_frame(&mut fields)?;
    names::check(&fields)?;
    contract::fill(&mut fields, scene)?;
    // What can be large is moved; the rest is read from where it stands, so that a refusal can still tell its place.
    let content = fields.remove("content").filter(|content| !content.is_null());
    let metadata = take_object(&mut fields, "metadata");
    let value = Value::Object(fields);
    let mut message = Message::deserialize(&value).map_err(|error| explain(&value, &error))?;
    names::check_nested(&value, &message)?;
    message.content = content;
    message.metadata = metadata;
    Ok(Item { frame, message })
}

/// Writes one item.
pub fn encode(item: &Item) -> Value {
    let mut value = serde_json::to_value(&item.message).expect("a message is plain data");
    if item.frame != Frame::Message {
        value[FRAME] = serde_json::to_value(item.frame).expect("a frame is a name");
    }
    value
}

/// Writes one item as text, without a value in between.
pub fn encode_into(item: &Item, out: &mut Vec<u8>) {
    serde_json::to_writer(&mut *out, &item.message).expect("a message is plain data");
    if item.frame != Frame::Message {
        // The frame goes before the brace that closes the message.
        out.pop();
        out.extend_from_slice(b",\"frame\":");
        serde_json::to_writer(&mut *out, &item.frame).expect("a frame is a name");
        out.push(b'}');
    }
}

fn take_frame(fields: &mut Map<String, Value>) -> Result<Frame, Refusal> {
    match fields.remove(FRAME) {
        None | Some(Value::Null) => Ok(Frame::Message),
        Some(name) => Frame::deserialize(&name).map_err(|error| Refusal::invalid(error.to_string()).at(FRAME)),
    }
}

/// Takes an object out; anything else stays, and is refused where it stands.
fn take_object(fields: &mut Map<String, Value>, name: &str) -> Map<String, Value> {
    match fields.get_mut(name) {
        Some(Value::Object(object)) => std::mem::take(object),
        _ => Map::new(),
    }
}

/// Reads once more, now with a note of the place: only refusals pay for it.
fn explain(value: &Value, error: &serde_json::Error) -> Refusal {
    let Err(placed) = serde_path_to_error::deserialize::<_, Message>(value) else {
        return Refusal::invalid(error.to_string());
    };
    let (place, complaint) = (placed.path().to_string(), placed.inner().to_string());
    let named = |start| complaint.strip_prefix(start).and_then(|rest: &str| rest.split('`').next());
    let (unknown, missing) = (named("unknown field `"), named("missing field `"));
    let code = if unknown.is_some() { Code::UnknownField } else { Code::WrongShape };
    let refusal = Refusal::new(code, complaint.as_str());
    // A reader stands beside a missing field, and on an unknown one.
    let refusal = missing.map_or(refusal.clone(), |name| refusal.at(name));
    if place == "." { refusal } else { refusal.at(&place) }
}
