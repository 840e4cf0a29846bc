//! What a hook answers a coding agent: one JSON object on stdout.

use serde_json::{Value, json};

use super::{
    input::HookInput,
    tool::{Occasion, Tool},
};

/// What a hook wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing: the tool goes on as if there were no hook.
    Nothing,
    /// Put this text before the model.
    Tell(String),
    /// Do not end the turn yet, for this reason.
    Hold(String),
}

impl Reply {
    /// The answer as the tool reads it. What a tool cannot do on an occasion becomes nothing.
    pub fn encode(&self, input: &HookInput) -> String {
        let value = match (self, input.at) {
            (Self::Tell(text), at) if input.tool.can_tell(at) => tell(input, text),
            (Self::Hold(reason), Occasion::TurnEnd) => hold(input.tool, reason),
            _ => nothing(input),
        };
        value.to_string() + "\n"
    }

    /// Whether something of it reaches the model.
    pub fn reaches_model(&self, input: &HookInput) -> bool {
        match self {
            Self::Nothing => false,
            Self::Tell(_) => input.tool.can_tell(input.at),
            Self::Hold(_) => input.at == Occasion::TurnEnd,
        }
    }
}

fn tell(input: &HookInput, text: &str) -> Value {
    match input.tool {
        Tool::Cursor => json!({ "additional_context": text }),
        _ => json!({ "hookSpecificOutput": { "hookEventName": input.event, "additionalContext": text } }),
    }
}

fn hold(tool: Tool, reason: &str) -> Value {
    match tool {
        Tool::ClaudeCode | Tool::Codex => json!({ "decision": "block", "reason": reason }),
        Tool::Gemini => json!({ "decision": "deny", "reason": reason }),
        Tool::Cursor => json!({ "followup_message": reason }),
    }
}

/// Cursor lets a prompt go on only when it is told so.
fn nothing(input: &HookInput) -> Value {
    match (input.tool, input.at) {
        (Tool::Cursor, Occasion::Prompt) => json!({ "continue": true }),
        _ => json!({}),
    }
}
