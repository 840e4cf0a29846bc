//! Chat completions, in the form of OpenAI and of the many servers that imitate it.
//!
//! Read with tolerance: fields may be missing, null or more than known; numbers may be missing; `[DONE]` may be missing.
//! What a model thinks (`reasoning_content`, `reasoning`) is no part of its answer.

use parlour_dialects::models::{
    Turns,
    openai_chat::{self, Server},
};
use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    events::Event,
    output::{Count, Finish, Piece},
    refused,
    request::NotJson,
    settings::{ModelSettings, Secret, sensitive},
};

/// Below the base; a base without any folder gets the usual `/v1`.
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

pub(super) fn body(settings: &ModelSettings, turns: &Turns) -> Value {
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

/// OpenAI's newer models refuse the old name of this field, and most other servers know only that.
fn tokens_field(server: Server) -> &'static str {
    match server {
        Server::OpenAi => "max_completion_tokens",
        Server::Lookalike => "max_tokens",
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Chunk {
    model: Option<String>,
    choices: Option<Vec<Choice>>,
    usage: Option<Usage>,
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Delta {
    content: Option<Value>,
    refusal: Option<String>,
    tool_calls: Option<Vec<ToolCall>>,
    function_call: Option<Function>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolCall {
    function: Option<Function>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Function {
    name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    cached_tokens: Option<u64>,
}

pub(super) fn read(event: &Event) -> Result<Vec<Piece>, NotJson> {
    let data = event.data.trim();
    if data.is_empty() {
        return Ok(vec![]);
    }
    if data == "[DONE]" {
        return Ok(vec![Piece::End]);
    }
    if event.name == "error" {
        return Ok(vec![Piece::Error(refused::read(data.as_bytes()))]);
    }
    let chunk: Chunk = serde_json::from_str(data).map_err(|_| NotJson)?;
    if chunk.error.is_some() {
        return Ok(vec![Piece::Error(refused::read(data.as_bytes()))]);
    }
    let mut pieces = Vec::new();
    pieces.extend(chunk.model.map(Piece::Model));
    // Only the first choice is asked for.
    if let Some(choice) = chunk.choices.unwrap_or_default().into_iter().next() {
        pieces.extend(choice.delta.map(read_delta).unwrap_or_default());
        pieces.extend(choice.finish_reason.filter(|reason| !reason.is_empty()).map(|reason| finish(&reason)));
    }
    pieces.extend(chunk.usage.map(count));
    Ok(pieces)
}

fn read_delta(delta: Delta) -> Vec<Piece> {
    let calls = delta.tool_calls.unwrap_or_default().into_iter().filter_map(|call| call.function);
    // Only the first part of a call names the tool; the others bring its input.
    let names = calls.chain(delta.function_call).filter_map(|function| function.name).filter(|name| !name.is_empty());
    let mut pieces: Vec<_> = names.map(Piece::Tool).collect();
    pieces.extend(delta.content.as_ref().map(text_of).filter(|text| !text.is_empty()).map(Piece::Text));
    pieces.extend(delta.refusal.map(Piece::Refusal));
    pieces
}

/// A text, or a list of parts of which only texts belong to the answer.
fn text_of(content: &Value) -> String {
    let part = |part: &Value| (part["type"] == "text").then(|| part["text"].as_str().map(str::to_owned)).flatten();
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(part).collect(),
        _ => String::new(),
    }
}

fn finish(reason: &str) -> Piece {
    Piece::Finish(match reason {
        "stop" | "eos" | "eos_token" | "stop_sequence" | "end_turn" | "tool_calls" | "function_call" => Finish::Whole,
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "content_filter" => Finish::Filtered(reason.to_owned()),
        other => Finish::Other(other.to_owned()),
    })
}

fn count(usage: Usage) -> Piece {
    let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens);
    Piece::Count(Count { input: usage.prompt_tokens, cached, output: usage.completion_tokens })
}

#[cfg(test)]
mod tests;
