//! The three interfaces behind one delivery path: where to ask, with which headers, in which form, and how to read the answer.

use parlour_dialects::models::Turns;
use reqwest::{
    Url,
    header::{ACCEPT, HeaderMap, HeaderValue},
};
use serde_json::Value;

use super::{
    anthropic,
    events::Event,
    gemini, openai,
    piece::Piece,
    secret::Secret,
    settings::{Interface, ModelSettings},
};

/// An event that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson;

/// Where an answer is asked for.
pub(super) fn url(interface: Interface, base: &Url, model: &str) -> Url {
    match interface {
        Interface::OpenAi => openai::url(base),
        Interface::Anthropic => anthropic::url(base),
        Interface::Gemini => gemini::url(base, model),
    }
}

/// The headers of a request; none when a header cannot carry the key.
pub(super) fn headers(interface: Interface, key: Option<&Secret>) -> Option<HeaderMap> {
    let mut headers = match interface {
        Interface::OpenAi => openai::headers(key),
        Interface::Anthropic => anthropic::headers(key),
        Interface::Gemini => gemini::headers(key),
    }?;
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    Some(headers)
}

/// The request.
pub(super) fn body(settings: &ModelSettings, turns: &Turns) -> Value {
    match settings.interface {
        Interface::OpenAi => openai::body(settings, turns),
        Interface::Anthropic => anthropic::body(settings, turns),
        Interface::Gemini => gemini::body(settings, turns),
    }
}

/// What an event says.
pub(super) fn read(interface: Interface, event: &Event) -> Result<Vec<Piece>, NotJson> {
    match interface {
        Interface::OpenAi => openai::read(event),
        Interface::Anthropic => anthropic::read(event),
        Interface::Gemini => gemini::read(event),
    }
}

/// The address of `path` below a base that may already end in its first folder.
pub(super) fn join(base: &Url, folder: &str, path: &str) -> Url {
    let mut url = base.clone();
    let begin = base.path().trim_end_matches('/');
    let begin = begin.strip_suffix(folder).unwrap_or(begin);
    url.set_path(&format!("{begin}{folder}{path}"));
    url
}
