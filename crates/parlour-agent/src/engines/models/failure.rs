//! Failures of model answers: classification of provider errors, and texts for people without the key.

use std::time::Duration;

use serde_json::Value;

use super::{
    output::FinishReason,
    request::NotJson,
    settings::{CheckedSettings, Secret},
};
use crate::{engine::AnswerStopped, sse::SseError, tls::TlsFailure};

/// Why an answer is missing or incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModelFailure {
    /// The answer was stopped.
    Stopped,
    Unreachable,
    /// The connection was closed without a response.
    HungUp,
    /// TLS failed.
    Untrusted(TlsFailure),
    /// A time limit was exceeded.
    Slow(WaitPhase, Duration),
    /// The provider returned an error.
    Refused(ProviderError),
    /// The response is not an event stream; its content type.
    NoStream(String),
    /// The response is compressed, which was not requested.
    Packed(String),
    Unreadable(&'static str),
    /// The connection was lost during the answer.
    Cut,
    /// The stream exceeds the limit.
    Endless,
    /// The answer ended incomplete.
    Ended(FinishReason),
    /// The model refused, with its text.
    Declined(String),
    Empty,
    /// A failure after a part of the answer was shown.
    Midway(Box<ModelFailure>),
}

/// The time limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitPhase {
    FirstByte,
    Piece,
    Whole,
}

impl From<AnswerStopped> for ModelFailure {
    fn from(_: AnswerStopped) -> Self {
        Self::Stopped
    }
}

impl From<NotJson> for ModelFailure {
    fn from(_: NotJson) -> Self {
        Self::Unreadable("an event is not JSON")
    }
}

impl From<SseError> for ModelFailure {
    fn from(bad: SseError) -> Self {
        Self::Unreadable(match bad {
            SseError::TooLong => "an event is too large",
            SseError::NotUtf8 => "an event is not UTF-8",
        })
    }
}

impl ModelFailure {
    /// Whether the same request may succeed a little later.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable | Self::HungUp | Self::Cut => true,
            Self::Refused(refused) => refused.is_transient(),
            _ => false,
        }
    }

    /// The `Retry-After` of the provider.
    pub(super) fn wait(&self) -> Option<Duration> {
        match self {
            Self::Refused(refused) => refused.wait_ms.map(Duration::from_millis),
            _ => None,
        }
    }

    /// The error text for people.
    pub(super) fn describe(&self, target: &CheckedSettings) -> String {
        let (host, key) = (target.host(), target.settings.key.as_ref());
        let seconds = |time: &Duration| time.as_secs();
        match self {
            Self::Stopped => AnswerStopped.to_string(),
            Self::Unreachable => format!("the provider at {host} cannot be reached"),
            Self::HungUp => format!("the provider at {host} closed the connection without an answer"),
            Self::Untrusted(trouble) => format!("no secure connection to the provider at {host}: {trouble}"),
            Self::Slow(WaitPhase::FirstByte, time) => {
                format!("the provider at {host} sent nothing for {} s", seconds(time))
            }
            Self::Slow(WaitPhase::Piece, time) => {
                format!("the answer is cut: the provider at {host} sent nothing for {} s", seconds(time))
            }
            Self::Slow(WaitPhase::Whole, time) => {
                format!("the answer took longer than the limit of {} s", seconds(time))
            }
            Self::Refused(refused) => refusal(refused, target),
            Self::NoStream(sort) => {
                let sort = line(sort, key);
                format!("{host} answered with {sort} instead of an event stream; check the URL")
            }
            Self::Packed(form) => {
                format!("{host} sent a compressed answer ({}), which was not requested", line(form, key))
            }
            Self::Unreadable(why) => format!("the answer of the provider at {host} is invalid: {why}"),
            Self::Cut => format!("the answer is cut: the connection to {host} was lost"),
            Self::Endless => format!("the answer of the provider at {host} is too large"),
            Self::Ended(finish) => ending(finish, target),
            Self::Declined(words) => format!("the model refused to answer: {}", line(words, key)),
            Self::Empty => "the model returned an empty answer".to_owned(),
            Self::Midway(failure) => midway(failure.describe(target)),
        }
    }
}

/// Adds that the answer is cut, unless the text already says so.
fn midway(words: String) -> String {
    if words.starts_with("the answer ") { words } else { format!("the answer is cut: {words}") }
}

/// The text of a provider error, with the message of the provider.
fn refusal(refused: &ProviderError, target: &CheckedSettings) -> String {
    let model = &target.settings.model;
    let what = match refused.kind() {
        ProviderErrorKind::Key if target.settings.key.is_none() => {
            "the provider requires a key, and none is set".to_owned()
        }
        ProviderErrorKind::Key => "the provider refused the key".to_owned(),
        ProviderErrorKind::Quota => "the provider account has no credit left".to_owned(),
        ProviderErrorKind::Model => format!("the provider has no model {model}, or the URL is wrong"),
        ProviderErrorKind::Length => format!("the conversation is too long for the model {model}"),
        ProviderErrorKind::Rate => "the provider received too many requests from this account".to_owned(),
        ProviderErrorKind::Load => "the provider is overloaded".to_owned(),
        ProviderErrorKind::Redirect => "the provider redirects to another URL, which is not followed".to_owned(),
        ProviderErrorKind::Request => "the provider refused the request".to_owned(),
        ProviderErrorKind::Fault => "the provider has an internal error".to_owned(),
    };
    let status = refused.status.map(|status| format!(" ({status})")).unwrap_or_default();
    let message = line(&refused.message, target.settings.key.as_ref());
    let words = if message.is_empty() { String::new() } else { format!(": {message}") };
    let wait =
        refused.wait_ms.filter(|wait| *wait >= 1_000).map(|wait| format!("; it requests a wait of {} s", wait / 1_000));
    format!("{what}{status}{words}{}", wait.unwrap_or_default())
}

fn ending(finish: &FinishReason, target: &CheckedSettings) -> String {
    let key = target.settings.key.as_ref();
    match finish {
        FinishReason::Length => match target.settings.answer_tokens_max() {
            Some(tokens) => format!("the answer is cut at its limit of {tokens} tokens"),
            None => "the answer is cut at the token limit of the provider".to_owned(),
        },
        FinishReason::Full => {
            format!("the answer is cut: it and the conversation are too long for the model {}", target.settings.model)
        }
        FinishReason::Filtered(reason) => {
            format!("a content filter of the provider stopped the answer ({})", line(reason, key))
        }
        FinishReason::Refused => "the model refused to answer".to_owned(),
        FinishReason::Whole => "the answer has ended".to_owned(),
        FinishReason::Other(word) => format!("the provider ended the answer early ({})", line(word, key)),
    }
}

/// The most characters of a provider's message that are shown.
const WORDS_CHARS_MAX: usize = 300;
/// The most characters of a provider's message that are processed.
const LOOKED_CHARS_MAX: usize = 4_000;
/// Prefixes of the keys of known providers.
const KEY_BEGINS: &[&str] = &["sk-", "sk_", "AIza", "gsk_", "xai-", "hf_", "pplx-", "r8_"];
/// A word that shares this many characters with the key counts as a part of it.
const COMMON_CHARS: usize = 6;
/// Replaces a key.
const HIDDEN: &str = "(hidden)";

/// A provider's message as one short line, without anything that looks like a key.
pub(super) fn line(said: &str, key: Option<&Secret>) -> String {
    let said: String = said.chars().take(LOOKED_CHARS_MAX).collect();
    let said = match key.map(Secret::reveal).filter(|key| !key.is_empty()) {
        Some(key) => said.replace(key, HIDDEN),
        None => said,
    };
    let shown: String = said.chars().map(|sign| if is_plain(sign) { sign } else { ' ' }).collect();
    let words = shown.split_whitespace().map(|word| if looks_like_key(word, key) { HIDDEN } else { word });
    let line = words.collect::<Vec<_>>().join(" ");
    if line.chars().count() <= WORDS_CHARS_MAX {
        return line;
    }
    line.chars().take(WORDS_CHARS_MAX - 1).chain(['…']).collect()
}

/// The text without control characters, which no message may contain.
pub(super) fn text(piece: &str) -> String {
    piece.chars().filter(|sign| !sign.is_control() || matches!(sign, '\n' | '\r' | '\t')).collect()
}

/// Whether a character is visible and does not change the text direction.
fn is_plain(sign: char) -> bool {
    let turns_round = matches!(sign, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    !sign.is_control() && !turns_round && sign != '\u{feff}'
}

fn looks_like_key(word: &str, key: Option<&Secret>) -> bool {
    // Keys may be enclosed in quotation marks or followed by a full stop.
    let word = word.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != '*');
    let begin = key.map(|key| key.reveal().chars().take(COMMON_CHARS).collect::<String>()).unwrap_or_default();
    let is_part = begin.chars().count() == COMMON_CHARS && word.contains(&begin);
    is_part || word.contains("***") || KEY_BEGINS.iter().any(|known| word.contains(known))
}

/// An error of a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProviderError {
    /// The HTTP status, or the code of an error event.
    pub(super) status: Option<u16>,
    /// The error types of the provider.
    pub(super) sort: String,
    pub(super) message: String,
    /// The requested wait time.
    pub(super) wait_ms: Option<u64>,
}

/// The kind of a provider error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProviderErrorKind {
    Key,
    /// The account has no credit.
    Quota,
    /// The model or the URL is unknown.
    Model,
    /// The conversation is too long.
    Length,
    Rate,
    /// The provider is overloaded.
    Load,
    /// A redirect; not followed, because it would send the key to another address.
    Redirect,
    /// The request is invalid.
    Request,
    /// An internal error of the provider.
    Fault,
}

const LENGTH_WORDS: &[&str] = &[
    "context_length",
    "context length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "token count exceeds",
    "exceeds the maximum number of tokens",
    "request_too_large",
];
const QUOTA_WORDS: &[&str] = &["insufficient_quota", "billing", "credit balance", "out of credits", "payment required"];
/// For providers that report an invalid key with status 400.
const KEY_WORDS: &[&str] = &["api key not valid", "invalid api key", "incorrect api key", "api_key_invalid"];
const LOAD_WORDS: &[&str] = &["overloaded", "unavailable"];
const RATE_WORDS: &[&str] = &["rate_limit", "resource_exhausted"];

impl ProviderError {
    pub(super) fn kind(&self) -> ProviderErrorKind {
        let said = format!("{} {}", self.sort, self.message).to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
        match self.status {
            Some(402) => ProviderErrorKind::Quota,
            Some(429) if says(QUOTA_WORDS) && !says(RATE_WORDS) => ProviderErrorKind::Quota,
            Some(400 | 403) if says(QUOTA_WORDS) => ProviderErrorKind::Quota,
            Some(401 | 403) => ProviderErrorKind::Key,
            Some(404) => ProviderErrorKind::Model,
            Some(429) => ProviderErrorKind::Rate,
            Some(503 | 529) => ProviderErrorKind::Load,
            Some(413) => ProviderErrorKind::Length,
            Some(400 | 422) if says(KEY_WORDS) => ProviderErrorKind::Key,
            Some(400 | 422 | 500) if says(LENGTH_WORDS) => ProviderErrorKind::Length,
            Some(300..=399) => ProviderErrorKind::Redirect,
            Some(500..=599) => ProviderErrorKind::Fault,
            Some(_) => ProviderErrorKind::Request,
            None => Self::kind_by_words(says),
        }
    }

    /// Error events often have no code.
    fn kind_by_words(says: impl Fn(&[&str]) -> bool) -> ProviderErrorKind {
        let words = [
            (LENGTH_WORDS, ProviderErrorKind::Length),
            (QUOTA_WORDS, ProviderErrorKind::Quota),
            (RATE_WORDS, ProviderErrorKind::Rate),
            (LOAD_WORDS, ProviderErrorKind::Load),
            (KEY_WORDS, ProviderErrorKind::Key),
        ];
        words.into_iter().find(|(words, _)| says(words)).map_or(ProviderErrorKind::Fault, |(_, about)| about)
    }

    /// Whether the same request may succeed a little later.
    pub(super) fn is_transient(&self) -> bool {
        match self.kind() {
            ProviderErrorKind::Rate | ProviderErrorKind::Load | ProviderErrorKind::Fault => true,
            ProviderErrorKind::Request => matches!(self.status, Some(408 | 409)),
            ProviderErrorKind::Key
            | ProviderErrorKind::Quota
            | ProviderErrorKind::Model
            | ProviderErrorKind::Length
            | ProviderErrorKind::Redirect => false,
        }
    }
}

/// Parses an error body of any provider; fields that are missing stay empty.
pub(super) fn parse_error(body: &[u8]) -> ProviderError {
    let Ok(json) = serde_json::from_slice::<Value>(body) else {
        return ProviderError::default();
    };
    // Gemini wraps an error in an array if no event stream was requested.
    let json = json.get(0).unwrap_or(&json);
    let error = json.get("error").unwrap_or(json);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let message = ["message", "detail", "error"].iter().find_map(|field| error.get(field).and_then(text));
    let sorts = ["type", "status", "code"].iter().filter_map(|field| error.get(field).and_then(text));
    ProviderError {
        status: error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()),
        sort: sorts.collect::<Vec<_>>().join(" "),
        message: message.or_else(|| text(error)).unwrap_or_default(),
        wait_ms: wait_in_details(error),
    }
}

/// Gemini sends the wait time in the details, for example `17s`.
fn wait_in_details(error: &Value) -> Option<u64> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    (0.0..=86_400.0).contains(&seconds).then_some((seconds * 1_000.0) as u64)
}

#[cfg(test)]
mod tests;
