//! Jaibber: frames of project channels, and the stored forms of its server and clients.
//!
//! The dialect decodes four forms and recognises them by their fields:
//!
//! - a frame of a project channel (`messageId`, `from`), or a task event (`type: task-…`),
//! - a row of the server (`senderType`),
//! - an entry of the local history of a client (`conversationId`),
//! - the presence data of a connection (`userId`).
//!
//! Native messages are encoded as frames. Decoded rows and entries are encoded as rows and entries again.

mod agent_rules;
mod attachment;
mod decode;
mod encode;
mod presence;
mod preserved;
mod prompt;
mod stored;
mod wire;

use parlour_core::{Refusal, message::Message};
use serde_json::Value;

use self::{
    decode::FrameTime,
    preserved::PreservedFields,
    wire::{A_FRAME, BorrowedFrame},
};
use crate::{
    DecodeContext, Frame, Item, extras,
    json::{Json, Object},
};

pub use self::{
    agent_rules::{
        AgentProgram, Decision, Handoff, PROMPT_CHARS_MAX, PassReason, RESPONSE_DEPTH_MAX, RespondingAgent,
        adapter_answers, adapter_mentions, decide, list_mentions, mentions_agent, parse_handoffs,
    },
    attachment::MessageAttachment,
    presence::{PresenceAgent, PresenceData, PresentAgent},
    prompt::{
        CONTEXT_LINES, CONTEXT_MESSAGES_DEFAULT, CONTEXT_PREAMBLE, Prompt, context_line, context_text,
        has_further_lines,
    },
    wire::{AblyMessage, ExecutionMode, FrameType},
};

/// The name of the dialect, and the key of its own fields in the metadata of native messages.
pub const NAME: &str = "jaibber";
/// The metadata key of the form of a message that was not a frame.
const FORM: &str = "form";

/// Decodes one value.
pub fn decode(value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    decode_json(Json::from(value), decode_context)
}

/// Encodes one item in the form that it was decoded from, else as a frame.
pub fn encode(item: &Item) -> Option<Value> {
    encode_json(item).map(Json::into_value)
}

/// Encodes one item as a frame of a project channel.
pub fn encode_frame(item: &Item) -> Option<Value> {
    encode_frame_json(item).map(Json::into_value)
}

/// Encodes a message as a row of the server.
pub fn encode_row(message: &Message) -> Value {
    encode_row_json(message).into_value()
}

/// Like [`decode`], for borrowed JSON.
pub(crate) fn decode_json(json: Json<'_>, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let mut form = Object::read(json, A_FRAME)?;
    if is_signal(&form)? {
        return Ok(Item::signal(NAME, Value::Object(form.into_map()), decode_context.now));
    }
    let extras = form.take(extras::KEY);
    let is_in_extras = extras.as_ref().and_then(Json::as_object).is_some_and(|extras| extras.contains("created_at"));
    let mut item = decode_form(form, &FrameTime { now: decode_context.now, is_in_extras })?;
    if let Some(extras) = extras {
        extras::restore_json(&mut item.message, extras)?;
    }
    Ok(item)
}

/// Like [`encode`], borrowing from the item.
pub(crate) fn encode_json(item: &Item) -> Option<Json<'_>> {
    match item.frame {
        Frame::Signal => encode_signal(item),
        Frame::Message => match PreservedFields::of(&item.message).trusted_text(FORM) {
            Some(stored::ROW) => Some(encode_row_json(&item.message)),
            Some(stored::LOCAL) => Some(encode_entry_json(&item.message)),
            _ => encode_frame_json(item),
        },
        _ => encode_frame_json(item),
    }
}

/// Decodes a form without extras.
fn decode_form(form: Object<'_>, frame_time: &FrameTime) -> Result<Item, Refusal> {
    if form.contains("messageId") {
        let frame = BorrowedFrame::read(form)?;
        check_one_form(&frame)?;
        Ok(decode::frame_to_item(frame, frame_time))
    } else if form.contains("senderType") || form.contains("senderId") {
        stored::row_to_item(form, frame_time)
    } else if form.contains("conversationId") {
        stored::entry_to_item(form)
    } else {
        Ok(decode::frame_to_item(BorrowedFrame::read(form)?, frame_time))
    }
}

fn encode_frame_json(item: &Item) -> Option<Json<'_>> {
    let frame = encode::item_to_frame(item)?;
    let decoded = decode::frame_to_item(frame.clone(), &frame_time_of(&item.message));
    Some(with_extras(&item.message, frame.into_object(), Ok(decoded)))
}

fn encode_row_json(message: &Message) -> Json<'_> {
    let row = stored::message_to_row(message);
    let decoded = stored::row_to_item(row.clone(), &frame_time_of(message));
    with_extras(message, row, decoded)
}

fn encode_entry_json(message: &Message) -> Json<'_> {
    let entry = stored::message_to_entry(message);
    let decoded = stored::entry_to_item(entry.clone());
    with_extras(message, entry, decoded)
}

/// The time at which to decode a form of this message: it differs from the time of the message, so that the extras
/// contain it, unless the message had none.
fn frame_time_of(message: &Message) -> FrameTime {
    let is_in_extras = !PreservedFields::of(message).is_untimed();
    let now = if is_in_extras { message.created_at.plus_millis(1) } else { message.created_at };
    FrameTime { now, is_in_extras }
}

/// Adds the fields that a reader cannot decode from the form.
fn with_extras<'a>(message: &'a Message, mut form: Object<'a>, decoded: Result<Item, Refusal>) -> Json<'a> {
    // Property tests check that each form can be decoded; otherwise everything becomes an extra.
    let decoded = decoded.unwrap_or_else(|_| Item::signal(NAME, Value::Null, message.created_at));
    form.set_some(extras::KEY, extras::extras_of(message, &decoded.message));
    form.into()
}

/// Whether a form is not about a message. A form that is neither a signal nor a frame is refused.
fn is_signal(form: &Object<'_>) -> Result<bool, Refusal> {
    let word = form.str("type");
    if let Some(frame_type) = word.and_then(FrameType::find).filter(|known| known.is_signal()) {
        let mut fields = form.clone();
        match frame_type {
            FrameType::Deregister => drop(fields.text("agentName")?),
            _ => drop(fields.object("task")?),
        }
        return Ok(true);
    }
    if word.is_some() || !form.contains("userId") {
        return Ok(false);
    }
    PresenceData::read(form.clone()).map(|_| true)
}

fn encode_signal(item: &Item) -> Option<Json<'_>> {
    let value = item.as_signal(NAME)?;
    let Json::Object(form) = Json::of(value) else { return None };
    let is_plain = is_signal(&form) == Ok(true) && *item == Item::signal(NAME, value.clone(), item.message.created_at);
    is_plain.then(|| form.into())
}

/// Refuses a frame with fields of another form.
fn check_one_form(frame: &BorrowedFrame<'_>) -> Result<(), Refusal> {
    let other = ["senderType", "senderId", "conversationId"].into_iter().find(|name| frame.rest.contains_key(*name));
    let refuse = |name| Refusal::invalid("a Jaibber message cannot have both this field and messageId").at(name);
    other.map_or(Ok(()), |name| Err(refuse(name)))
}
