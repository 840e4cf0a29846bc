//! A list of items as turns.

use std::collections::HashMap;

use parlour_core::Refusal;
use serde_json::Value;

use super::{Item, Request, Role, check};
use crate::models::{Call, Turn, Turns};

/// Reads the items and instructions of a request; what is no text is refused, as is what OpenAI refuses.
pub fn decode(request: Value) -> Result<Turns, Refusal> {
    let request: Request =
        serde_json::from_value(request).map_err(|error| Refusal::invalid(error.to_string()).at("input"))?;
    check(&request)?;
    let mut outputs = outputs_of(&request.input);
    let mut turns = Turns { instructions: request.instructions.unwrap_or_default(), ..Turns::default() };
    // Whether a call belongs to the turn before it: results have ended that.
    let mut is_round_open = false;
    for item in request.input {
        match item {
            Item::Message { role, content } => {
                is_round_open = role == Role::Assistant;
                turns.list.push(said(role, content));
            }
            Item::FunctionCall { call_id, name, arguments } => {
                let input = serde_json::from_str(&arguments).unwrap_or_default();
                let output = outputs.remove(&call_id).unwrap_or_default();
                let call = Call { id: call_id, name, input, output, is_error: false };
                match turns.list.last_mut() {
                    Some(Turn::Assistant { calls, .. }) if is_round_open => calls.push(call),
                    _ => turns.list.push(Turn::Assistant { text: String::new(), calls: vec![call] }),
                }
                is_round_open = true;
            }
            Item::FunctionCallOutput { .. } => is_round_open = false,
        }
    }
    Ok(turns)
}

fn outputs_of(items: &[Item]) -> HashMap<String, String> {
    let output = |item: &Item| match item {
        Item::FunctionCallOutput { call_id, output } => Some((call_id.clone(), output.clone())),
        Item::Message { .. } | Item::FunctionCall { .. } => None,
    };
    items.iter().filter_map(output).collect()
}

fn said(role: Role, text: String) -> Turn {
    match role {
        Role::System => Turn::System(text),
        Role::User => Turn::User { name: None, text },
        Role::Assistant => Turn::Assistant { text, calls: Vec::new() },
    }
}
