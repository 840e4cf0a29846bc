//! Chat completions of OpenAI and of compatible servers.
//!
//! Decoded leniently: fields may be missing, null or unknown; token counts and `[DONE]` may be missing. Reasoning
//! (`reasoning_content`, `reasoning`) is not part of the answer.

use parlour_dialects::models::{
    Transcript,
    openai_chat::{self, Server},
};
use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    failure,
    output::{FinishReason, ModelEvent, TokenCount},
    request::NotJson,
    settings::{ModelSettings, Secret, sensitive},
};
use crate::sse::SseEvent;

/// A base URL without path gets the usual `/v1`.
pub(super) fn url(base: &Url) -> Url {
    let path = base.path().trim_end_matches('/').trim_end_matches("/chat/completions");
    let mut url = base.clone();
    url.set_path(&format!("{}/chat/completions", if path.is_empty() { "/v1" } else { path }));
    url
}

pub(super) fn headers(key: Option<&Secret>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        headers.insert(AUTHORIZATION, sensitive(&format!("Bearer {}", key.reveal()))?);
    }
    Some(headers)
}

pub(super) fn body(settings: &ModelSettings, turns: &Transcript) -> Value {
    let server = server_at(&settings.base_url);
    let mut body = json!({
        "model": settings.model,
        "messages": openai_chat::encode(turns, server).messages,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    if let Some(tokens) = settings.output_tokens_max {
        body[tokens_field(server)] = tokens.into();
    }
    body
}

fn server_at(base_url: &str) -> Server {
    let host = base_url.parse::<Url>().ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let is_openai = ["openai.com", "openai.azure.com"].iter().any(|end| host.ends_with(end));
    if is_openai { Server::OpenAi } else { Server::Lookalike }
}

/// Newer models of OpenAI refuse the old name of this field; most other servers accept only that.
fn tokens_field(server: Server) -> &'static str {
    match server {
        Server::OpenAi => "max_completion_tokens",
        Server::Lookalike => "max_tokens",
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatChunk {
    model: Option<String>,
    choices: Option<Vec<ChunkChoice>>,
    usage: Option<ChatUsage>,
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChunkChoice {
    delta: Option<ChoiceDelta>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChoiceDelta {
    content: Option<Value>,
    refusal: Option<String>,
    tool_calls: Option<Vec<ToolCallDelta>>,
    function_call: Option<FunctionDelta>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolCallDelta {
    function: Option<FunctionDelta>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FunctionDelta {
    name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptTokenDetails>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PromptTokenDetails {
    cached_tokens: Option<u64>,
}

pub(super) fn read(event: &SseEvent) -> Result<Vec<ModelEvent>, NotJson> {
    let data = event.data.trim();
    if data.is_empty() {
        return Ok(vec![]);
    }
    if data == "[DONE]" {
        return Ok(vec![ModelEvent::End]);
    }
    if event.name == "error" {
        return Ok(vec![ModelEvent::Error(failure::parse_error(data.as_bytes()))]);
    }
    let chunk: ChatChunk = serde_json::from_str(data).map_err(|_| NotJson)?;
    if chunk.error.is_some() {
        return Ok(vec![ModelEvent::Error(failure::parse_error(data.as_bytes()))]);
    }
    let mut pieces = Vec::new();
    pieces.extend(chunk.model.map(ModelEvent::Model));
    // Only one choice is requested.
    if let Some(choice) = chunk.choices.unwrap_or_default().into_iter().next() {
        pieces.extend(choice.delta.map(read_delta).unwrap_or_default());
        pieces.extend(choice.finish_reason.filter(|reason| !reason.is_empty()).map(|reason| finish(&reason)));
    }
    pieces.extend(chunk.usage.map(count));
    Ok(pieces)
}

fn read_delta(delta: ChoiceDelta) -> Vec<ModelEvent> {
    let calls = delta.tool_calls.unwrap_or_default().into_iter().filter_map(|call| call.function);
    // Only the first chunk of a call contains the name of the tool.
    let names = calls.chain(delta.function_call).filter_map(|function| function.name).filter(|name| !name.is_empty());
    let mut pieces: Vec<_> = names.map(ModelEvent::Tool).collect();
    pieces.extend(delta.content.as_ref().map(text_of).filter(|text| !text.is_empty()).map(ModelEvent::Text));
    pieces.extend(delta.refusal.map(ModelEvent::Refusal));
    pieces
}

/// The content is a string, or a list of parts of which only the texts are used.
fn text_of(content: &Value) -> String {
    let part = |part: &Value| (part["type"] == "text").then(|| part["text"].as_str().map(str::to_owned)).flatten();
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(part).collect(),
        _ => String::new(),
    }
}

fn finish(reason: &str) -> ModelEvent {
    ModelEvent::Finish(match reason {
        "stop" | "eos" | "eos_token" | "stop_sequence" | "end_turn" | "tool_calls" | "function_call" => {
            FinishReason::Whole
        }
        "length" | "max_tokens" | "model_length" => FinishReason::Length,
        "content_filter" => FinishReason::Filtered(reason.to_owned()),
        other => FinishReason::Other(other.to_owned()),
    })
}

fn count(usage: ChatUsage) -> ModelEvent {
    let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens);
    ModelEvent::Count(TokenCount { input: usage.prompt_tokens, cached, output: usage.completion_tokens })
}

#[cfg(test)]
mod tests {
    use super::{super::settings::Interface, *};

    fn base(text: &str) -> Url {
        text.parse().expect("an address")
    }

    fn turns() -> Transcript {
        let mut turns = Transcript::default();
        turns.instruct("You are Coder.");
        turns.ask("Hi");
        turns.answer("Hello.");
        turns.ask("Go on");
        turns
    }

    fn settings(base_url: &str, output_tokens_max: Option<u32>) -> ModelSettings {
        ModelSettings { base_url: base_url.into(), output_tokens_max, ..ModelSettings::new(Interface::OpenAi, "small") }
    }

    fn pieces(data: &str) -> Vec<ModelEvent> {
        read(&SseEvent { name: String::new(), data: data.into() }).expect("readable")
    }

    fn finished(reason: &str) -> Vec<ModelEvent> {
        pieces(&format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#))
    }

    #[test]
    fn the_url_is_below_the_base_url_with_v1_as_the_default_path() {
        for (given, expected) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:1/api/v3/", "http://localhost:1/api/v3/chat/completions"),
            ("http://localhost:1/v1/chat/completions", "http://localhost:1/v1/chat/completions"),
        ] {
            assert_eq!(url(&base(given)).as_str(), expected);
        }
    }

    #[test]
    fn the_key_is_an_optional_bearer_token() {
        let headers = headers(Some(&Secret::new("sk-1"))).expect("headers");
        assert_eq!(headers[AUTHORIZATION], "Bearer sk-1");
        assert!(headers[AUTHORIZATION].is_sensitive());
        assert!(super::headers(None).expect("headers").is_empty());
    }

    #[test]
    fn a_request_starts_with_the_system_message_and_asks_for_usage() {
        let expected = json!({
            "model": "small", "stream": true, "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "You are Coder."},
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Hello."},
                {"role": "user", "content": "Go on"},
            ],
        });
        assert_eq!(body(&settings("http://localhost:1", None), &turns()), expected);
    }

    #[test]
    fn the_token_limit_has_the_field_name_of_the_server() {
        let with = |url| body(&settings(url, Some(9)), &turns());
        assert_eq!(with("https://api.openai.com/v1")["max_completion_tokens"], 9);
        assert_eq!(with("http://localhost:11434/v1")["max_tokens"], 9);
        assert_eq!(with("https://openai.com.example/v1")["max_tokens"], 9);
    }

    #[test]
    fn a_chunk_contains_text_and_the_model_name() {
        let data = r#"{"id":"c1","object":"chat.completion.chunk","created":1,"model":"small-2026","system_fingerprint":null,
        "choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"logprobs":null,"finish_reason":null}],"usage":null}"#;
        assert_eq!(pieces(data), [ModelEvent::Model("small-2026".into()), ModelEvent::Text("Hel".into())]);
    }

    #[test]
    fn usage_is_read_with_or_without_choices() {
        let expected = [ModelEvent::Count(TokenCount { input: Some(9), cached: Some(4), output: Some(3) })];
        for choices in ["[]", "null"] {
            let data = format!(
                r#"{{"choices":{choices},"usage":{{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{{"cached_tokens":4}}}}}}"#
            );
            assert_eq!(pieces(&data), expected);
        }
        let without = r#"{"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":null}}"#;
        assert_eq!(pieces(without), [ModelEvent::Count(TokenCount { input: Some(9), cached: None, output: Some(3) })]);
    }

    #[test]
    fn thoughts_are_not_part_of_the_answer() {
        for data in [
            r#"{"choices":[{"delta":{"reasoning_content":"Hm","content":null}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"Hm","content":""}}]}"#,
            r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}}]}"#,
        ] {
            assert_eq!(pieces(data), [], "{data}");
        }
        let parts = r#"{"choices":[{"delta":{"content":[{"type":"text","text":"Yes"}]}}]}"#;
        assert_eq!(pieces(parts), [ModelEvent::Text("Yes".into())]);
    }

    #[test]
    fn a_tool_is_named_once() {
        let first = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"grep","arguments":""}}]}}]}"#;
        let next = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}"#;
        let old = r#"{"choices":[{"delta":{"function_call":{"name":"grep","arguments":""}}}]}"#;
        assert_eq!(pieces(first), [ModelEvent::Tool("grep".into())]);
        assert_eq!(pieces(next), []);
        assert_eq!(pieces(old), [ModelEvent::Tool("grep".into())]);
    }

    #[test]
    fn finish_reasons_are_distinguished() {
        for (reason, expected) in [
            ("stop", FinishReason::Whole),
            ("tool_calls", FinishReason::Whole),
            ("length", FinishReason::Length),
            ("content_filter", FinishReason::Filtered("content_filter".into())),
            ("abort", FinishReason::Other("abort".into())),
        ] {
            assert_eq!(finished(reason), [ModelEvent::Finish(expected)]);
        }
        assert_eq!(finished(""), []);
        assert_eq!(pieces(" [DONE] "), [ModelEvent::End]);
    }

    #[test]
    fn a_refusal_field_is_not_answer_text() {
        let data = r#"{"choices":[{"delta":{"refusal":"I cannot"}}]}"#;
        assert_eq!(pieces(data), [ModelEvent::Refusal("I cannot".into())]);
    }

    #[test]
    fn errors_in_the_stream_are_recognised_in_all_formats() {
        let data = r#"{"error":{"message":"boom","type":"server_error","code":500}}"#;
        let [ModelEvent::Error(refused)] = &pieces(data)[..] else { unreachable!("one error") };
        assert_eq!((refused.status, refused.message.as_str()), (Some(500), "boom"));
        let named = read(&SseEvent { name: "error".into(), data: r#"{"message":"boom"}"#.into() }).expect("readable");
        assert!(matches!(&named[..], [ModelEvent::Error(refused)] if refused.message == "boom"));
    }

    #[test]
    fn invalid_json_is_reported() {
        assert_eq!(read(&SseEvent { name: String::new(), data: "<html>".into() }), Err(NotJson));
        assert_eq!(pieces(" "), []);
    }
}
