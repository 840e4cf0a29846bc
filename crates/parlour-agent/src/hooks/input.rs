//! What a coding agent tells a hook: one JSON object on stdin.

use std::path::Path;

use parlour_core::limits;
use serde::Deserialize;
use serde_json::Value;

use super::tool::{Occasion, Tool};

/// A longer input is not read: results of tools may be long, but not so long.
pub const INPUT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// No tool has longer names for its sessions.
const SESSION_CHARS_MAX: usize = 200;

/// One call of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookInput {
    /// Which tool calls.
    pub tool: Tool,
    /// The event, as the tool calls it.
    pub event: String,
    /// What it means.
    pub at: Occasion,
    /// Which session it is, as the tool calls it.
    pub session: String,
    /// The last part of the folder that is worked in.
    pub folder: Option<String>,
    /// Whether the turn goes on only because a hook held it.
    pub was_held: bool,
    /// Whether the turn ends because the model is done, and not because it was stopped or broke.
    pub is_whole: bool,
    /// Whether it is about a helper that the model has started, and not about the model that its user talks to.
    pub is_of_helper: bool,
}

/// Why an input means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadInput {
    /// It is no JSON, or of another shape.
    #[error("the input is no JSON object: {0}")]
    NoObject(String),
    /// It is about something that the hook does not know.
    #[error("the event {0:?} is not known")]
    UnknownEvent(String),
    /// It does not say which session it is about.
    #[error("the input names no session")]
    NoSession,
}

/// The fields that matter. Anything may stand in them: only what is of the right type counts.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Wire {
    hook_event_name: Value,
    session_id: Value,
    conversation_id: Value,
    cwd: Value,
    workspace_roots: Value,
    stop_hook_active: Value,
    loop_count: Value,
    status: Value,
    agent_id: Value,
}

impl HookInput {
    /// Reads the input of a tool. What does not matter is passed over, however long or deep it is.
    pub fn read(tool: Tool, bytes: &[u8]) -> Result<Self, BadInput> {
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(BadInput::NoObject("it begins with something else".to_owned()));
        }
        let wire: Wire = serde_json::from_slice(bytes).map_err(|error| BadInput::NoObject(error.to_string()))?;
        let event = text(&wire.hook_event_name).unwrap_or_default();
        let at = tool.occasion(event).ok_or_else(|| BadInput::UnknownEvent(event.chars().take(40).collect()))?;
        let named = match tool {
            Tool::Cursor => text(&wire.conversation_id).or(text(&wire.session_id)),
            _ => text(&wire.session_id),
        };
        let session = named.ok_or(BadInput::NoSession)?.chars().take(SESSION_CHARS_MAX).collect();
        let status = text(&wire.status).filter(|_| tool == Tool::Cursor);
        Ok(Self {
            tool,
            at,
            session,
            event: event.to_owned(),
            folder: folder(&wire),
            was_held: wire.stop_hook_active.as_bool() == Some(true) || wire.loop_count.as_u64() > Some(0),
            is_whole: status.is_none_or(|status| status == "completed"),
            is_of_helper: text(&wire.agent_id).is_some(),
        })
    }

    /// What a run of this session is called.
    pub fn label(&self) -> String {
        let label = match &self.folder {
            Some(folder) => format!("{} in {folder}", self.tool.title()),
            None => self.tool.title().to_owned(),
        };
        label.chars().take(limits::TITLE_CHARS_MAX).collect()
    }
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.trim().is_empty())
}

/// Only the name of the folder: where it lies is nobody else's business.
fn folder(wire: &Wire) -> Option<String> {
    let path = text(&wire.cwd).or_else(|| wire.workspace_roots.get(0).and_then(text))?;
    let name = Path::new(path).file_name()?.to_string_lossy();
    let name: String = name.chars().filter(|sign| !sign.is_control()).collect();
    Some(name).filter(|name| !name.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(tool: Tool, value: &Value) -> Result<HookInput, BadInput> {
        HookInput::read(tool, value.to_string().as_bytes())
    }

    #[test]
    fn a_cursor_session_is_its_conversation_and_a_turn_that_was_stopped_is_not_whole() {
        let input = json!({
            "hook_event_name": "stop", "conversation_id": "c1", "generation_id": "g1", "status": "aborted",
            "loop_count": 1, "workspace_roots": ["/srv/mara/shop"],
        });
        let input = read(Tool::Cursor, &input).expect("read");
        assert_eq!((input.session.as_str(), input.at, input.is_whole), ("c1", Occasion::TurnEnd, false));
        assert!(input.was_held);
        assert_eq!(input.label(), "Cursor in shop");
    }

    #[test]
    fn only_the_name_of_the_folder_is_told() {
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
    fn hostile_inputs_are_told_apart_and_break_nothing() {
        let deep = format!(
            "{{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"s\",\"tool_response\":{}1{}}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert!(HookInput::read(Tool::ClaudeCode, deep.as_bytes()).is_ok());
        let deep = deep.replace("tool_response", "cwd");
        assert!(matches!(HookInput::read(Tool::ClaudeCode, deep.as_bytes()), Err(BadInput::NoObject(_))));
        for (bytes, expected) in [
            (&b""[..], "no JSON"),
            (b"[1]", "no JSON"),
            (b"\xff\xfe", "no JSON"),
            (b"{\"a\": }", "no JSON"),
            (b"{}", "is not known"),
            (br#"{"hook_event_name": 7}"#, "is not known"),
            (br#"{"hook_event_name": "PreCompact", "session_id": "s"}"#, "\"PreCompact\""),
            (br#"{"hook_event_name": "Stop"}"#, "no session"),
            (br#"{"hook_event_name": "Stop", "session_id": " "}"#, "no session"),
        ] {
            let told = HookInput::read(Tool::ClaudeCode, bytes).expect_err(expected).to_string();
            assert!(told.contains(expected), "{told}");
        }
    }

    #[test]
    fn what_a_helper_of_the_model_does_is_known_as_such() {
        let input = json!({"hook_event_name": "PostToolUse", "session_id": "s", "agent_id": "sub-1"});
        assert!(read(Tool::ClaudeCode, &input).expect("read").is_of_helper);
    }

    proptest! {
        #[test]
        fn no_input_panics_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..4) {
            let _ = HookInput::read(Tool::ALL[at], &bytes);
        }
    }
}
