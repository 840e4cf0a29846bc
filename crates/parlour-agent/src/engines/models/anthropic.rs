//! The Messages API of Anthropic.
//!
//! Reasoning is not part of the answer. Unknown events are ignored, as the provider demands.

use parlour_dialects::models::{self, Transcript};
use reqwest::{
    Url,
    header::{HeaderMap, HeaderValue},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    failure,
    output::{FinishReason, ModelEvent, TokenCount},
    request::{self, NotJson},
    settings::{ModelSettings, Secret, sensitive},
};
use crate::sse::SseEvent;

const VERSION: &str = "2023-06-01";

pub(super) fn url(base: &Url) -> Url {
    request::join(base, "/v1", "/messages")
}

pub(super) fn headers(key: Option<&Secret>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
    if let Some(key) = key {
        headers.insert("x-api-key", sensitive(key.reveal())?);
    }
    Some(headers)
}

pub(super) fn body(settings: &ModelSettings, turns: &Transcript) -> Value {
    let mut body = json!(models::anthropic::encode(turns));
    body["model"] = settings.model.as_str().into();
    body["max_tokens"] = settings.answer_tokens_max().into();
    body["stream"] = true.into();
    body
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum MessageEvent {
    MessageStart {
        message: StartedMessage,
    },
    ContentBlockStart {
        content_block: ContentBlock,
    },
    ContentBlockDelta {
        delta: BlockDelta,
    },
    MessageDelta {
        delta: MessageDelta,
        usage: Option<MessageUsage>,
    },
    MessageStop,
    Error,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct StartedMessage {
    model: Option<String>,
    usage: Option<MessageUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentBlock {
    Text {
        #[serde(default)]
        text: String,
    },
    ToolUse {
        name: String,
    },
    ServerToolUse {
        name: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockDelta {
    TextDelta {
        text: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct MessageDelta {
    stop_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MessageUsage {
    input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

pub(super) fn read(event: &SseEvent) -> Result<Vec<ModelEvent>, NotJson> {
    let data = event.data.trim();
    if data.is_empty() {
        return Ok(vec![]);
    }
    let event: MessageEvent = serde_json::from_str(data).map_err(|_| NotJson)?;
    Ok(match event {
        MessageEvent::MessageStart { message } => {
            let model = message.model.map(ModelEvent::Model);
            model.into_iter().chain(message.usage.map(|usage| ModelEvent::Count(count(&usage)))).collect()
        }
        MessageEvent::ContentBlockStart { content_block: ContentBlock::Text { text } } => vec![ModelEvent::Text(text)],
        MessageEvent::ContentBlockStart {
            content_block: ContentBlock::ToolUse { name } | ContentBlock::ServerToolUse { name },
        } => {
            vec![ModelEvent::Tool(name)]
        }
        MessageEvent::ContentBlockDelta { delta: BlockDelta::TextDelta { text } } => vec![ModelEvent::Text(text)],
        MessageEvent::MessageDelta { delta, usage } => {
            let finish = delta.stop_reason.map(|reason| ModelEvent::Finish(finish(&reason)));
            usage.map(|usage| ModelEvent::Count(count(&usage))).into_iter().chain(finish).collect()
        }
        MessageEvent::MessageStop => vec![ModelEvent::End],
        MessageEvent::Error => vec![ModelEvent::Error(failure::parse_error(data.as_bytes()))],
        MessageEvent::ContentBlockStart { .. } | MessageEvent::ContentBlockDelta { .. } | MessageEvent::Other => vec![],
    })
}

fn finish(reason: &str) -> FinishReason {
    match reason {
        "end_turn" | "stop_sequence" | "tool_use" | "pause_turn" => FinishReason::Whole,
        "max_tokens" => FinishReason::Length,
        "model_context_window_exceeded" => FinishReason::Full,
        "refusal" => FinishReason::Refused,
        other => FinishReason::Other(other.to_owned()),
    }
}

/// `input_tokens` excludes tokens read from and written to the cache; all of them are input of the model.
fn count(usage: &MessageUsage) -> TokenCount {
    let kept = usage.cache_read_input_tokens;
    let others = kept.unwrap_or(0).saturating_add(usage.cache_creation_input_tokens.unwrap_or(0));
    TokenCount {
        input: usage.input_tokens.map(|fresh| fresh.saturating_add(others)),
        cached: kept,
        output: usage.output_tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::settings::{Interface, OUTPUT_TOKENS_USUAL},
        *,
    };

    fn turns() -> Transcript {
        let mut turns = Transcript::default();
        turns.instruct("You are Coder.");
        turns.ask("Hi");
        turns
    }

    fn pieces(data: &str) -> Vec<ModelEvent> {
        read(&SseEvent { name: String::new(), data: data.into() }).expect("readable")
    }

    fn finished(reason: &str) -> Vec<ModelEvent> {
        pieces(&format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}","stop_sequence":null}}}}"#))
    }

    #[test]
    fn the_base_url_may_contain_the_version() {
        for base in ["https://api.anthropic.com", "https://api.anthropic.com/", "https://api.anthropic.com/v1"] {
            assert_eq!(url(&base.parse().expect("address")).as_str(), "https://api.anthropic.com/v1/messages");
        }
        let proxied = url(&"http://localhost:1/anthropic".parse().expect("address"));
        assert_eq!(proxied.as_str(), "http://localhost:1/anthropic/v1/messages");
    }

    #[test]
    fn the_version_header_is_sent_and_the_key_is_hidden() {
        let headers = headers(Some(&Secret::new("sk-ant-1"))).expect("headers");
        assert_eq!(
            (&headers["anthropic-version"], &headers["x-api-key"]),
            (&HeaderValue::from_static(VERSION), &HeaderValue::from_static("sk-ant-1"))
        );
        assert!(headers["x-api-key"].is_sensitive());
    }

    #[test]
    fn a_request_has_a_system_field_and_always_a_token_limit() {
        let settings = ModelSettings::new(Interface::Anthropic, "large");
        let expected = json!({
            "model": "large", "max_tokens": OUTPUT_TOKENS_USUAL, "system": "You are Coder.", "stream": true,
            "messages": [{"role": "user", "content": "Hi"}],
        });
        assert_eq!(body(&settings, &turns()), expected);
        let settings = ModelSettings { output_tokens_max: Some(9), ..settings };
        assert_eq!(body(&settings, &turns())["max_tokens"], 9);
    }

    #[test]
    fn the_first_event_contains_the_model_and_the_input_tokens() {
        let data = r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],
        "model":"large-2026","stop_reason":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":3,"cache_read_input_tokens":2,"output_tokens":1}}}"#;
        let count = TokenCount { input: Some(10), cached: Some(2), output: Some(1) };
        assert_eq!(pieces(data), [ModelEvent::Model("large-2026".into()), ModelEvent::Count(count)]);
    }

    #[test]
    fn only_text_blocks_are_the_answer() {
        for (data, expected) in [
            (
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}"#,
                vec![ModelEvent::Text("Hel".into())],
            ),
            (r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}"#, vec![]),
            (r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}"#, vec![]),
            (
                r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{"}}"#,
                vec![],
            ),
            (r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#, vec![]),
            (
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"x"}}"#,
                vec![],
            ),
            (r#"{"type":"content_block_stop","index":0}"#, vec![]),
            (r#"{"type":"ping"}"#, vec![]),
            (r#"{"type":"something_new","x":1}"#, vec![]),
        ] {
            assert_eq!(pieces(data), expected, "{data}");
        }
    }

    #[test]
    fn a_tool_call_is_recognised_at_the_start_of_its_block() {
        let data = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"grep","input":{}}}"#;
        assert_eq!(pieces(data), [ModelEvent::Tool("grep".into())]);
    }

    #[test]
    fn stop_reasons_are_distinguished() {
        for (reason, expected) in [
            ("end_turn", FinishReason::Whole),
            ("tool_use", FinishReason::Whole),
            ("max_tokens", FinishReason::Length),
            ("refusal", FinishReason::Refused),
            ("model_context_window_exceeded", FinishReason::Full),
            ("odd", FinishReason::Other("odd".into())),
        ] {
            assert_eq!(finished(reason), [ModelEvent::Finish(expected)]);
        }
        assert_eq!(pieces(r#"{"type":"message_stop"}"#), [ModelEvent::End]);
    }

    #[test]
    fn the_final_usage_comes_before_the_end() {
        let data = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":15}}"#;
        let count = TokenCount { output: Some(15), ..TokenCount::default() };
        assert_eq!(pieces(data), [ModelEvent::Count(count), ModelEvent::Finish(FinishReason::Whole)]);
    }

    #[test]
    fn an_overload_error_in_the_stream_is_recognised() {
        let data = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
        let [ModelEvent::Error(refused)] = &pieces(data)[..] else { unreachable!("one error") };
        assert!(refused.is_transient());
    }

    #[test]
    fn invalid_json_is_reported() {
        assert_eq!(read(&SseEvent { name: "ping".into(), data: "{".into() }), Err(NotJson));
        assert_eq!(pieces(""), []);
    }
}
