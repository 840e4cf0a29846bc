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
use serde_json::{Map, Value};

use kept::Kept;
use when::When;

use crate::{Frame, Item, Scene, extras, fields::Fields};

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
pub use context::{CONTEXT_MESSAGES_DEFAULT, CONTEXT_PREAMBLE, context_line, context_text};
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
pub fn decode(value: Value, scene: &Scene) -> Result<Item, Refusal> {
    let has = |name: &str| value.get(name).is_some();
    if is_signal(&value)? {
        return Ok(Item::signal(NAME, value, scene.now));
    }
    if has("messageId") {
        let frame = AblyMessage::from_value(value)?;
        check_one_form(&frame)?;
        let when = When { now: scene.now, is_told: is_time_told(frame.rest.get(extras::KEY)) };
        return from_frame::item(frame, &when);
    }
    let when = When { now: scene.now, is_told: is_time_told(value.get(extras::KEY)) };
    if has("senderType") || has("senderId") {
        row::item(value, &when)
    } else if has("conversationId") {
        local::item(value)
    } else {
        from_frame::item(AblyMessage::from_value(value)?, &when)
    }
}

/// Writes one item: in the form in which Jaibber has told it, else as a frame.
pub fn encode(item: &Item) -> Option<Value> {
    match item.frame {
        Frame::Signal => signal(item),
        Frame::Message => match Kept::of(&item.message).trusted_text(FORM) {
            Some(row::ROW) => Some(encode_row(&item.message)),
            Some(local::LOCAL) => Some(encode_entry(&item.message)),
            _ => encode_frame(item),
        },
        _ => encode_frame(item),
    }
}

/// Writes one item as a frame of a project channel.
pub fn encode_frame(item: &Item) -> Option<Value> {
    let frame = to_frame::frame(item)?;
    let understood = from_frame::item(frame.clone(), &when(&item.message));
    Some(complete(&item.message, frame.into_value(), understood))
}

/// Writes a message as a row of the server.
pub fn encode_row(message: &Message) -> Value {
    let row = row::row(message);
    let understood = row::item(row.clone(), &when(message));
    complete(message, row, understood)
}

fn encode_entry(message: &Message) -> Value {
    let entry = local::entry(message);
    let understood = local::item(entry.clone());
    complete(message, entry, understood)
}

/// When a form of this message would be read, so that its time is among what was not understood; the time of a message
/// that had none stays untold, as it was.
fn when(message: &Message) -> When {
    let is_told = !Kept::of(message).is_untimed();
    let now = if is_told { message.created_at.plus_millis(1) } else { message.created_at };
    When { now, is_told }
}

/// Adds to a form of the message what a reader of it would not understand.
fn complete(message: &Message, mut form: Value, understood: Result<Item, Refusal>) -> Value {
    // The laws of the dialects hold that a form is always understood; else everything is kept.
    let understood = understood.unwrap_or_else(|_| Item::signal(NAME, Value::Null, message.created_at));
    if let Some(extras) = extras::missing(message, &understood.message) {
        put_extras(&mut form, extras);
    }
    form
}

fn put_extras(form: &mut Value, extras: Map<String, Value>) {
    if let Value::Object(fields) = form {
        fields.insert(extras::KEY.to_owned(), Value::Object(extras));
    }
}

/// Whether a value says nothing about a message; what is no such value and cannot be a frame either is refused.
fn is_signal(value: &Value) -> Result<bool, Refusal> {
    let word = value.get("type").and_then(Value::as_str);
    if let Some(frame_type) = word.and_then(FrameType::find).filter(|known| known.is_signal()) {
        let mut fields = Fields::of(value.clone(), "a frame of Jaibber")?;
        match frame_type {
            FrameType::Deregister => drop(fields.text("agentName")?),
            _ => drop(fields.object("task")?),
        }
        return Ok(true);
    }
    if word.is_some() || value.get("userId").is_none() {
        return Ok(false);
    }
    PresenceData::from_value(value.clone()).map(|_| true)
}

fn signal(item: &Item) -> Option<Value> {
    let value = item.as_signal(NAME)?;
    let is_plain = is_signal(value) == Ok(true) && *item == Item::signal(NAME, value.clone(), item.message.created_at);
    is_plain.then(|| value.clone())
}

fn is_time_told(extras: Option<&Value>) -> bool {
    extras.is_some_and(|extras| extras.get("created_at").is_some())
}

/// Refuses a frame that is also something else.
fn check_one_form(frame: &AblyMessage) -> Result<(), Refusal> {
    let other = ["senderType", "senderId", "conversationId"].into_iter().find(|name| frame.rest.contains_key(*name));
    let refuse = |name| Refusal::invalid("only one of this and messageId can stand in a message of Jaibber").at(name);
    other.map_or(Ok(()), |name| Err(refuse(name)))
}
