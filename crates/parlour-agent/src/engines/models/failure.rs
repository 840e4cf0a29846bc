//! Why there is no whole answer, and in which words everybody learns it.

use std::time::Duration;

use super::{
    events::BadEvents,
    output::{Finish, Refused},
    refused::About,
    request::NotJson,
    settings::{Checked, Secret},
};
use crate::{engine::AnswerStopped, tls::TlsTrouble};

/// Why there is no whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Nobody wants it any more.
    Stopped,
    /// Nobody is there.
    Unreachable,
    /// Somebody is there and went without a word.
    HungUp,
    /// Somebody answers, but not safely.
    Untrusted(TlsTrouble),
    /// Nothing came in this time.
    Slow(Wait, Duration),
    /// The provider said no.
    Refused(Refused),
    /// What came is no stream of events: what it is instead.
    NoStream(String),
    /// What came is packed, which nobody asked for.
    Packed(String),
    /// An event cannot be read.
    Unreadable(&'static str),
    /// The connection ended in the middle of the answer.
    Cut,
    /// There is no end of it.
    Endless,
    /// The answer ended, but not as a whole one.
    Ended(Finish),
    /// The model refused, in its own words.
    Declined(String),
    /// The answer is empty.
    Empty,
    /// One of these, after a part of the answer was shown.
    Midway(Box<Failure>),
}

/// What was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// The first byte.
    FirstByte,
    /// The next piece.
    Piece,
    /// The whole answer.
    Whole,
}

impl From<AnswerStopped> for Failure {
    fn from(_: AnswerStopped) -> Self {
        Self::Stopped
    }
}

impl From<NotJson> for Failure {
    fn from(_: NotJson) -> Self {
        Self::Unreadable("what it sent is not JSON")
    }
}

impl From<BadEvents> for Failure {
    fn from(bad: BadEvents) -> Self {
        Self::Unreadable(match bad {
            BadEvents::TooLong => "it sent a line that does not end",
            BadEvents::NotUtf8 => "what it sent is not UTF-8",
        })
    }
}

impl Failure {
    /// Whether the same request may succeed a little later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable | Self::HungUp | Self::Cut => true,
            Self::Refused(refused) => refused.may_pass(),
            _ => false,
        }
    }

    /// How long the provider asks to wait.
    pub(super) fn wait(&self) -> Option<Duration> {
        match self {
            Self::Refused(refused) => refused.wait_ms.map(Duration::from_millis),
            _ => None,
        }
    }

    /// What happened, in words for people.
    pub(super) fn told(&self, asked: &Checked) -> String {
        let (host, key) = (asked.host(), asked.settings.key.as_ref());
        let seconds = |time: &Duration| time.as_secs();
        match self {
            Self::Stopped => AnswerStopped.to_string(),
            Self::Unreachable => format!("the provider at {host} cannot be reached"),
            Self::HungUp => format!("the provider at {host} ended the connection without an answer"),
            Self::Untrusted(trouble) => format!("there is no safe connection to the provider at {host}: {trouble}"),
            Self::Slow(Wait::FirstByte, time) => format!("the provider at {host} was silent for {} s", seconds(time)),
            Self::Slow(Wait::Piece, time) => {
                format!("the answer is cut: the provider at {host} fell silent for {} s", seconds(time))
            }
            Self::Slow(Wait::Whole, time) => {
                format!("the answer took longer than {} s, which is the limit", seconds(time))
            }
            Self::Refused(refused) => refusal(refused, asked),
            Self::NoStream(sort) => {
                let sort = line(sort, key);
                format!("{host} answered with {sort} instead of a stream of events: is the address right?")
            }
            Self::Packed(form) => {
                format!("{host} sent a packed answer ({}) although nobody asked for it", line(form, key))
            }
            Self::Unreadable(why) => format!("the answer of the provider at {host} cannot be read: {why}"),
            Self::Cut => format!("the answer is cut: the connection to {host} ended in the middle"),
            Self::Endless => format!("the answer of the provider at {host} does not end"),
            Self::Ended(finish) => ending(finish, asked),
            Self::Declined(words) => format!("the model refused to answer: {}", line(words, key)),
            Self::Empty => "the model answered with nothing".to_owned(),
            Self::Midway(failure) => midway(failure.told(asked)),
        }
    }
}

/// Says that there is only a part of the answer, unless that is said already.
fn midway(words: String) -> String {
    if words.starts_with("the answer ") { words } else { format!("the answer is cut: {words}") }
}

/// What the provider refused, and its own short sentence behind it.
fn refusal(refused: &Refused, asked: &Checked) -> String {
    let model = &asked.settings.model;
    let what = match refused.about() {
        About::Key if asked.settings.key.is_none() => "the provider wants a key, and none is set".to_owned(),
        About::Key => "the provider refused the key".to_owned(),
        About::Quota => "the account with the provider has no credit left".to_owned(),
        About::Model => format!("the provider does not know the model {model}, or the address is wrong"),
        About::Length => format!("the conversation is too long for the model {model}"),
        About::Rate => "the provider gets too many requests from this account".to_owned(),
        About::Load => "the provider is overloaded".to_owned(),
        About::Elsewhere => "the provider sends to another address, which is not followed".to_owned(),
        About::Request => "the provider refused the request".to_owned(),
        About::Fault => "the provider has a fault of its own".to_owned(),
    };
    let status = refused.status.map(|status| format!(" ({status})")).unwrap_or_default();
    let message = line(&refused.message, asked.settings.key.as_ref());
    let words = if message.is_empty() { String::new() } else { format!(": {message}") };
    let wait =
        refused.wait_ms.filter(|wait| *wait >= 1_000).map(|wait| format!("; it asks to wait for {} s", wait / 1_000));
    format!("{what}{status}{words}{}", wait.unwrap_or_default())
}

fn ending(finish: &Finish, asked: &Checked) -> String {
    let key = asked.settings.key.as_ref();
    match finish {
        Finish::Length => match asked.settings.limit_of_answer() {
            Some(tokens) => format!("the answer is cut at {tokens} tokens, the limit of one answer"),
            None => "the answer is cut at the limit that the provider has for one answer".to_owned(),
        },
        Finish::Full => {
            format!("the answer is cut: it and the conversation are too long for the model {}", asked.settings.model)
        }
        Finish::Filtered(reason) => {
            format!("a content filter of the provider stopped the answer ({})", line(reason, key))
        }
        Finish::Refused => "the model refused to answer".to_owned(),
        Finish::Whole => "the answer has ended".to_owned(),
        Finish::Other(word) => format!("the provider ended the answer early ({})", line(word, key)),
    }
}

/// Characters of a provider's sentence that are passed on.
const WORDS_CHARS_MAX: usize = 300;
/// Characters of a provider's sentence that are looked at.
const LOOKED_CHARS_MAX: usize = 4_000;
/// How the keys of well-known providers begin.
const KEY_BEGINS: &[&str] = &["sk-", "sk_", "AIza", "gsk_", "xai-", "hf_", "pplx-", "r8_"];
/// So many characters in common with the key, and a word is taken for a part of it.
const COMMON_CHARS: usize = 6;
/// What stands in the place of a key.
const HIDDEN: &str = "(hidden)";

/// One short line of what a provider said, without anything that looks like a key.
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

/// The text of an answer without signs that no message may hold.
pub(super) fn text(piece: &str) -> String {
    piece.chars().filter(|sign| !sign.is_control() || matches!(sign, '\n' | '\r' | '\t')).collect()
}

/// Whether a sign is seen, and leaves the order of the others as it is.
fn is_plain(sign: char) -> bool {
    let turns_round = matches!(sign, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    !sign.is_control() && !turns_round && sign != '\u{feff}'
}

fn looks_like_key(word: &str, key: Option<&Secret>) -> bool {
    // Keys stand in quotation marks and before full stops.
    let word = word.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != '*');
    let begin = key.map(|key| key.reveal().chars().take(COMMON_CHARS).collect::<String>()).unwrap_or_default();
    let is_part = begin.chars().count() == COMMON_CHARS && word.contains(&begin);
    is_part || word.contains("***") || KEY_BEGINS.iter().any(|known| word.contains(known))
}

#[cfg(test)]
mod tests;
