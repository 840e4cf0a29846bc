//! The texts of answers that failed.
//!
//! Jaibber puts the reason where the answer would stand. Here it becomes the reason, and the answer is empty: a model
//! never sees it as something that was said.

use std::borrow::Cow;

use parlour_core::{
    limits,
    message::{Message, State},
};

use super::kept::{FieldRecorder, PreservedFields};

/// What agents put before the reason.
const LEAD: &str = "Agent error: ";
/// Where it is kept that a reason stood alone.
const IS_BARE: &str = "isBareReason";

/// Makes the message a failed answer with this text. A text that is too long for a reason stays the body.
pub(super) fn read_failure(message: &mut Message, text: String, keeping: &mut FieldRecorder) {
    message.state = State::Failed;
    let reason = text.strip_prefix(LEAD);
    let is_bare = reason.is_none();
    let reason = reason.unwrap_or(&text);
    if reason.len() > limits::REASON_CHARS_MAX && reason.chars().count() > limits::REASON_CHARS_MAX {
        message.body = text;
        return;
    }
    keeping.keep(IS_BARE, is_bare.then_some(true));
    message.reason = Some(if is_bare { text } else { reason.to_owned() });
}

/// The text for an answer that failed, was stopped or broke off.
pub(super) fn said_failure<'a>(message: &'a Message, kept: PreservedFields<'_>) -> Cow<'a, str> {
    let is_bare = kept.open(IS_BARE).and_then(serde_json::Value::as_bool) == Some(true);
    match &message.reason {
        Some(reason) if is_bare => reason.into(),
        Some(reason) => [LEAD, reason].concat().into(),
        None if !message.body.is_empty() => Cow::Borrowed(&message.body),
        None => [LEAD, ended(message.state)].concat().into(),
    }
}

fn ended(state: State) -> &'static str {
    match state {
        State::Cancelled => "somebody stopped it",
        State::Interrupted => "its agent went away",
        _ => "it failed",
    }
}
