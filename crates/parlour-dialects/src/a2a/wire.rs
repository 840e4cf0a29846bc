//! Field access of envelopes, and their payloads.

use std::borrow::Cow;

use parlour_core::{
    Refusal,
    id::{ChannelId, ConversationId, DmId, ThreadId},
    message::{Message, State},
};
use serde_json::Value;

use super::NAME;
use crate::{
    fields::missing,
    foreign_id::native_id,
    json::{Json, Object, wrong_type},
    text::fence_around,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnvelopeType {
    Request,
    Response,
    Event,
    Error,
}

impl EnvelopeType {
    /// Reads the type, including the two alternative names `rpc_request` and `rpc_response`.
    pub(super) fn read(form: &Object<'_>) -> Result<Self, Refusal> {
        match text(form, "type")?.ok_or_else(|| missing("type"))? {
            "request" | "rpc_request" => Ok(Self::Request),
            "response" | "rpc_response" => Ok(Self::Response),
            "event" => Ok(Self::Event),
            "error" => Ok(Self::Error),
            _ => {
                let types = ["request", "response", "event", "error"].map(str::to_owned).to_vec();
                Err(Refusal::out_of_bounds("unknown envelope type").at("type").proposing(types))
            }
        }
    }
}

pub(super) fn context<'f, 'a>(form: &'f Object<'a>) -> Result<Option<&'f Object<'a>>, Refusal> {
    match form.get("context") {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Object(context)) => Ok(Some(context)),
        Some(other) => Err(wrong_type("context", "an object", other)),
    }
}

pub(super) fn text<'f>(form: &'f Object<'_>, name: &str) -> Result<Option<&'f str>, Refusal> {
    match form.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(other) => Err(wrong_type(name, "a string", other)),
    }
}

pub(super) fn text_of<'f>(form: Option<&'f Object<'_>>, name: &str) -> Result<Option<&'f str>, Refusal> {
    form.map_or(Ok(None), |form| text(form, name))
}

/// Reads the text of `name`, else of `other`, which broadcasts use.
pub(super) fn first_text<'f>(form: &'f Object<'_>, name: &str, other: &str) -> Result<Option<&'f str>, Refusal> {
    Ok(text(form, name)?.or(text(form, other)?))
}

/// The conversation of envelopes without a receiver.
pub(super) fn broadcast_channel() -> ConversationId {
    native_id::<ChannelId>(NAME).into()
}

/// Parses the id of a conversation of this hub. Checks the prefix first: most texts are agent names, and building a
/// refusal costs more.
pub(super) fn native_conversation(text: &str) -> Option<ConversationId> {
    let (prefix, _) = text.split_once('_')?;
    [ChannelId::PREFIX, ThreadId::PREFIX, DmId::PREFIX].contains(&prefix).then(|| text.parse().ok()).flatten()
}

/// The native content of a payload.
pub(super) struct PayloadContent {
    pub(super) body: String,
    pub(super) content: Option<Value>,
    pub(super) reason: Option<String>,
    pub(super) payload_form: PayloadForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PayloadForm {
    /// The payload consists of the canonical fields.
    Fields,
    /// The payload has another form and is the content of the message as a whole.
    Content,
}

/// Decodes a payload. A payload with a body and only canonical fields is split into these fields.
pub(super) fn decode_payload(payload: Option<&Json<'_>>, envelope_type: EnvelopeType) -> PayloadContent {
    let is_error = envelope_type == EnvelopeType::Error;
    let Some(payload) = payload.filter(|payload| !payload.is_null()) else {
        return PayloadContent { body: String::new(), content: None, reason: None, payload_form: PayloadForm::Fields };
    };
    let reason = if is_error { error_reason(payload) } else { None };
    if let Some((fields, body)) = canonical_body(payload, is_error) {
        let content = fields.get("content").filter(|content| !content.is_null());
        let (content, reason) = (content.cloned().map(Json::into_value), reason.map(Cow::into_owned));
        return PayloadContent { body: body.to_owned(), content, reason, payload_form: PayloadForm::Fields };
    }
    let body = readable_text(payload, reason.as_deref()).into_owned();
    let content = Some(payload.clone().into_value());
    PayloadContent { body, content, reason: reason.map(Cow::into_owned), payload_form: PayloadForm::Content }
}

/// The canonical payload of a message.
pub(super) fn canonical_payload(message: &Message) -> Json<'_> {
    let is_error = message.state == State::Failed;
    let content = message.content.as_ref().map(Json::of);
    let reason = message.reason.as_deref().filter(|_| is_error);
    if let Some(content) = &content
        && canonical_body(content, is_error).is_none()
        && error_reason(content).filter(|_| is_error).as_deref() == reason
        && readable_text(content, reason) == message.body
    {
        return content.clone();
    }
    let mut payload = Object::with_capacity(3);
    payload.push("body", message.body.as_str());
    payload.push_some("content", content);
    payload.push_some("error", reason);
    payload.into()
}

/// The canonical payload of a message that was just decoded. Content that was taken over as a whole stays as it is.
pub(super) fn canonical_payload_again(message: &Message, payload_form: PayloadForm) -> Json<'_> {
    match (payload_form, &message.content) {
        (PayloadForm::Content, Some(content)) => Json::of(content),
        _ => canonical_payload(message),
    }
}

/// The fields and the body of a payload in canonical form.
fn canonical_body<'j, 'a>(payload: &'j Json<'a>, is_error: bool) -> Option<(&'j Object<'a>, &'j str)> {
    let fields = payload.as_object()?;
    let is_usual = |name: &str| matches!(name, "body" | "content") || (is_error && name == "error");
    fields.iter().all(|(name, _)| is_usual(name)).then(|| Some((fields, fields.str("body")?))).flatten()
}

/// The error code and the reason of a payload.
fn error_reason<'j>(payload: &'j Json<'_>) -> Option<Cow<'j, str>> {
    let fields = payload.as_object()?;
    match (fields.str("error"), fields.str("reason")) {
        (Some(error), Some(reason)) => Some(format!("{error}: {reason}").into()),
        (Some(only), None) | (None, Some(only)) => Some(only.into()),
        (None, None) => None,
    }
}

/// The readable text of a payload: its text, else its error reason, else the payload as a JSON block.
fn readable_text<'j>(payload: &'j Json<'_>, reason: Option<&'j str>) -> Cow<'j, str> {
    if let Json::Text(text) = payload {
        return text.as_ref().into();
    }
    let text = ["body", "text", "message"].into_iter().find_map(|name| payload.as_object()?.str(name));
    text.or(reason).map_or_else(|| fenced(payload).into(), Cow::Borrowed)
}

fn fenced(payload: &Json<'_>) -> String {
    let json = serde_json::to_string_pretty(payload).expect("a value can be written");
    let fence = fence_around(&[&json]);
    format!("{fence}json\n{json}\n{fence}")
}
