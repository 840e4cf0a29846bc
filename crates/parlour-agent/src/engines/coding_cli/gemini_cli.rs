//! Gemini CLI: `gemini --output-format stream-json`.
//!
//! | event | carries |
//! |---|---|
//! | `init` | the model |
//! | `message` | a piece of text with `delta`, or a whole one; also the prompt, with the role `user` |
//! | `tool_use`, `tool_result` | a tool call and its result |
//! | `error` | a problem; with the severity `error`, the answer is incomplete even if the result says otherwise |
//! | `result` | the end, with the tokens and an error |

use serde_json::Value;

use super::{CliEvent, CliProfile, DecodeEvents, TokenTotals, count_of, plain_error, text_of};

pub(super) const PROFILE: CliProfile = CliProfile {
    name: "Gemini CLI",
    program: "gemini",
    arguments: &["--output-format", "stream-json"],
    events_mark: "stream-json",
    install: "npm install -g @google/gemini-cli",
};

pub(super) fn is_first_event(event: &Value) -> bool {
    text_of(event, "type") == "init" && event["session_id"].is_string()
}

#[derive(Debug, Default)]
pub(super) struct GeminiCliDecoder {
    /// The last problem of the severity `error`.
    error: Option<String>,
}

impl DecodeEvents for GeminiCliDecoder {
    fn decode(&mut self, event: &Value) -> Vec<CliEvent> {
        match text_of(event, "type") {
            "init" => event["model"].as_str().map(|name| CliEvent::Model(name.to_owned())).into_iter().collect(),
            "message" => message(event).into_iter().collect(),
            "tool_use" => step_start(event).into_iter().flatten().collect(),
            "tool_result" => step_end(event).into_iter().collect(),
            "error" => self.trouble(event),
            "result" => self.result(event),
            _ => vec![],
        }
    }
}

fn message(event: &Value) -> Option<CliEvent> {
    let text = event["content"].as_str().filter(|_| text_of(event, "role") == "assistant")?.to_owned();
    let is_piece = event["delta"].as_bool().unwrap_or(false);
    Some(if is_piece { CliEvent::TextPiece(text) } else { CliEvent::TextBlock(text) })
}

/// A tool call ends the text before it.
fn step_start(event: &Value) -> Option<[CliEvent; 2]> {
    let start = CliEvent::StepStart {
        id: event["tool_id"].as_str()?.to_owned(),
        tool: text_of(event, "tool_name").to_owned(),
        input: event["parameters"].clone(),
    };
    Some([CliEvent::TextEnd, start])
}

fn step_end(event: &Value) -> Option<CliEvent> {
    let is_error = text_of(event, "status") == "error";
    let message = &event["error"]["message"];
    let output = if is_error && message.is_string() { message } else { &event["output"] };
    Some(CliEvent::StepEnd { id: event["tool_id"].as_str()?.to_owned(), output: output.clone(), is_error })
}

impl GeminiCliDecoder {
    fn trouble(&mut self, event: &Value) -> Vec<CliEvent> {
        let said = plain_error(text_of(event, "message"));
        if text_of(event, "severity") == "error" {
            self.error = Some(said.clone());
        }
        vec![CliEvent::Trouble(said)]
    }

    fn result(&mut self, event: &Value) -> Vec<CliEvent> {
        let counted = event["stats"].is_object().then(|| CliEvent::Tokens(tokens(&event["stats"])));
        let ending = match (text_of(event, "status"), self.error.take()) {
            ("success", None) => CliEvent::Finished(None),
            ("success", Some(error)) => CliEvent::Failed(error),
            (_, error) => CliEvent::Failed(failure(&event["error"], error)),
        };
        counted.into_iter().chain([ending]).collect()
    }
}

fn failure(error: &Value, earlier: Option<String>) -> String {
    let said = plain_error(text_of(error, "message"));
    let said = Some(said).filter(|text| !text.is_empty()).or(earlier);
    said.unwrap_or_else(|| "it reported an error".to_owned())
}

fn tokens(stats: &Value) -> TokenTotals {
    TokenTotals {
        input: count_of(stats, "input_tokens"),
        cached: count_of(stats, "cached"),
        output: count_of(stats, "output_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            CodingCli,
            tests::{block, end, piece, start, tokens},
        },
        *,
    };
    use serde_json::json;

    fn decoded(lines: &[Value]) -> Vec<CliEvent> {
        super::super::tests::decoded(CodingCli::GeminiCli, lines)
    }

    #[test]
    fn text_of_the_assistant_arrives_in_pieces_and_the_prompt_is_not_repeated() {
        let stats = json!({"total_tokens": 15, "input_tokens": 12, "output_tokens": 3, "cached": 4});
        let lines = [
            json!({"type": "init", "session_id": "s", "model": "flash"}),
            json!({"type": "message", "role": "user", "content": "Say hello"}),
            json!({"type": "message", "role": "assistant", "content": "Hel", "delta": true}),
            json!({"type": "message", "role": "assistant", "content": "Hello"}),
            json!({"type": "result", "status": "success", "stats": stats}),
        ];
        assert_eq!(
            decoded(&lines),
            [CliEvent::Model("flash".into()), piece("Hel"), block("Hello"), tokens(12, 4, 3), CliEvent::Finished(None)]
        );
    }

    #[test]
    fn tool_calls_are_steps() {
        let lines = [
            json!({"type": "tool_use", "tool_name": "read_file", "tool_id": "r1", "parameters": {"path": "a.rs"}}),
            json!({"type": "tool_result", "tool_id": "r1", "status": "success", "output": "text"}),
            json!({"type": "tool_result", "tool_id": "r1", "status": "error", "output": "long",
                "error": {"type": "x", "message": "no such file"}}),
        ];
        assert_eq!(
            decoded(&lines),
            [
                CliEvent::TextEnd,
                start("r1", "read_file", json!({"path": "a.rs"})),
                end("r1", json!("text"), false),
                end("r1", json!("no such file"), true)
            ]
        );
    }

    #[test]
    fn an_error_result_fails_the_answer() {
        let error = json!({"type": "unknown", "message": r#"[API Error: {"error":{"message":"too low"}}]"#});
        let lines = [json!({"type": "result", "status": "error", "error": error})];
        assert_eq!(decoded(&lines), [CliEvent::Failed("too low".into())]);
    }

    #[test]
    fn an_error_event_fails_the_answer_although_the_result_is_a_success() {
        let trouble = |severity: &str| json!({"type": "error", "severity": severity, "message": "blocked"});
        let success = json!({"type": "result", "status": "success"});
        let said = || CliEvent::Trouble("blocked".into());
        assert_eq!(decoded(&[trouble("error"), success.clone()]), [said(), CliEvent::Failed("blocked".into())]);
        assert_eq!(decoded(&[trouble("warning"), success]), [said(), CliEvent::Finished(None)]);
    }
}
