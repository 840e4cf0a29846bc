//! Payloads: anything, and what a person can read of it.

use std::borrow::Cow;

use parlour_core::message::{Message, State};
use serde_json::Value;

use super::envelope::EnvelopeType;
use crate::json::{Json, Object};

/// What a payload says natively.
pub(super) struct PayloadContent {
    pub(super) body: String,
    pub(super) content: Option<Value>,
    pub(super) reason: Option<String>,
    pub(super) said_as: PayloadForm,
}

/// How a payload said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PayloadForm {
    /// In the fields that are written here.
    Fields,
    /// In a form of its own: all of it is the message's content.
    Content,
}

/// Reads a payload. One with a text and nothing but what is written here beside it is taken apart again.
pub(super) fn read(payload: Option<&Json<'_>>, envelope_type: EnvelopeType) -> PayloadContent {
    let is_error = envelope_type == EnvelopeType::Error;
    let Some(payload) = payload.filter(|payload| !payload.is_null()) else {
        return PayloadContent { body: String::new(), content: None, reason: None, said_as: PayloadForm::Fields };
    };
    let reason = if is_error { reason(payload) } else { None };
    if let Some((fields, body)) = own_body(payload, is_error) {
        let content = fields.get("content").filter(|content| !content.is_null());
        let (content, reason) = (content.cloned().map(Json::into_value), reason.map(Cow::into_owned));
        return PayloadContent { body: body.to_owned(), content, reason, said_as: PayloadForm::Fields };
    }
    let body = readable(payload, reason.as_deref()).into_owned();
    let content = Some(payload.clone().into_value());
    PayloadContent { body, content, reason: reason.map(Cow::into_owned), said_as: PayloadForm::Content }
}

/// The usual payload for what a message says.
pub(super) fn usual(message: &Message) -> Json<'_> {
    let is_error = message.state == State::Failed;
    let content = message.content.as_ref().map(Json::of);
    let reason = message.reason.as_deref().filter(|_| is_error);
    if let Some(content) = &content
        && own_body(content, is_error).is_none()
        && self::reason(content).filter(|_| is_error).as_deref() == reason
        && readable(content, reason) == message.body
    {
        return content.clone();
    }
    let mut payload = Object::with_room(3);
    payload.push("body", message.body.as_str());
    payload.push_some("content", content);
    payload.push_some("error", reason);
    payload.into()
}

/// The usual payload for a message that was just read. A payload that became the content as it is would do so again.
pub(super) fn usual_again(message: &Message, said_as: PayloadForm) -> Json<'_> {
    match (said_as, &message.content) {
        (PayloadForm::Content, Some(content)) => Json::of(content),
        _ => usual(message),
    }
}

/// A payload that has the usual form, and its text.
fn own_body<'j, 'a>(payload: &'j Json<'a>, is_error: bool) -> Option<(&'j Object<'a>, &'j str)> {
    let fields = payload.as_object()?;
    let is_usual = |name: &str| matches!(name, "body" | "content") || (is_error && name == "error");
    fields.iter().all(|(name, _)| is_usual(name)).then(|| Some((fields, fields.str("body")?))).flatten()
}

/// Why an error happened: its name and what is said beside it.
fn reason<'j>(payload: &'j Json<'_>) -> Option<Cow<'j, str>> {
    let fields = payload.as_object()?;
    match (fields.str("error"), fields.str("reason")) {
        (Some(error), Some(reason)) => Some(format!("{error}: {reason}").into()),
        (Some(only), None) | (None, Some(only)) => Some(only.into()),
        (None, None) => None,
    }
}

/// What a person can read of a payload: its text, else why it failed, else all of it as JSON.
fn readable<'j>(payload: &'j Json<'_>, reason: Option<&'j str>) -> Cow<'j, str> {
    if let Json::Text(text) = payload {
        return text.as_ref().into();
    }
    let text = ["body", "text", "message"].into_iter().find_map(|name| payload.as_object()?.str(name));
    text.or(reason).map_or_else(|| fenced(payload).into(), Cow::Borrowed)
}

fn fenced(payload: &Json<'_>) -> String {
    let json = serde_json::to_string_pretty(payload).expect("a value can be written");
    // A fence ends at the first one as long as itself, so it is longer than any in the text.
    let longest = json.split(|sign| sign != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}json\n{json}\n{fence}")
}
