//! The protocol between a coding agent and a hook: one JSON object on stdin, one on stdout.

use std::path::Path;

use parlour_core::limits;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::tool::{HookPoint, Tool};

/// The largest input; it may contain the result of a tool.
pub const INPUT_BYTES_MAX: usize = 16 * 1024 * 1024;
const SESSION_CHARS_MAX: usize = 200;
/// What Cursor shows to its user when a tool is denied.
const PAUSED: &str = "Parlour: the run is paused by a message.";

/// The input of one hook call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookInput {
    pub tool: Tool,
    /// The event, as the tool names it.
    pub event: String,
    pub at: HookPoint,
    /// The session id of the tool.
    pub session: String,
    /// The name of the working folder, without its path.
    pub folder: Option<String>,
    /// Whether the turn continues only because a hook held it.
    pub was_held: bool,
    /// Whether the turn was completed, not stopped or failed.
    pub is_complete: bool,
    /// Whether the event belongs to a subagent.
    pub is_subagent: bool,
    /// The command line of a shell tool.
    pub command: Option<String>,
}

/// Why an input is not usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookInputError {
    #[error("the input is not a JSON object: {0}")]
    NoObject(String),
    #[error("the event {0:?} is not known")]
    UnknownEvent(String),
    #[error("the input contains no session id")]
    NoSession,
}

/// The fields that are used. A value of another type counts as missing.
#[derive(Deserialize, Default)]
#[serde(default)]
struct RawInput {
    hook_event_name: Value,
    session_id: Value,
    conversation_id: Value,
    cwd: Value,
    workspace_roots: Value,
    stop_hook_active: Value,
    loop_count: Value,
    status: Value,
    agent_id: Value,
    tool_input: Option<Box<RawValue>>,
}

/// The fields of a tool's input that are used.
#[derive(Deserialize)]
struct RawToolInput {
    command: String,
}

impl HookInput {
    /// Parses the input of a tool. Other fields are ignored, however large or deep.
    pub fn read(tool: Tool, bytes: &[u8]) -> Result<Self, HookInputError> {
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(HookInputError::NoObject("it does not begin with a brace".to_owned()));
        }
        let wire: RawInput =
            serde_json::from_slice(bytes).map_err(|error| HookInputError::NoObject(error.to_string()))?;
        let event = text(&wire.hook_event_name).unwrap_or_default();
        let at = tool.occasion(event).ok_or_else(|| HookInputError::UnknownEvent(event.chars().take(40).collect()))?;
        let named = match tool {
            Tool::Cursor => text(&wire.conversation_id).or(text(&wire.session_id)),
            _ => text(&wire.session_id),
        };
        let session = named.ok_or(HookInputError::NoSession)?.chars().take(SESSION_CHARS_MAX).collect();
        let status = text(&wire.status).filter(|_| tool == Tool::Cursor);
        Ok(Self {
            tool,
            at,
            session,
            event: event.to_owned(),
            folder: folder(&wire),
            was_held: wire.stop_hook_active.as_bool() == Some(true) || wire.loop_count.as_u64() > Some(0),
            is_complete: status.is_none_or(|status| status == "completed"),
            is_subagent: text(&wire.agent_id).is_some(),
            command: wire.tool_input.as_deref().and_then(shell_command),
        })
    }

    /// The label of a run of this session.
    pub fn label(&self) -> String {
        let label = match &self.folder {
            Some(folder) => format!("{} in {folder}", self.tool.title()),
            None => self.tool.title().to_owned(),
        };
        label.chars().take(limits::TITLE_CHARS_MAX).collect()
    }
}

/// The command line in the input of a shell tool. The input of another tool has none.
fn shell_command(tool_input: &RawValue) -> Option<String> {
    serde_json::from_str::<RawToolInput>(tool_input.get()).ok().map(|input| input.command)
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.trim().is_empty())
}

/// The name of the working folder; its path stays private.
fn folder(wire: &RawInput) -> Option<String> {
    let path = text(&wire.cwd).or_else(|| wire.workspace_roots.get(0).and_then(text))?;
    let name = Path::new(path).file_name()?.to_string_lossy();
    let name: String = name.chars().filter(|sign| !sign.is_control()).collect();
    Some(name).filter(|name| !name.trim().is_empty())
}

/// The reply of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookReply {
    /// The tool continues as without a hook.
    Nothing,
    /// Adds this text to the context of the model.
    Tell(String),
    /// Keeps the turn open, for this reason.
    Hold(String),
    /// The tool does not run, for this reason.
    Deny(String),
}

impl HookReply {
    /// The reply in the format of the tool. A reply that the tool does not support at this point becomes empty.
    pub fn encode(&self, input: &HookInput) -> String {
        let value = match (self, input.at) {
            (Self::Tell(text), at) if input.tool.can_tell(at) => tell(input, text),
            (Self::Hold(reason), HookPoint::TurnEnd) => hold(input.tool, reason),
            (Self::Deny(reason), HookPoint::BeforeTool) => deny(input, reason),
            _ => nothing(input),
        };
        value.to_string() + "\n"
    }

    /// Whether the text reaches the model.
    pub fn reaches_model(&self, input: &HookInput) -> bool {
        match self {
            Self::Nothing => false,
            Self::Tell(_) => input.tool.can_tell(input.at),
            Self::Hold(_) => input.at == HookPoint::TurnEnd,
            Self::Deny(_) => input.at == HookPoint::BeforeTool,
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

fn deny(input: &HookInput, reason: &str) -> Value {
    match input.tool {
        Tool::ClaudeCode | Tool::Codex => json!({ "hookSpecificOutput": {
            "hookEventName": input.event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }}),
        Tool::Gemini => json!({ "decision": "deny", "reason": reason }),
        Tool::Cursor => json!({ "permission": "deny", "agent_message": reason, "user_message": PAUSED }),
    }
}

/// Cursor continues with a prompt only after an explicit `continue`.
fn nothing(input: &HookInput) -> Value {
    match (input.tool, input.at) {
        (Tool::Cursor, HookPoint::Prompt) => json!({ "continue": true }),
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(tool: Tool, value: &Value) -> Result<HookInput, HookInputError> {
        HookInput::read(tool, value.to_string().as_bytes())
    }

    #[test]
    fn a_cursor_session_is_its_conversation_and_an_aborted_turn_is_not_complete() {
        let input = json!({
            "hook_event_name": "stop", "conversation_id": "c1", "generation_id": "g1", "status": "aborted",
            "loop_count": 1, "workspace_roots": ["/srv/mara/shop"],
        });
        let input = read(Tool::Cursor, &input).expect("read");
        assert_eq!((input.session.as_str(), input.at, input.is_complete), ("c1", HookPoint::TurnEnd, false));
        assert!(input.was_held);
        assert_eq!(input.label(), "Cursor in shop");
    }

    #[test]
    fn the_label_contains_only_the_name_of_the_folder() {
        let of = |cwd: Value| {
            read(Tool::Codex, &json!({"hook_event_name": "Stop", "session_id": "s", "cwd": cwd})).expect("read").label()
        };
        assert_eq!(of(json!("/srv/mara/secret plan/shop")), "Codex in shop");
        assert_eq!(of(json!("/a/b\u{7}c\nd")), "Codex in bcd");
        for none in [json!("/"), json!(""), json!(7), Value::Null] {
            assert_eq!(of(none), "Codex");
        }
        assert_eq!(of(json!(format!("/{}", "x".repeat(4000)))).chars().count(), limits::TITLE_CHARS_MAX);
    }

    #[test]
    fn hostile_inputs_are_refused_or_ignored() {
        let deep = format!(
            "{{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"s\",\"tool_response\":{}1{}}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert!(HookInput::read(Tool::ClaudeCode, deep.as_bytes()).is_ok());
        let deep = deep.replace("tool_response", "cwd");
        assert!(matches!(HookInput::read(Tool::ClaudeCode, deep.as_bytes()), Err(HookInputError::NoObject(_))));
        for (bytes, expected) in [
            (&b""[..], "not a JSON object"),
            (b"[1]", "not a JSON object"),
            (b"\xff\xfe", "not a JSON object"),
            (b"{\"a\": }", "not a JSON object"),
            (b"{}", "is not known"),
            (br#"{"hook_event_name": 7}"#, "is not known"),
            (br#"{"hook_event_name": "PreCompact", "session_id": "s"}"#, "\"PreCompact\""),
            (br#"{"hook_event_name": "Stop"}"#, "no session id"),
            (br#"{"hook_event_name": "Stop", "session_id": " "}"#, "no session id"),
        ] {
            let told = HookInput::read(Tool::ClaudeCode, bytes).expect_err(expected).to_string();
            assert!(told.contains(expected), "{told}");
        }
    }

    #[test]
    fn the_command_of_a_shell_tool_is_read_and_other_inputs_are_ignored() {
        let of = |tool_input: Value| {
            let input = json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_input": tool_input});
            read(Tool::Codex, &input).expect("read").command
        };
        assert_eq!(of(json!({"command": "ls", "timeout": 5})).as_deref(), Some("ls"));
        for other in [json!({"file_path": "/a"}), json!({"command": ["ls"]}), json!("ls"), json!([1]), Value::Null] {
            assert_eq!(of(other), None);
        }
    }

    #[test]
    fn the_event_of_a_subagent_is_recognised() {
        let input = json!({"hook_event_name": "PostToolUse", "session_id": "s", "agent_id": "sub-1"});
        assert!(read(Tool::ClaudeCode, &input).expect("read").is_subagent);
    }

    proptest! {
        #[test]
        fn no_input_panics_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..4) {
            let _ = HookInput::read(Tool::ALL[at], &bytes);
        }
    }

    fn input(tool: Tool, event: &str) -> HookInput {
        let json = json!({ "hook_event_name": event, "session_id": "s", "conversation_id": "s" });
        HookInput::read(tool, json.to_string().as_bytes()).expect(event)
    }

    #[test]
    fn every_tool_gets_replies_in_its_own_format() {
        let tell = HookReply::Tell("hi".into());
        let hold = HookReply::Hold("wait".into());
        let deny = HookReply::Deny("no".into());
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
            (&HookReply::Nothing, Tool::ClaudeCode, "Stop", "{}"),
            (&HookReply::Nothing, Tool::Cursor, "preToolUse", "{}"),
            (
                &deny,
                Tool::ClaudeCode,
                "PreToolUse",
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
            ),
            (
                &deny,
                Tool::Codex,
                "PreToolUse",
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
            ),
            (&deny, Tool::Gemini, "BeforeTool", r#"{"decision":"deny","reason":"no"}"#),
            (
                &deny,
                Tool::Cursor,
                "preToolUse",
                r#"{"agent_message":"no","permission":"deny","user_message":"Parlour: the run is paused by a message."}"#,
            ),
            (&deny, Tool::Gemini, "AfterTool", "{}"),
        ] {
            let input = input(tool, event);
            let answer = reply.encode(&input);
            assert_eq!(answer.trim_end(), expected, "{tool} {event}");
            let is_empty = matches!(answer.trim_end(), "{}" | r#"{"continue":true}"#);
            assert_eq!(reply.reaches_model(&input), !is_empty, "{tool} {event}");
        }
    }
}
