//! The messages of Anthropic.
//!
//! Events say themselves what they are. What a model thinks is no part of its answer, and unknown events are passed
//! over, as the provider asks of its clients.

use parlour_dialects::models::{self, Turns};
use reqwest::{
    Url,
    header::{HeaderMap, HeaderValue},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    events::Event,
    output::{Count, Finish, Piece},
    refused,
    request::{self, NotJson},
    settings::{ModelSettings, Secret, sensitive},
};

/// The version of the interface that is spoken here.
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

pub(super) fn body(settings: &ModelSettings, turns: &Turns) -> Value {
    let mut body = json!(models::anthropic::encode(turns));
    body["model"] = settings.model.as_str().into();
    body["max_tokens"] = settings.limit_of_answer().into();
    body["stream"] = true.into();
    body
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    MessageStart {
        message: Begun,
    },
    ContentBlockStart {
        content_block: Block,
    },
    ContentBlockDelta {
        delta: BlockDelta,
    },
    MessageDelta {
        delta: Ended,
        usage: Option<Usage>,
    },
    MessageStop,
    Error,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Begun {
    model: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
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
struct Ended {
    stop_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage {
    input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

pub(super) fn read(event: &Event) -> Result<Vec<Piece>, NotJson> {
    let data = event.data.trim();
    if data.is_empty() {
        return Ok(vec![]);
    }
    let said: Said = serde_json::from_str(data).map_err(|_| NotJson)?;
    Ok(match said {
        Said::MessageStart { message } => {
            let model = message.model.map(Piece::Model);
            model.into_iter().chain(message.usage.map(|usage| Piece::Count(count(&usage)))).collect()
        }
        Said::ContentBlockStart { content_block: Block::Text { text } } => vec![Piece::Text(text)],
        Said::ContentBlockStart { content_block: Block::ToolUse { name } | Block::ServerToolUse { name } } => {
            vec![Piece::Tool(name)]
        }
        Said::ContentBlockDelta { delta: BlockDelta::TextDelta { text } } => vec![Piece::Text(text)],
        Said::MessageDelta { delta, usage } => {
            let finish = delta.stop_reason.map(|reason| Piece::Finish(finish(&reason)));
            usage.map(|usage| Piece::Count(count(&usage))).into_iter().chain(finish).collect()
        }
        Said::MessageStop => vec![Piece::End],
        Said::Error => vec![Piece::Error(refused::read(data.as_bytes()))],
        Said::ContentBlockStart { .. } | Said::ContentBlockDelta { .. } | Said::Other => vec![],
    })
}

fn finish(reason: &str) -> Finish {
    match reason {
        "end_turn" | "stop_sequence" | "tool_use" | "pause_turn" => Finish::Whole,
        "max_tokens" => Finish::Length,
        "model_context_window_exceeded" => Finish::Full,
        "refusal" => Finish::Refused,
        other => Finish::Other(other.to_owned()),
    }
}

/// What is read from the cache and what is written to it is counted apart there; all of it was given to the model.
fn count(usage: &Usage) -> Count {
    let kept = usage.cache_read_input_tokens;
    let others = kept.unwrap_or(0).saturating_add(usage.cache_creation_input_tokens.unwrap_or(0));
    Count {
        input: usage.input_tokens.map(|fresh| fresh.saturating_add(others)),
        cached: kept,
        output: usage.output_tokens,
    }
}

#[cfg(test)]
mod tests;
