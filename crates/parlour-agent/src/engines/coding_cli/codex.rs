//! Codex: `codex exec --json`.
//!
//! | event | carries |
//! |---|---|
//! | `thread.started`, `turn.started` | nothing for an answer |
//! | `item.started`, `item.updated`, `item.completed` | an item: a message, reasoning, a command, a changed file, a tool call … |
//! | `error` | a problem, also before a repeated request |
//! | `turn.completed` | the end, with the tokens |
//! | `turn.failed` | the end, with the error |
//!
//! Messages arrive whole, and no event names the model.

use serde_json::{Value, json};

use super::{CliEvent, CliProfile, DecodeEvents, TokenTotals, count_of, plain_error, text_of};

pub(super) const PROFILE: CliProfile = CliProfile {
    name: "Codex",
    program: "codex",
    arguments: &["exec", "--json"],
    events_mark: "--json",
    install: "npm install -g @openai/codex",
};

pub(super) fn is_first_event(event: &Value) -> bool {
    text_of(event, "type") == "thread.started" && event["thread_id"].is_string()
}

#[derive(Debug, Default)]
pub(super) struct CodexDecoder {}

impl DecodeEvents for CodexDecoder {
    fn decode(&mut self, event: &Value) -> Vec<CliEvent> {
        let item = &event["item"];
        match text_of(event, "type") {
            "item.started" => step_start(item).into_iter().collect(),
            "item.completed" => completed(item),
            "error" => vec![CliEvent::Trouble(plain_error(text_of(event, "message")))],
            "turn.completed" => vec![CliEvent::Tokens(tokens(&event["usage"])), CliEvent::Finished(None)],
            "turn.failed" => vec![CliEvent::Failed(failure(&event["error"]))],
            _ => vec![],
        }
    }
}

fn completed(item: &Value) -> Vec<CliEvent> {
    match (text_of(item, "type"), item["text"].as_str(), item["message"].as_str()) {
        ("agent_message", Some(text), _) => vec![CliEvent::TextBlock(text.to_owned())],
        ("error", _, Some(message)) => vec![CliEvent::Trouble(plain_error(message))],
        // Short items have no start event.
        _ => step_start(item).into_iter().chain(step_end(item)).collect(),
    }
}

fn step_start(item: &Value) -> Option<CliEvent> {
    let (tool, input) = step_input(item)?;
    Some(CliEvent::StepStart { id: item["id"].as_str()?.to_owned(), tool, input })
}

/// The name and the input of an item that is a step.
fn step_input(item: &Value) -> Option<(String, Value)> {
    let (tool, input) = match text_of(item, "type") {
        "command_execution" => ("command".to_owned(), json!({ "command": item["command"] })),
        "file_change" => ("edit".to_owned(), json!({ "path": changed_paths(item), "changes": item["changes"] })),
        "mcp_tool_call" => {
            (format!("{}.{}", text_of(item, "server"), text_of(item, "tool")), item["arguments"].clone())
        }
        "collab_tool_call" => (text_of(item, "tool").to_owned(), json!({ "prompt": item["prompt"] })),
        "web_search" => ("web search".to_owned(), json!({ "query": item["query"] })),
        _ => return None,
    };
    Some((tool, input))
}

fn changed_paths(item: &Value) -> String {
    let paths = item["changes"].as_array().into_iter().flatten().map(|change| text_of(change, "path"));
    paths.filter(|path| !path.is_empty()).collect::<Vec<_>>().join(", ")
}

fn step_end(item: &Value) -> Option<CliEvent> {
    step_input(item)?;
    let outputs = [&item["error"]["message"], &item["aggregated_output"], &item["result"]["content"], &item["result"]];
    let output = outputs.into_iter().find(|output| !output.is_null()).cloned().unwrap_or_default();
    let has_bad_status = matches!(text_of(item, "status"), "failed" | "declined");
    let is_error = has_bad_status || item["exit_code"].as_i64().is_some_and(|code| code != 0);
    let output = match item["exit_code"].as_i64().filter(|code| *code != 0) {
        Some(code) => Value::String(format!("exit status {code}\n{}", output.as_str().unwrap_or_default())),
        None => output,
    };
    Some(CliEvent::StepEnd { id: item["id"].as_str()?.to_owned(), output, is_error })
}

fn failure(error: &Value) -> String {
    let said = plain_error(text_of(error, "message"));
    if said.is_empty() { "it reported an error".to_owned() } else { said }
}

fn tokens(usage: &Value) -> TokenTotals {
    TokenTotals {
        input: count_of(usage, "input_tokens"),
        cached: count_of(usage, "cached_input_tokens"),
        output: count_of(usage, "output_tokens"),
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

    fn decoded(lines: &[Value]) -> Vec<CliEvent> {
        super::super::tests::decoded(CodingCli::Codex, lines)
    }

    fn item(event: &str, item: Value) -> Value {
        let mut line = json!({ "type": event });
        line["item"] = item;
        line
    }

    #[test]
    fn messages_are_blocks_of_text_and_reasoning_is_not() {
        let lines = [
            json!({"type": "thread.started", "thread_id": "t"}),
            json!({"type": "turn.started"}),
            item("item.completed", json!({"id": "item_0", "type": "reasoning", "text": "hm"})),
            item("item.completed", json!({"id": "item_1", "type": "agent_message", "text": "Hello"})),
            item("item.updated", json!({"id": "item_2", "type": "todo_list", "items": []})),
            json!({"type": "turn.completed", "usage": {"input_tokens": 12, "cached_input_tokens": 4, "output_tokens": 3}}),
        ];
        assert_eq!(decoded(&lines), [block("Hello"), tokens(12, 4, 3), CliEvent::Finished(None)]);
    }

    #[test]
    fn commands_are_steps_with_their_status() {
        let begun = json!({"id": "item_1", "type": "command_execution", "command": "ls", "aggregated_output": "",
            "exit_code": null, "status": "in_progress"});
        let ended = |code: i64, status: &str| {
            json!({"id": "item_1", "type": "command_execution", "command": "ls", "aggregated_output": "out\n",
                "exit_code": code, "status": status})
        };
        let lines = [
            item("item.started", begun),
            item("item.completed", ended(0, "completed")),
            item("item.completed", ended(3, "failed")),
        ];
        let began = || start("item_1", "command", json!({"command": "ls"}));
        assert_eq!(
            decoded(&lines),
            [
                began(),
                began(),
                end("item_1", json!("out\n"), false),
                began(),
                end("item_1", json!("exit status 3\nout\n"), true)
            ]
        );
    }

    #[test]
    fn edits_tool_calls_and_searches_are_steps() {
        let changes = json!([{"path": "a.rs", "kind": "update"}, {"path": "b.rs", "kind": "add"}]);
        let lines = [
            item(
                "item.completed",
                json!({"id": "1", "type": "file_change", "changes": changes, "status": "completed"}),
            ),
            item(
                "item.completed",
                json!({"id": "2", "type": "mcp_tool_call", "server": "hub", "tool": "post",
                "arguments": {"body": "hi"}, "result": null, "error": {"message": "refused"}, "status": "failed"}),
            ),
            item("item.completed", json!({"id": "3", "type": "web_search", "query": "rust"})),
        ];
        let events = decoded(&lines);
        assert_eq!(events[0], start("1", "edit", json!({"path": "a.rs, b.rs", "changes": changes})));
        assert_eq!(events[2], start("2", "hub.post", json!({"body": "hi"})));
        assert_eq!(events[3], end("2", json!("refused"), true));
        assert_eq!(events[4], start("3", "web search", json!({"query": "rust"})));
        assert_eq!(events[5], end("3", Value::Null, false));
    }

    #[test]
    fn a_failed_turn_fails_the_answer_with_the_text_of_the_provider() {
        let quoted = r#"{"error":{"message":"too low","type":"x"}}"#;
        let lines = [
            item("item.completed", json!({"id": "0", "type": "error", "message": "old model"})),
            json!({"type": "error", "message": "Reconnecting... 1/5"}),
            json!({"type": "turn.failed", "error": {"message": quoted}}),
        ];
        assert_eq!(
            decoded(&lines),
            [
                CliEvent::Trouble("old model".into()),
                CliEvent::Trouble("Reconnecting... 1/5".into()),
                CliEvent::Failed("too low".into())
            ]
        );
    }
}
