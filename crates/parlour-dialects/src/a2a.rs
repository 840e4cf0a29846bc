//! Envelopes between agents, `a2a/1`.

use parlour_core::Refusal;
use serde_json::Value;

use crate::{Item, Scene};

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "a2a";

/// Reads one value.
pub fn decode(_value: Value, _scene: &Scene) -> Result<Item, Refusal> {
    Err(Refusal::invalid("not read yet"))
}

/// Writes one item.
pub fn encode(_item: &Item) -> Option<Value> {
    None
}
