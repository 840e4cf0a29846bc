//! Claude Code: `claude -p --output-format stream-json --verbose --include-partial-messages`.
//!
//! | event | carries |
//! |---|---|
//! | `system` | `init` with the model; `api_retry` before a repeated request |
//! | `stream_event` | an event of the Messages API: text as it arrives |
//! | `assistant` | one complete block of a message: text, thinking or a tool call |
//! | `user` | results of tool calls |
//! | `result` | the end, with the last text, the tokens and `is_error` |
//!
//! Messages of sub-agents carry a `parent_tool_use_id`. If a stream breaks, the program repeats the request without
//! streaming, and the complete block has another message id than its pieces.

use serde_json::Value;

use super::{CliEvent, CliProfile, DecodeEvents, TokenTotals, count_of, plain_error, text_of};

pub(super) const PROFILE: CliProfile = CliProfile {
    name: "Claude Code",
    program: "claude",
    arguments: &["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    events_mark: "stream-json",
    install: "npm install -g @anthropic-ai/claude-code",
};

/// The model name of texts that the program itself writes, such as "Not logged in".
const SYNTHETIC: &str = "<synthetic>";

pub(super) fn is_first_event(event: &Value) -> bool {
    text_of(event, "type") == "system" && event["subtype"].is_string() && event["session_id"].is_string()
}

#[derive(Debug, Default)]
pub(super) struct ClaudeCodeDecoder {
    /// The tokens of the messages so far, used if the program ends without its own totals.
    tokens: TokenTotals,
}

impl DecodeEvents for ClaudeCodeDecoder {
    fn decode(&mut self, event: &Value) -> Vec<CliEvent> {
        if event["parent_tool_use_id"].is_string() {
            return vec![];
        }
        match text_of(event, "type") {
            "system" => system(event),
            "stream_event" => self.partial(&event["event"]),
            "assistant" => assistant(event),
            "user" => blocks(&event["message"]).filter_map(tool_result).collect(),
            "result" => result(event),
            _ => vec![],
        }
    }
}

fn system(event: &Value) -> Vec<CliEvent> {
    match text_of(event, "subtype") {
        "init" => model(&event["model"]).into_iter().collect(),
        "api_retry" => {
            let status = event["error_status"].as_u64().map(|status| format!(" (status {status})"));
            let why = format!("the request was repeated: {}{}", text_of(event, "error"), status.unwrap_or_default());
            vec![CliEvent::Trouble(why)]
        }
        _ => vec![],
    }
}

fn model(name: &Value) -> Option<CliEvent> {
    name.as_str().filter(|name| *name != SYNTHETIC).map(|name| CliEvent::Model(name.to_owned()))
}

impl ClaudeCodeDecoder {
    /// An event of the Messages API.
    fn partial(&mut self, event: &Value) -> Vec<CliEvent> {
        match text_of(event, "type") {
            "message_start" => {
                self.tokens.add(TokenTotals { output: 0, ..tokens(&event["message"]["usage"]) });
                let named = model(&event["message"]["model"]);
                [CliEvent::TextRestart].into_iter().chain(named).collect()
            }
            "content_block_start" => text_piece(&event["content_block"]["text"]),
            "content_block_delta" => text_piece(&event["delta"]["text"]),
            "message_delta" => {
                self.tokens.output = self.tokens.output.saturating_add(count_of(&event["usage"], "output_tokens"));
                vec![CliEvent::Tokens(self.tokens)]
            }
            _ => vec![],
        }
    }
}

fn text_piece(text: &Value) -> Vec<CliEvent> {
    text.as_str().filter(|text| !text.is_empty()).map(|text| CliEvent::TextPiece(text.to_owned())).into_iter().collect()
}

fn assistant(event: &Value) -> Vec<CliEvent> {
    let message = &event["message"];
    // Errors are texts of the program, and not an answer.
    let is_answer = text_of(message, "model") != SYNTHETIC && !event["error"].is_string();
    blocks(message).filter_map(|block| if is_answer { answer_block(block) } else { error_block(block) }).collect()
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message["content"].as_array().into_iter().flatten()
}

fn answer_block(block: &Value) -> Option<CliEvent> {
    match text_of(block, "type") {
        "text" => Some(CliEvent::TextBlock(block["text"].as_str()?.to_owned())),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => Some(CliEvent::StepStart {
            id: block["id"].as_str()?.to_owned(),
            tool: text_of(block, "name").to_owned(),
            input: block["input"].clone(),
        }),
        _ => tool_result(block),
    }
}

fn error_block(block: &Value) -> Option<CliEvent> {
    block["text"].as_str().map(|text| CliEvent::Trouble(plain_error(text)))
}

/// The result of a tool of the program (`tool_result`) or of the provider (`web_search_tool_result` …).
fn tool_result(block: &Value) -> Option<CliEvent> {
    if !text_of(block, "type").ends_with("tool_result") {
        return None;
    }
    let content = &block["content"];
    let is_error = block["is_error"].as_bool().unwrap_or(false) || text_of(content, "type").ends_with("_error");
    Some(CliEvent::StepEnd { id: block["tool_use_id"].as_str()?.to_owned(), output: content.clone(), is_error })
}

fn result(event: &Value) -> Vec<CliEvent> {
    let counted = totals(event).map(CliEvent::Tokens);
    counted.into_iter().chain([ending(event)]).collect()
}

fn ending(event: &Value) -> CliEvent {
    if event["is_error"].as_bool().unwrap_or(false) || text_of(event, "subtype").starts_with("error") {
        return CliEvent::Failed(failure(event));
    }
    match text_of(event, "stop_reason") {
        "max_tokens" => CliEvent::Failed("the model reached its output limit; the answer is cut".to_owned()),
        "model_context_window_exceeded" => {
            CliEvent::Failed("the context window of the model is full; the answer is cut".to_owned())
        }
        "refusal" => CliEvent::Failed("the model refused to answer".to_owned()),
        _ => CliEvent::Finished(event["result"].as_str().map(ToOwned::to_owned)),
    }
}

fn failure(event: &Value) -> String {
    let errors: Vec<_> = event["errors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let said = [errors.join("; "), text_of(event, "result").to_owned(), text_of(event, "subtype").replace('_', " ")];
    let said = said.into_iter().map(|text| plain_error(&text)).find(|text| !text.is_empty());
    said.unwrap_or_else(|| "it reported an error".to_owned())
}

/// The tokens of all models, sub-agents included; `usage` counts the main conversation only.
fn totals(event: &Value) -> Option<TokenTotals> {
    let per_model = event["modelUsage"].as_object().filter(|models| !models.is_empty());
    let Some(per_model) = per_model else {
        return event["usage"]
            .is_object()
            .then(|| tokens(&event["usage"]))
            .filter(|all| *all != TokenTotals::default());
    };
    let mut all = TokenTotals::default();
    for counts in per_model.values() {
        let cached = count_of(counts, "cacheReadInputTokens");
        let written = count_of(counts, "cacheCreationInputTokens");
        let input = count_of(counts, "inputTokens").saturating_add(cached).saturating_add(written);
        all.add(TokenTotals { input, cached, output: count_of(counts, "outputTokens") });
    }
    Some(all)
}

/// `input_tokens` excludes tokens read from and written to the cache; all of them are input of the model.
fn tokens(usage: &Value) -> TokenTotals {
    let cached = count_of(usage, "cache_read_input_tokens");
    let written = count_of(usage, "cache_creation_input_tokens");
    let input = count_of(usage, "input_tokens").saturating_add(cached).saturating_add(written);
    TokenTotals { input, cached, output: count_of(usage, "output_tokens") }
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
        super::super::tests::decoded(CodingCli::ClaudeCode, lines)
    }

    fn partial(event: Value) -> Value {
        let mut line = json!({"type": "stream_event", "session_id": "s", "parent_tool_use_id": null});
        line["event"] = event;
        line
    }

    fn message(block: Value) -> Value {
        let mut line =
            json!({"type": "assistant", "message": {"id": "m", "model": "opus"}, "parent_tool_use_id": null});
        line["message"]["content"] = Value::Array(vec![block]);
        line
    }

    fn finished(extra: Value) -> Value {
        let mut line =
            json!({"type": "result", "subtype": "success", "is_error": false, "result": "Hi", "modelUsage": {}});
        if let (Value::Object(fields), Value::Object(extra)) = (&mut line, extra) {
            fields.extend(extra);
        }
        line
    }

    #[test]
    fn text_arrives_in_pieces_and_as_a_block() {
        let lines = [
            json!({"type": "system", "subtype": "init", "model": "opus[1m]", "session_id": "s", "tools": []}),
            partial(json!({"type": "message_start", "message": {"model": "opus", "usage": {"input_tokens": 7}}})),
            partial(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})),
            partial(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}})),
            message(json!({"type": "text", "text": "Hello"})),
            partial(json!({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 3}})),
        ];
        let model = |name: &str| CliEvent::Model(name.to_owned());
        assert_eq!(
            decoded(&lines),
            [model("opus[1m]"), CliEvent::TextRestart, model("opus"), piece("Hel"), block("Hello"), tokens(7, 0, 3)]
        );
    }

    #[test]
    fn thinking_and_tool_arguments_are_no_text() {
        let lines = [
            partial(json!({"type": "content_block_start", "content_block": {"type": "thinking", "thinking": "a"}})),
            partial(json!({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "b"}})),
            partial(json!({"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": "c"}})),
            partial(json!({"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "{"}})),
            message(json!({"type": "thinking", "thinking": "ab", "signature": "c"})),
            message(json!({"type": "redacted_thinking", "data": "d"})),
        ];
        assert_eq!(decoded(&lines), []);
    }

    #[test]
    fn tool_calls_are_steps() {
        let result = |is_error: Value| {
            json!({"type": "user", "parent_tool_use_id": null, "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "out", "is_error": is_error}]}})
        };
        let call = message(json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}));
        assert_eq!(
            decoded(&[call, result(json!(null)), result(json!(true))]),
            [
                start("t1", "Bash", json!({"command": "ls"})),
                end("t1", json!("out"), false),
                end("t1", json!("out"), true)
            ]
        );
    }

    #[test]
    fn tools_of_the_provider_are_steps() {
        let lines = [
            message(json!({"type": "server_tool_use", "id": "t1", "name": "web_search", "input": {"query": "q"}})),
            message(json!({"type": "web_search_tool_result", "tool_use_id": "t1",
                "content": {"type": "web_search_tool_result_error", "error_code": "unavailable"}})),
        ];
        let events = decoded(&lines);
        assert_eq!(events[0], start("t1", "web_search", json!({"query": "q"})));
        assert!(matches!(&events[1], CliEvent::StepEnd { is_error: true, .. }), "{events:?}");
    }

    #[test]
    fn messages_of_sub_agents_are_left_out() {
        let mut text = message(json!({"type": "text", "text": "inner"}));
        let mut call = message(json!({"type": "tool_use", "id": "t2", "name": "Bash", "input": {}}));
        let mut delta =
            partial(json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "inner"}}));
        for line in [&mut text, &mut call, &mut delta] {
            line["parent_tool_use_id"] = json!("t1");
        }
        assert_eq!(decoded(&[text, call, delta]), []);
    }

    #[test]
    fn the_result_counts_the_tokens_of_all_models() {
        let counts =
            json!({"inputTokens": 100, "cacheReadInputTokens": 40, "cacheCreationInputTokens": 2, "outputTokens": 5});
        let lines = [finished(json!({"modelUsage": {"opus": counts, "haiku": counts}, "usage": {"input_tokens": 1}}))];
        assert_eq!(decoded(&lines), [tokens(284, 80, 10), CliEvent::Finished(Some("Hi".into()))]);
    }

    #[test]
    fn without_counts_per_model_the_usage_is_read() {
        let usage = json!({"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 2});
        assert_eq!(decoded(&[finished(json!({"usage": usage}))])[0], tokens(15, 5, 2));
    }

    #[test]
    fn an_error_of_the_provider_is_no_answer() {
        let said = json!({"type": "assistant", "error": "billing_error", "parent_tool_use_id": null,
            "message": {"model": "<synthetic>", "content": [{"type": "text", "text": "Credit balance is too low"}]}});
        let lines = [said, finished(json!({"is_error": true, "result": "Credit balance is too low"}))];
        let why = "Credit balance is too low".to_owned();
        assert_eq!(decoded(&lines), [CliEvent::Trouble(why.clone()), CliEvent::Failed(why)]);
    }

    #[test]
    fn a_stopped_or_cut_answer_has_failed() {
        for (extra, word) in [
            (json!({"subtype": "error_max_turns", "errors": ["Reached maximum number of turns (1)"]}), "turns (1)"),
            (json!({"subtype": "error_during_execution", "result": null}), "error during execution"),
            (json!({"stop_reason": "max_tokens"}), "output limit"),
            (json!({"stop_reason": "refusal"}), "refused"),
        ] {
            let events = decoded(&[finished(extra)]);
            assert!(matches!(&events[..], [CliEvent::Failed(why)] if why.contains(word)), "{word}: {events:?}");
        }
    }

    #[test]
    fn a_repeated_request_is_trouble() {
        let retry = json!({"type": "system", "subtype": "api_retry", "error": "overloaded", "error_status": 529});
        assert_eq!(decoded(&[retry]), [CliEvent::Trouble("the request was repeated: overloaded (status 529)".into())]);
    }
}
