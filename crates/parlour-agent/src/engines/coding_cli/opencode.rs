//! opencode: `opencode run --format json`.
//!
//! | event | carries |
//! |---|---|
//! | `step_start` | nothing for an answer |
//! | `text`, `reasoning` | a complete part of a message |
//! | `tool_use` | a tool call that has ended |
//! | `step_finish` | the tokens of one request and why it ended; `tool-calls` means that another one follows |
//! | `error` | the error that ended the session |
//!
//! Texts and tool calls are reported when they are complete, and no event names the model. Another `sessionID` than that of
//! the first event belongs to a sub-agent.

use serde_json::Value;

use super::{CliEvent, CliProfile, DecodeEvents, TokenTotals, count_of, plain_error, text_of};

pub(super) const PROFILE: CliProfile = CliProfile {
    name: "opencode",
    program: "opencode",
    arguments: &["run", "--format", "json"],
    events_mark: "json",
    install: "npm install -g opencode-ai",
};

pub(super) fn is_first_event(event: &Value) -> bool {
    let is_known = matches!(text_of(event, "type"), "step_start" | "text" | "reasoning" | "tool_use" | "error");
    is_known && event["sessionID"].is_string()
}

#[derive(Debug, Default)]
pub(super) struct OpenCodeDecoder {
    session: Option<String>,
    tokens: TokenTotals,
}

impl DecodeEvents for OpenCodeDecoder {
    fn decode(&mut self, event: &Value) -> Vec<CliEvent> {
        let session = self.session.get_or_insert_with(|| text_of(event, "sessionID").to_owned());
        if *session != text_of(event, "sessionID") {
            return vec![];
        }
        let part = &event["part"];
        match text_of(event, "type") {
            "text" => part["text"].as_str().map(|text| CliEvent::TextBlock(text.to_owned())).into_iter().collect(),
            "tool_use" => tool_call(part).into_iter().flatten().collect(),
            "step_finish" => self.step_finish(part),
            "error" => vec![CliEvent::Failed(failure(&event["error"]))],
            _ => vec![],
        }
    }
}

fn tool_call(part: &Value) -> Option<[CliEvent; 2]> {
    let (id, state) = (part["callID"].as_str()?.to_owned(), &part["state"]);
    let exit = state["metadata"]["exit"].as_i64().filter(|code| *code != 0);
    let output = match (state["error"].as_str(), exit) {
        (Some(error), _) => Value::String(error.to_owned()),
        (None, Some(code)) => Value::String(format!("exit status {code}\n{}", text_of(state, "output"))),
        (None, None) => state["output"].clone(),
    };
    let is_error = text_of(state, "status") == "error" || exit.is_some();
    let start =
        CliEvent::StepStart { id: id.clone(), tool: text_of(part, "tool").to_owned(), input: state["input"].clone() };
    Some([start, CliEvent::StepEnd { id, output, is_error }])
}

impl OpenCodeDecoder {
    fn step_finish(&mut self, part: &Value) -> Vec<CliEvent> {
        self.tokens.add(tokens(&part["tokens"]));
        let ending = match text_of(part, "reason") {
            "tool-calls" => None,
            "length" => Some(CliEvent::Failed("the model reached its output limit; the answer is cut".to_owned())),
            "content-filter" => Some(CliEvent::Failed("a content filter of the provider cut the answer".to_owned())),
            "error" => Some(CliEvent::Failed("the request to the model failed".to_owned())),
            _ => Some(CliEvent::Finished(None)),
        };
        [CliEvent::Tokens(self.tokens)].into_iter().chain(ending).collect()
    }
}

fn failure(error: &Value) -> String {
    let said = [&error["data"]["message"], &error["message"], &error["name"]];
    let said = said.into_iter().filter_map(Value::as_str).map(plain_error).find(|text| !text.is_empty());
    said.unwrap_or_else(|| "it reported an error".to_owned())
}

/// `input` excludes tokens read from and written to the cache, `output` excludes reasoning.
fn tokens(counts: &Value) -> TokenTotals {
    let cached = count_of(&counts["cache"], "read");
    let written = count_of(&counts["cache"], "write");
    TokenTotals {
        input: count_of(counts, "input").saturating_add(cached).saturating_add(written),
        cached,
        output: count_of(counts, "output").saturating_add(count_of(counts, "reasoning")),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            CodingCli,
            tests::{block, end, start, tokens},
        },
        *,
    };
    use serde_json::json;

    fn decoded(lines: &[Value]) -> Vec<CliEvent> {
        super::super::tests::decoded(CodingCli::OpenCode, lines)
    }

    fn part(kind: &str, part: Value) -> Value {
        let mut line = json!({"type": kind, "timestamp": 1, "sessionID": "ses_1"});
        line["part"] = part;
        line
    }

    fn step_finish(reason: &str) -> Value {
        let counts = json!({"input": 10, "output": 2, "reasoning": 1, "cache": {"read": 4, "write": 1}});
        part("step_finish", json!({"type": "step-finish", "reason": reason, "tokens": counts}))
    }

    #[test]
    fn texts_are_blocks_and_the_tokens_of_all_requests_are_added() {
        let lines = [
            part("step_start", json!({"type": "step-start"})),
            part("reasoning", json!({"type": "reasoning", "text": "hm"})),
            part("text", json!({"type": "text", "text": "Let me look."})),
            step_finish("tool-calls"),
            part("text", json!({"type": "text", "text": "Done."})),
            step_finish("stop"),
        ];
        assert_eq!(
            decoded(&lines),
            [block("Let me look."), tokens(15, 4, 3), block("Done."), tokens(30, 8, 6), CliEvent::Finished(None)]
        );
    }

    #[test]
    fn tool_calls_are_steps_with_their_status() {
        let call =
            |state: Value| part("tool_use", json!({"type": "tool", "tool": "bash", "callID": "c1", "state": state}));
        let input = json!({"command": "ls"});
        let began = || start("c1", "bash", json!({"command": "ls"}));
        for (state, ended) in [
            (json!({"status": "completed", "input": input, "output": "out"}), end("c1", json!("out"), false)),
            (
                json!({"status": "completed", "input": input, "output": "oops", "metadata": {"exit": 3}}),
                end("c1", json!("exit status 3\noops"), true),
            ),
            (
                json!({"status": "error", "input": input, "error": "rejected permission"}),
                end("c1", json!("rejected permission"), true),
            ),
        ] {
            assert_eq!(decoded(&[call(state)]), [began(), ended]);
        }
    }

    #[test]
    fn events_of_other_sessions_are_left_out() {
        let mut inner = part("text", json!({"type": "text", "text": "inner"}));
        inner["sessionID"] = json!("ses_2");
        assert_eq!(decoded(&[part("step_start", json!({})), inner]), []);
    }

    #[test]
    fn an_error_or_a_cut_answer_fails() {
        let error = json!({"name": "APIError", "data": {"message": "too low", "statusCode": 400}});
        let line = json!({"type": "error", "sessionID": "ses_1", "error": error});
        assert_eq!(decoded(&[line]), [CliEvent::Failed("too low".into())]);
        for (reason, word) in [("length", "output limit"), ("content-filter", "filter"), ("error", "failed")] {
            let events = decoded(&[step_finish(reason)]);
            assert!(matches!(&events[1], CliEvent::Failed(why) if why.contains(word)), "{events:?}");
        }
    }
}
