//! Jaibber: what goes through the channels of its projects, and what its server and clients keep of it.
//!
//! Four forms are read, and told apart by their fields:
//!
//! - a frame of a project channel (`messageId`, `from`), also as an event about tasks (`type: task-…`),
//! - a row of the server (`senderType`),
//! - an entry of a machine's history (`conversationId`),
//! - what a connection says when it enters a channel (`userId`).
//!
//! Frames are what native messages become. Rows and entries come back as what they were.

use parlour_core::{Refusal, message::Message};
use serde_json::Value;

use frame::{A_FRAME, BorrowedFrame};
use kept::PreservedFields;
use when::FrameTime;

use crate::{
    DecodeContext, Frame, Item, extras,
    json::{Json, Object},
};

mod attachment;
mod author;
mod context;
mod draft;
mod failure;
mod frame;
mod from_frame;
mod handoff;
mod kept;
mod local;
mod mention;
mod presence;
mod respond;
mod row;
mod to_frame;
mod when;

pub use attachment::MessageAttachment;
pub use context::{
    CONTEXT_LINES, CONTEXT_MESSAGES_DEFAULT, CONTEXT_PREAMBLE, Prompt, context_line, context_text, has_further_lines,
};
pub use frame::{AblyMessage, ExecutionMode, FrameType};
pub use handoff::{Handoff, parse_handoffs};
pub use mention::{adapter_answers, adapter_mentions, list_mentions, mentions_agent};
pub use presence::{PresenceAgent, PresenceData, PresentAgent};
pub use respond::{Client, Decision, Me, PROMPT_CHARS_MAX, RESPONSE_DEPTH_MAX, WhyNot, decide};

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "jaibber";
/// Where the form of a message is kept that was no frame.
const FORM: &str = "form";

/// Reads one value.
pub fn decode(value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
    read(Json::from(value), scene)
}

/// Writes one item: in the form in which Jaibber has told it, else as a frame.
pub fn encode(item: &Item) -> Option<Value> {
    write(item).map(Json::into_value)
}

/// Writes one item as a frame of a project channel.
pub fn encode_frame(item: &Item) -> Option<Value> {
    write_frame(item).map(Json::into_value)
}

/// Writes a message as a row of the server.
pub fn encode_row(message: &Message) -> Value {
    write_row(message).into_value()
}

/// Reads one value; its texts may stand elsewhere.
pub(crate) fn read(json: Json<'_>, scene: &DecodeContext) -> Result<Item, Refusal> {
    let mut form = Object::read(json, A_FRAME)?;
    if is_signal(&form)? {
        return Ok(Item::signal(NAME, Value::Object(form.into_map()), scene.now));
    }
    let extras = form.take(extras::KEY);
    let is_told = extras.as_ref().and_then(Json::as_object).is_some_and(|extras| extras.contains("created_at"));
    let mut item = read_form(form, &FrameTime { now: scene.now, is_told })?;
    if let Some(extras) = extras {
        extras::put_back_value(&mut item.message, extras)?;
    }
    Ok(item)
}

/// Writes one item; its texts are those of the item.
pub(crate) fn write(item: &Item) -> Option<Json<'_>> {
    match item.frame {
        Frame::Signal => signal(item),
        Frame::Message => match PreservedFields::of(&item.message).trusted_text(FORM) {
            Some(row::ROW) => Some(write_row(&item.message)),
            Some(local::LOCAL) => Some(write_entry(&item.message)),
            _ => write_frame(item),
        },
        _ => write_frame(item),
    }
}

/// Reads a form that stands without extras.
fn read_form(form: Object<'_>, when: &FrameTime) -> Result<Item, Refusal> {
    if form.contains("messageId") {
        let frame = BorrowedFrame::read(form)?;
        check_one_form(&frame)?;
        Ok(from_frame::item(frame, when))
    } else if form.contains("senderType") || form.contains("senderId") {
        row::item(form, when)
    } else if form.contains("conversationId") {
        local::item(form)
    } else {
        Ok(from_frame::item(BorrowedFrame::read(form)?, when))
    }
}

fn write_frame(item: &Item) -> Option<Json<'_>> {
    let frame = to_frame::frame(item)?;
    let understood = from_frame::item(frame.clone(), &when(&item.message));
    Some(complete(&item.message, frame.into_object(), Ok(understood)))
}

fn write_row(message: &Message) -> Json<'_> {
    let row = row::row(message);
    let understood = row::item(row.clone(), &when(message));
    complete(message, row, understood)
}

fn write_entry(message: &Message) -> Json<'_> {
    let entry = local::entry(message);
    let understood = local::item(entry.clone());
    complete(message, entry, understood)
}

/// When a form of this message would be read, so that its time is among what was not understood; the time of a message
/// that had none stays untold, as it was.
fn when(message: &Message) -> FrameTime {
    let is_told = !PreservedFields::of(message).is_untimed();
    let now = if is_told { message.created_at.plus_millis(1) } else { message.created_at };
    FrameTime { now, is_told }
}

/// Adds to a form of the message what a reader of it would not understand.
fn complete<'a>(message: &'a Message, mut form: Object<'a>, understood: Result<Item, Refusal>) -> Json<'a> {
    // The laws of the dialects hold that a form is always understood; else everything is kept.
    let understood = understood.unwrap_or_else(|_| Item::signal(NAME, Value::Null, message.created_at));
    form.set_some(extras::KEY, extras::unsaid(message, &understood.message));
    form.into()
}

/// Whether a value says nothing about a message; what is no such value and cannot be a frame either is refused.
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

fn signal(item: &Item) -> Option<Json<'_>> {
    let value = item.as_signal(NAME)?;
    let Json::Object(form) = Json::of(value) else { return None };
    let is_plain = is_signal(&form) == Ok(true) && *item == Item::signal(NAME, value.clone(), item.message.created_at);
    is_plain.then(|| form.into())
}

/// Refuses a frame that is also something else.
fn check_one_form(frame: &BorrowedFrame<'_>) -> Result<(), Refusal> {
    let other = ["senderType", "senderId", "conversationId"].into_iter().find(|name| frame.rest.contains_key(*name));
    let refuse = |name| Refusal::invalid("only one of this and messageId can stand in a message of Jaibber").at(name);
    other.map_or(Ok(()), |name| Err(refuse(name)))
}
