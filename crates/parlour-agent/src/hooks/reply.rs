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

#[cfg(test)]
mod tests {
    use super::*;

    fn input(tool: Tool, event: &str) -> HookInput {
        let json = json!({ "hook_event_name": event, "session_id": "s", "conversation_id": "s" });
        HookInput::read(tool, json.to_string().as_bytes()).expect(event)
    }

    #[test]
    fn every_tool_is_told_and_held_in_its_own_words() {
        let tell = Reply::Tell("hi".into());
        let hold = Reply::Hold("wait".into());
        for (reply, tool, event, expected) in [
            (
                &tell,
                Tool::ClaudeCode,
                "PostToolUse",
                r#"{"hookSpecificOutput":{"additionalContext":"hi","hookEventName":"PostToolUse"}}"#,
            ),
            (
                &tell,
                Tool::Gemini,
                "BeforeAgent",
                r#"{"hookSpecificOutput":{"additionalContext":"hi","hookEventName":"BeforeAgent"}}"#,
            ),
            (&tell, Tool::Cursor, "postToolUse", r#"{"additional_context":"hi"}"#),
            (&tell, Tool::Cursor, "beforeSubmitPrompt", r#"{"continue":true}"#),
            (&tell, Tool::Codex, "Stop", "{}"),
            (&hold, Tool::Codex, "Stop", r#"{"decision":"block","reason":"wait"}"#),
            (&hold, Tool::Gemini, "AfterAgent", r#"{"decision":"deny","reason":"wait"}"#),
            (&hold, Tool::Cursor, "stop", r#"{"followup_message":"wait"}"#),
            (&hold, Tool::ClaudeCode, "PostToolUse", "{}"),
            (&Reply::Nothing, Tool::ClaudeCode, "Stop", "{}"),
        ] {
            let input = input(tool, event);
            let answer = reply.encode(&input);
            assert_eq!(answer.trim_end(), expected, "{tool} {event}");
            let is_empty = matches!(answer.trim_end(), "{}" | r#"{"continue":true}"#);
            assert_eq!(reply.reaches_model(&input), !is_empty, "{tool} {event}");
        }
    }
}
