//! A list of OpenAI's as turns.

use std::collections::HashMap;

use parlour_core::Refusal;
use serde_json::Value;

use super::{Message, Request, ToolCall, check};
use crate::models::{Call, Turn, Turns};

/// Reads the messages and tools of a request; what is no text is refused, as is what OpenAI refuses.
pub fn decode(request: Value) -> Result<Turns, Refusal> {
    let request: Request =
        serde_json::from_value(request).map_err(|error| Refusal::invalid(error.to_string()).at("messages"))?;
    check(&request)?;
    let mut turns = Turns::default();
    let mut results = results_of(&request.messages);
    for (place, message) in request.messages.into_iter().enumerate() {
        match message {
            Message::System { content } if place == 0 => turns.instructions = content,
            Message::System { content } => turns.list.push(Turn::System(content)),
            Message::User { content, name } => turns.list.push(Turn::User { name, text: content }),
            Message::Assistant { content, tool_calls } => {
                let calls = tool_calls.into_iter().map(|call| read_call(call, &mut results)).collect();
                turns.list.push(Turn::Assistant { text: content.unwrap_or_default(), calls });
            }
            Message::Tool { .. } => {}
        }
    }
    Ok(turns)
}

fn results_of(messages: &[Message]) -> HashMap<String, String> {
    let result = |message: &Message| match message {
        Message::Tool { tool_call_id, content } => Some((tool_call_id.clone(), content.clone())),
        _ => None,
    };
    messages.iter().filter_map(result).collect()
}

fn read_call(ToolCall::Function { id, function }: ToolCall, results: &mut HashMap<String, String>) -> Call {
    let output = results.remove(&id).unwrap_or_default();
    let input = serde_json::from_str(&function.arguments).unwrap_or_default();
    Call { id, name: function.name, input, output, is_error: false }
}
