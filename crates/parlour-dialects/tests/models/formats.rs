//! One interface to all provider formats, for tests that apply to each.

use parlour_core::Refusal;
use parlour_dialects::models::{
    Transcript, anthropic, gemini,
    openai_chat::{self, Server},
    openai_responses,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Chat,
    Lookalike,
    Responses,
    Anthropic,
    Gemini,
}

impl Format {
    pub(crate) const ALL: [Self; 5] = [Self::Chat, Self::Lookalike, Self::Responses, Self::Anthropic, Self::Gemini];

    /// Whether the roles must alternate.
    pub(crate) fn alternates(self) -> bool {
        matches!(self, Self::Lookalike | Self::Anthropic | Self::Gemini)
    }

    /// The field that contains the messages.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Self::Chat | Self::Lookalike | Self::Anthropic => "messages",
            Self::Responses => "input",
            Self::Gemini => "contents",
        }
    }

    pub(crate) fn encode(self, turns: &Transcript) -> Value {
        match self {
            Self::Chat => serde_json::to_value(openai_chat::encode(turns, Server::OpenAi)),
            Self::Lookalike => serde_json::to_value(openai_chat::encode(turns, Server::Lookalike)),
            Self::Responses => serde_json::to_value(openai_responses::encode(turns)),
            Self::Anthropic => serde_json::to_value(anthropic::encode(turns)),
            Self::Gemini => serde_json::to_value(gemini::encode(turns)),
        }
        .expect("plain data")
    }

    /// Decodes a request.
    pub(crate) fn decode(self, request: Value) -> Result<Transcript, Refusal> {
        match self {
            Self::Chat | Self::Lookalike => openai_chat::decode(request),
            Self::Responses => openai_responses::decode(request),
            Self::Anthropic => anthropic::decode(request),
            Self::Gemini => gemini::decode(request),
        }
    }

    /// Checks a request by the rules of its provider.
    pub(crate) fn check(self, request: &Value) -> Result<(), Refusal> {
        match self {
            Self::Chat | Self::Lookalike => openai_chat::check(&read(request)?),
            Self::Responses => openai_responses::check(&read(request)?),
            Self::Anthropic => anthropic::check(&read(request)?),
            Self::Gemini => gemini::check(&read(request)?),
        }
    }
}

fn read<T: DeserializeOwned>(request: &Value) -> Result<T, Refusal> {
    serde_json::from_value(request.clone()).map_err(|error| Refusal::invalid(error.to_string()))
}
