//! Parlour's own messages, one object each; a frame that is no whole message says so in `frame`.

use parlour_core::Refusal;
use serde_json::Value;

use crate::{Frame, Item, Scene};

/// Reads one value.
pub fn decode(value: Value, _scene: &Scene) -> Result<Item, Refusal> {
    let frame = match value.get("frame") {
        None => Frame::Message,
        Some(name) => {
            serde_json::from_value(name.clone()).map_err(|error| Refusal::invalid(error.to_string()).at("frame"))?
        }
    };
    let message = serde_json::from_value(value).map_err(|error| Refusal::invalid(error.to_string()))?;
    Ok(Item { frame, message })
}

/// Writes one item.
pub fn encode(item: &Item) -> Value {
    let mut value = serde_json::to_value(&item.message).expect("a message is plain data");
    if item.frame != Frame::Message {
        value["frame"] = serde_json::to_value(item.frame).expect("a name");
    }
    value
}
