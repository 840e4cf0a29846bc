//! A list of Anthropic's as turns.

use std::collections::HashMap;

use parlour_core::Refusal;
use serde_json::Value;

use super::{Block, Request, Role, check};
use crate::models::{Call, Turn, Turns, texts::add_below};

/// Reads the messages, the system text and the tools of a request; what is no text is refused, as is what Anthropic
/// refuses. Texts that follow each other become one, and so do the blocks of the system text.
pub fn decode(request: Value) -> Result<Turns, Refusal> {
    let request: Request =
        serde_json::from_value(request).map_err(|error| Refusal::invalid(error.to_string()).at("messages"))?;
    check(&request)?;
    let mut results = results_of(&request);
    let mut turns = Turns { instructions: request.system.unwrap_or_default(), ..Turns::default() };
    for message in request.messages {
        let mut reading = MessageDecoder { role: message.role, turn: None };
        for block in message.content.blocks() {
            turns.list.extend(reading.take(block, &mut results));
        }
        turns.list.extend(reading.turn);
    }
    Ok(turns)
}

type Results = HashMap<String, (String, bool)>;

fn results_of(request: &Request) -> Results {
    let blocks = request.messages.iter().flat_map(|message| message.content.blocks());
    let result = |block| match block {
        Block::ToolResult { tool_use_id, content, is_error } => Some((tool_use_id, (content, is_error))),
        Block::Text { .. } | Block::ToolUse { .. } => None,
    };
    blocks.filter_map(result).collect()
}

/// One message, as far as it was read.
struct MessageDecoder {
    role: Role,
    turn: Option<Turn>,
}

impl MessageDecoder {
    /// Takes a block; answers the turn before it, when that has ended.
    fn take(&mut self, block: Block, results: &mut Results) -> Option<Turn> {
        match (block, &mut self.turn) {
            (Block::ToolResult { .. }, _) => None,
            (Block::Text { text: more }, Some(Turn::User { text, .. })) => {
                add_below(text, &more);
                None
            }
            (Block::Text { text: more }, Some(Turn::Assistant { text, calls })) if calls.is_empty() => {
                add_below(text, &more);
                None
            }
            (Block::Text { text }, turn) => turn.replace(begun(self.role, text)),
            (Block::ToolUse { id, name, input }, turn) => {
                let (output, is_error) = results.remove(&id).unwrap_or_default();
                let call = Call { id, name, input, output, is_error };
                if let Some(Turn::Assistant { calls, .. }) = turn {
                    calls.push(call);
                    return None;
                }
                turn.replace(Turn::Assistant { text: String::new(), calls: vec![call] })
            }
        }
    }
}

fn begun(role: Role, text: String) -> Turn {
    match role {
        Role::User => Turn::User { name: None, text },
        Role::Assistant => Turn::Assistant { text, calls: Vec::new() },
    }
}
