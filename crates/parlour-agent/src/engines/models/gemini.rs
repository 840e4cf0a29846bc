//! `streamGenerateContent` of Google's Gemini.
//!
//! Every event is a complete response object with the next part. The key is sent in a header, because URLs reach logs.

use parlour_dialects::models::{self, Transcript};
use reqwest::{Url, header::HeaderMap};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    failure,
    output::{FinishReason, ModelEvent, TokenCount},
    request::{self, NotJson},
    settings::{ModelSettings, Secret, sensitive},
};
use crate::sse::SseEvent;

pub(super) fn url(base: &Url, model: &str) -> Url {
    let mut url = request::join(base, "/v1beta", "/models");
    let model = model.strip_prefix("models/").unwrap_or(model);
    if let Ok(mut path) = url.path_segments_mut() {
        path.push(&format!("{model}:streamGenerateContent"));
    }
    url.set_query(Some("alt=sse"));
    url
}

pub(super) fn headers(key: Option<&Secret>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        headers.insert("x-goog-api-key", sensitive(key.reveal())?);
    }
    Some(headers)
}

pub(super) fn body(settings: &ModelSettings, turns: &Transcript) -> Value {
    let mut body = json!(models::gemini::encode(turns));
    if let Some(tokens) = settings.output_tokens_max {
        body["generationConfig"] = json!({ "maxOutputTokens": tokens });
    }
    body
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ContentChunk {
    candidates: Option<Vec<ResponseCandidate>>,
    prompt_feedback: Option<PromptFeedback>,
    usage_metadata: Option<UsageMetadata>,
    model_version: Option<String>,
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ResponseCandidate {
    content: Option<CandidateContent>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CandidateContent {
    parts: Option<Vec<ContentPart>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ContentPart {
    text: Option<String>,
    thought: Option<bool>,
    function_call: Option<FunctionCallPart>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FunctionCallPart {
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct UsageMetadata {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
}

pub(super) fn read(event: &SseEvent) -> Result<Vec<ModelEvent>, NotJson> {
    let data = event.data.trim();
    if data.is_empty() {
        return Ok(vec![]);
    }
    let chunk: ContentChunk = serde_json::from_str(data).map_err(|_| NotJson)?;
    if chunk.error.is_some() {
        return Ok(vec![ModelEvent::Error(failure::parse_error(data.as_bytes()))]);
    }
    let mut pieces = Vec::new();
    pieces.extend(chunk.model_version.map(ModelEvent::Model));
    pieces.extend(chunk.usage_metadata.map(|usage| ModelEvent::Count(count(&usage))));
    if let Some(candidate) = chunk.candidates.unwrap_or_default().into_iter().next() {
        let parts = candidate.content.and_then(|content| content.parts).unwrap_or_default();
        pieces.extend(parts.into_iter().filter_map(read_part));
        pieces.extend(candidate.finish_reason.map(|reason| ModelEvent::Finish(finish(&reason))));
    }
    let blocked = chunk.prompt_feedback.and_then(|feedback| feedback.block_reason);
    pieces.extend(blocked.map(|reason| ModelEvent::Finish(FinishReason::Filtered(reason))));
    Ok(pieces)
}

fn read_part(part: ContentPart) -> Option<ModelEvent> {
    if let Some(call) = part.function_call {
        return Some(ModelEvent::Tool(call.name));
    }
    part.text.filter(|_| part.thought != Some(true)).map(ModelEvent::Text)
}

fn finish(reason: &str) -> FinishReason {
    match reason {
        "STOP" => FinishReason::Whole,
        // A tool call, valid or not, is reported as such.
        request if request.contains("FUNCTION_CALL") || request.contains("TOOL_CALL") => FinishReason::Whole,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
            FinishReason::Filtered(reason.to_owned())
        }
        other => FinishReason::Other(other.to_owned()),
    }
}

/// Reasoning tokens are counted separately and billed as output.
fn count(usage: &UsageMetadata) -> TokenCount {
    let written = [usage.candidates_token_count, usage.thoughts_token_count];
    let output =
        written.iter().any(Option::is_some).then(|| written.into_iter().flatten().fold(0, u64::saturating_add));
    TokenCount { input: usage.prompt_token_count, cached: usage.cached_content_token_count, output }
}

#[cfg(test)]
mod tests {
    use super::{super::settings::Interface, *};

    fn turns() -> Transcript {
        let mut turns = Transcript::default();
        turns.instruct("You are Coder.");
        turns.ask("Hi");
        turns.answer("Hello.");
        turns.ask("Go on");
        turns
    }

    fn at(base: &str, model: &str) -> String {
        url(&base.parse().expect("address"), model).to_string()
    }

    fn pieces(data: &str) -> Vec<ModelEvent> {
        read(&SseEvent { name: String::new(), data: data.into() }).expect("readable")
    }

    fn finished(reason: &str) -> Vec<ModelEvent> {
        pieces(&format!(r#"{{"candidates":[{{"finishReason":"{reason}","index":0}}]}}"#))
    }

    #[test]
    fn the_url_contains_the_model_and_never_the_key() {
        let expected = "https://host.example/v1beta/models/small:streamGenerateContent?alt=sse";
        for (base, model) in [
            ("https://host.example", "small"),
            ("https://host.example/", "models/small"),
            ("https://host.example/v1beta/", "small"),
        ] {
            assert_eq!(at(base, model), expected);
        }
        assert_eq!(
            at("http://localhost:1/g", "a/../b?key=1#x"),
            "http://localhost:1/g/v1beta/models/a%2F..%2Fb%3Fkey=1%23x:streamGenerateContent?alt=sse"
        );
        let headers = headers(Some(&Secret::new("AIza1"))).expect("headers");
        assert!(headers["x-goog-api-key"] == "AIza1" && headers["x-goog-api-key"].is_sensitive());
    }

    #[test]
    fn the_role_of_the_assistant_is_model() {
        let settings = ModelSettings::new(Interface::Gemini, "small");
        let text = |text: &str| json!([{ "text": text }]);
        let expected = json!({
            "systemInstruction": {"parts": text("You are Coder.")},
            "contents": [
                {"role": "user", "parts": text("Hi")},
                {"role": "model", "parts": text("Hello.")},
                {"role": "user", "parts": text("Go on")},
            ],
        });
        assert_eq!(body(&settings, &turns()), expected);
        let settings = ModelSettings { output_tokens_max: Some(9), ..settings };
        assert_eq!(body(&settings, &turns())["generationConfig"], json!({"maxOutputTokens": 9}));
    }

    #[test]
    fn a_chunk_contains_text_usage_and_the_model_name() {
        let data = r#"{"candidates":[{"content":{"parts":[{"text":"Hel"},{"text":"lo"}],"role":"model"},"index":0}],
        "usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":5,"cachedContentTokenCount":4,"totalTokenCount":16},
        "modelVersion":"small-001","responseId":"r"}"#;
        let count = TokenCount { input: Some(9), cached: Some(4), output: Some(7) };
        let expected = [
            ModelEvent::Model("small-001".into()),
            ModelEvent::Count(count),
            ModelEvent::Text("Hel".into()),
            ModelEvent::Text("lo".into()),
        ];
        assert_eq!(pieces(data), expected);
    }

    #[test]
    fn thoughts_are_not_part_of_the_answer() {
        let data = r#"{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},{"thoughtSignature":"x"}]}}]}"#;
        assert_eq!(pieces(data), []);
    }

    #[test]
    fn a_tool_call_is_recognised() {
        let data = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"grep","args":{"a":1}}}]}}]}"#;
        assert_eq!(pieces(data), [ModelEvent::Tool("grep".into())]);
    }

    #[test]
    fn finish_reasons_are_distinguished() {
        for (reason, expected) in [
            ("STOP", FinishReason::Whole),
            ("FUNCTION_CALL", FinishReason::Whole),
            ("UNEXPECTED_TOOL_CALL", FinishReason::Whole),
            ("MAX_TOKENS", FinishReason::Length),
            ("SAFETY", FinishReason::Filtered("SAFETY".into())),
            ("PROHIBITED_CONTENT", FinishReason::Filtered("PROHIBITED_CONTENT".into())),
            ("OTHER", FinishReason::Other("OTHER".into())),
        ] {
            assert_eq!(finished(reason), [ModelEvent::Finish(expected)]);
        }
        let blocked =
            pieces(r#"{"promptFeedback":{"blockReason":"BLOCKLIST"},"usageMetadata":{"promptTokenCount":3}}"#);
        assert_eq!(blocked[1], ModelEvent::Finish(FinishReason::Filtered("BLOCKLIST".into())));
    }

    #[test]
    fn token_counts_cannot_overflow() {
        let data = format!(r#"{{"usageMetadata":{{"candidatesTokenCount":{0},"thoughtsTokenCount":{0}}}}}"#, u64::MAX);
        assert_eq!(pieces(&data), [ModelEvent::Count(TokenCount { output: Some(u64::MAX), ..TokenCount::default() })]);
    }

    #[test]
    fn an_error_in_the_stream_is_an_error() {
        let data = r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#;
        let [ModelEvent::Error(refused)] = &pieces(data)[..] else { unreachable!("one error") };
        assert_eq!((refused.status, refused.is_transient()), (Some(503), true));
        assert_eq!(read(&SseEvent { name: String::new(), data: "[".into() }), Err(NotJson));
    }
}
