//! `streamGenerateContent` of Google's Gemini.
//!
//! Every event is a whole answer object with a further part. The key goes in a header: addresses end in logs.

use parlour_dialects::models::{self, Turns};
use reqwest::{Url, header::HeaderMap};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    events::Event,
    output::{Count, Finish, Piece},
    refused,
    request::{self, NotJson},
    settings::{ModelSettings, Secret, sensitive},
};

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

pub(super) fn body(settings: &ModelSettings, turns: &Turns) -> Value {
    let mut body = json!(models::gemini::encode(turns));
    if let Some(tokens) = settings.output_tokens_max {
        body["generationConfig"] = json!({ "maxOutputTokens": tokens });
    }
    body
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Chunk {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Usage>,
    model_version: Option<String>,
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    thought: Option<bool>,
    function_call: Option<Function>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Function {
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Usage {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
}

pub(super) fn read(event: &Event) -> Result<Vec<Piece>, NotJson> {
    let data = event.data.trim();
    if data.is_empty() {
        return Ok(vec![]);
    }
    let chunk: Chunk = serde_json::from_str(data).map_err(|_| NotJson)?;
    if chunk.error.is_some() {
        return Ok(vec![Piece::Error(refused::read(data.as_bytes()))]);
    }
    let mut pieces = Vec::new();
    pieces.extend(chunk.model_version.map(Piece::Model));
    pieces.extend(chunk.usage_metadata.map(|usage| Piece::Count(count(&usage))));
    if let Some(candidate) = chunk.candidates.unwrap_or_default().into_iter().next() {
        let parts = candidate.content.and_then(|content| content.parts).unwrap_or_default();
        pieces.extend(parts.into_iter().filter_map(read_part));
        pieces.extend(candidate.finish_reason.map(|reason| Piece::Finish(finish(&reason))));
    }
    let blocked = chunk.prompt_feedback.and_then(|feedback| feedback.block_reason);
    pieces.extend(blocked.map(|reason| Piece::Finish(Finish::Filtered(reason))));
    Ok(pieces)
}

fn read_part(part: Part) -> Option<Piece> {
    if let Some(call) = part.function_call {
        return Some(Piece::Tool(call.name));
    }
    part.text.filter(|_| part.thought != Some(true)).map(Piece::Text)
}

fn finish(reason: &str) -> Finish {
    match reason {
        "STOP" => Finish::Whole,
        // A request for a tool, well made or not: it is told as such.
        request if request.contains("FUNCTION_CALL") || request.contains("TOOL_CALL") => Finish::Whole,
        "MAX_TOKENS" => Finish::Length,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
            Finish::Filtered(reason.to_owned())
        }
        other => Finish::Other(other.to_owned()),
    }
}

/// What a model thinks is counted apart there, and is paid like what it writes.
fn count(usage: &Usage) -> Count {
    let written = [usage.candidates_token_count, usage.thoughts_token_count];
    let output =
        written.iter().any(Option::is_some).then(|| written.into_iter().flatten().fold(0, u64::saturating_add));
    Count { input: usage.prompt_token_count, cached: usage.cached_content_token_count, output }
}

#[cfg(test)]
mod tests;
