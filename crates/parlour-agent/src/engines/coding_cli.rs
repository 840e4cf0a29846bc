//! Coding programs that are run as commands and report their work as JSON events, one per line on standard output.
//!
//! | module | program |
//! |---|---|
//! | `claude_code` | Claude Code: `claude -p --output-format stream-json` |
//! | `codex` | Codex: `codex exec --json` |
//! | `gemini_cli` | Gemini CLI: `gemini --output-format stream-json` |
//! | `opencode` | opencode: `opencode run --format json` |
//!
//! Each module has the same parts: `PROFILE`, which describes the program, `is_first_event`, which recognises its output,
//! and a decoder, which converts its events to [`CliEvent`]s. A decoder passes by every event, field and value that it
//! does not know: the programs add new ones with every release.

use serde_json::Value;

mod claude_code;
mod codex;
mod gemini_cli;
mod opencode;

/// A coding program whose events can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodingCli {
    ClaudeCode,
    Codex,
    GeminiCli,
    OpenCode,
}

/// How a program is called and installed.
#[derive(Debug)]
pub struct CliProfile {
    /// The name for people.
    pub name: &'static str,
    /// The name of the executable file.
    pub program: &'static str,
    /// The arguments that make it read the prompt from standard input and write events.
    pub arguments: &'static [&'static str],
    /// The part of a command line that shows that events are wanted.
    pub events_mark: &'static str,
    /// The command that installs it.
    pub install: &'static str,
}

impl CodingCli {
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::GeminiCli, Self::OpenCode];

    pub fn profile(self) -> &'static CliProfile {
        match self {
            Self::ClaudeCode => &claude_code::PROFILE,
            Self::Codex => &codex::PROFILE,
            Self::GeminiCli => &gemini_cli::PROFILE,
            Self::OpenCode => &opencode::PROFILE,
        }
    }

    /// The program that begins its output with this event.
    pub(super) fn of_first_event(event: &Value) -> Option<Self> {
        Self::ALL.into_iter().find(|cli| match cli {
            Self::ClaudeCode => claude_code::is_first_event(event),
            Self::Codex => codex::is_first_event(event),
            Self::GeminiCli => gemini_cli::is_first_event(event),
            Self::OpenCode => opencode::is_first_event(event),
        })
    }

    pub(super) fn decoder(self) -> Box<dyn DecodeEvents> {
        match self {
            Self::ClaudeCode => Box::<claude_code::ClaudeCodeDecoder>::default(),
            Self::Codex => Box::<codex::CodexDecoder>::default(),
            Self::GeminiCli => Box::<gemini_cli::GeminiCliDecoder>::default(),
            Self::OpenCode => Box::<opencode::OpenCodeDecoder>::default(),
        }
    }
}

/// Converts the events of one answer, in order.
pub(super) trait DecodeEvents: Send {
    /// What an event means for the answer; nothing if it is unknown.
    fn decode(&mut self, event: &Value) -> Vec<CliEvent>;
}

/// A part of an answer, in the terms that all programs share.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CliEvent {
    /// The next piece of the current block of text.
    TextPiece(String),
    /// The current block of text as a whole, which ends it. Pieces of it may have been reported before.
    TextBlock(String),
    /// The current block of text is complete as it is.
    TextEnd,
    /// The current block is abandoned; its text is written once more from the beginning.
    TextRestart,
    /// A tool call begins. A second start of the same call changes nothing.
    StepStart { id: String, tool: String, input: Value },
    /// A tool call has ended.
    StepEnd { id: String, output: Value, is_error: bool },
    /// The model that answers.
    Model(String),
    /// The tokens of the whole answer so far; a later count replaces it.
    Tokens(TokenTotals),
    /// A problem that the program may still recover from.
    Trouble(String),
    /// The answer is complete. The text is shown if the answer has no other.
    Finished(Option<String>),
    /// The answer is incomplete for this reason.
    Failed(String),
}

/// Token counts of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TokenTotals {
    /// All input tokens, including the cached ones.
    pub(super) input: u64,
    pub(super) cached: u64,
    pub(super) output: u64,
}

impl TokenTotals {
    pub(super) fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
    }
}

/// The text of a field; empty if it is absent or not a text.
fn text_of<'a>(event: &'a Value, field: &str) -> &'a str {
    event[field].as_str().unwrap_or_default()
}

/// A number of tokens; 0 if it is absent or not a count.
fn count_of(counts: &Value, field: &str) -> u64 {
    counts[field].as_u64().unwrap_or(0)
}

/// The most levels of quoted JSON that are searched for an error text.
const ERROR_DEPTH_MAX: usize = 4;

/// An error text without the JSON that programs quote from their provider.
fn plain_error(text: &str) -> String {
    let mut text = text.trim().to_owned();
    for _ in 0..ERROR_DEPTH_MAX {
        let inner = text.strip_prefix("[API Error:").and_then(|rest| rest.strip_suffix(']')).unwrap_or(&text).trim();
        let quoted = serde_json::from_str::<Value>(inner).ok();
        let message = quoted.as_ref().and_then(|value| {
            [&value["error"]["message"], &value["message"], &value["error"]].into_iter().find_map(Value::as_str)
        });
        let next = message.unwrap_or(inner).trim().to_owned();
        if next == text {
            break;
        }
        text = next;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The events of these lines.
    pub(super) fn decoded(cli: CodingCli, lines: &[Value]) -> Vec<CliEvent> {
        let mut decoder = cli.decoder();
        lines.iter().flat_map(|line| decoder.decode(line)).collect()
    }

    pub(super) fn piece(text: &str) -> CliEvent {
        CliEvent::TextPiece(text.to_owned())
    }

    pub(super) fn block(text: &str) -> CliEvent {
        CliEvent::TextBlock(text.to_owned())
    }

    pub(super) fn start(id: &str, tool: &str, input: Value) -> CliEvent {
        CliEvent::StepStart { id: id.to_owned(), tool: tool.to_owned(), input }
    }

    pub(super) fn end(id: &str, output: Value, is_error: bool) -> CliEvent {
        CliEvent::StepEnd { id: id.to_owned(), output, is_error }
    }

    pub(super) fn tokens(input: u64, cached: u64, output: u64) -> CliEvent {
        CliEvent::Tokens(TokenTotals { input, cached, output })
    }

    #[test]
    fn each_program_is_recognised_by_its_first_event() {
        for (first, cli) in [
            (json!({"type": "system", "subtype": "init", "session_id": "s"}), CodingCli::ClaudeCode),
            (json!({"type": "thread.started", "thread_id": "t"}), CodingCli::Codex),
            (json!({"type": "init", "session_id": "s", "model": "m"}), CodingCli::GeminiCli),
            (json!({"type": "step_start", "sessionID": "s", "part": {}}), CodingCli::OpenCode),
            (json!({"type": "error", "sessionID": "s", "error": {}}), CodingCli::OpenCode),
        ] {
            assert_eq!(CodingCli::of_first_event(&first), Some(cli), "{first}");
        }
    }

    #[test]
    fn other_json_is_no_event_of_a_program() {
        for other in [json!({}), json!({"type": "init"}), json!({"type": "text", "text": "hi"}), json!({"type": 5})] {
            assert_eq!(CodingCli::of_first_event(&other), None, "{other}");
        }
    }

    #[test]
    fn unknown_events_and_values_of_another_type_are_passed_by() {
        let odd = [json!(null), json!(7), json!([]), json!("x"), json!({"a": [1, {"b": null}]})];
        for cli in CodingCli::ALL {
            for kind in [
                "brand_new",
                "system",
                "stream_event",
                "assistant",
                "user",
                "message",
                "tool_use",
                "tool_result",
                "item.started",
                "item.completed",
                "text",
                "step_start",
            ] {
                for value in &odd {
                    let line = json!({
                        "type": kind, "event": value, "message": value, "item": value, "part": value, "sessionID": "s",
                    });
                    assert_eq!(decoded(cli, std::slice::from_ref(&line)), [], "{cli:?}: {line}");
                }
            }
        }
    }

    #[test]
    fn final_events_with_values_of_another_type_still_end_the_answer() {
        for odd in [json!(null), json!(7), json!([]), json!("x"), json!({"a": 1})] {
            let mut ends = 0;
            for cli in CodingCli::ALL {
                for kind in ["result", "turn.completed", "turn.failed", "error", "step_finish"] {
                    let line = json!({
                        "type": kind, "usage": odd, "stats": odd, "modelUsage": odd, "result": odd, "error": odd,
                        "errors": odd, "part": odd, "sessionID": "s",
                    });
                    ends += decoded(cli, &[line]).len();
                }
            }
            assert!(ends > 0);
        }
    }

    #[test]
    fn an_error_text_is_shown_without_the_json_around_it() {
        for (text, plain) in [
            ("Not logged in", "Not logged in"),
            (r#"{"error":{"message":"too low","type":"x"}}"#, "too low"),
            (r#"[API Error: {"error":{"code":400,"message":"too low"}}]"#, "too low"),
            ("[API Error: terminated]", "terminated"),
            (r#"{"message":"{\"error\":{\"message\":\"inner\"}}"}"#, "inner"),
            (r#"{"code":1}"#, r#"{"code":1}"#),
            ("  ", ""),
        ] {
            assert_eq!(plain_error(text), plain);
        }
    }
}
