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
mod failure;
mod frame;
mod from_frame;
mod handoff;
mod history;
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
pub use history::unpack_history;
pub use mention::{adapter_answers, adapter_mentions, list_mentions, mentions_agent};
pub use presence::{PresenceAgent, PresenceData, PresentAgent};
pub use respond::{Client, Decision, Me, PROMPT_CHARS_MAX, RESPONSE_DEPTH_MAX, WhyNot, decide};

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "jaibber";
/// Where the form of a message is kept that was no frame.
const FORM: &str = "form";

/// Reads one value.
pub fn decode(value: Value, scene: &Scene) -> Result<Item, Refusal> {
    let is_told = value.get(extras::KEY).is_some_and(|extras| extras.get("created_at").is_some());
    read(value, &When { now: scene.now, is_told })
}

fn read(value: Value, when: &When) -> Result<Item, Refusal> {
    let has = |name: &str| value.get(name).is_some();
    if has("senderType") || has("senderId") {
        return if has("messageId") { Err(two_forms("senderType")) } else { row::item(value, when) };
    }
    if has("conversationId") {
        return if has("messageId") { Err(two_forms("conversationId")) } else { local::item(value) };
    }
    if is_signal(&value)? {
        return Ok(Item::signal(NAME, value, when.now));
    }
    from_frame::item(AblyMessage::from_value(value)?, when)
}

/// Writes one item: in the form in which Jaibber has told it, else as a frame.
pub fn encode(item: &Item) -> Option<Value> {
    match item.frame {
        Frame::Signal => signal(item),
        Frame::Message => match Kept::of(&item.message).trusted_text(FORM) {
            Some(row::ROW) => Some(encode_row(&item.message)),
            Some(local::LOCAL) => Some(complete(item, local::entry(&item.message))),
            _ => encode_frame(item),
        },
        _ => encode_frame(item),
    }
}

/// Writes one item as a frame of a project channel.
pub fn encode_frame(item: &Item) -> Option<Value> {
    to_frame::frame(item).map(|frame| complete(item, frame.into_value()))
}

/// Writes a message as a row of the server.
pub fn encode_row(message: &Message) -> Value {
    complete(&Item::message(message.clone()), row::row(message))
}

/// Adds what Jaibber cannot say. The time of a message that had none stays untold, as it was.
fn complete(item: &Item, form: Value) -> Value {
    let is_told = !Kept::of(&item.message).is_untimed();
    let at = item.message.created_at;
    let understand = |form, scene: &Scene| read(form, &When { now: if is_told { scene.now } else { at }, is_told });
    extras::complete(item, form, understand, put_extras)
}

fn put_extras(form: &mut Value, extras: Map<String, Value>) {
    if let Value::Object(fields) = form {
        fields.insert(extras::KEY.to_owned(), Value::Object(extras));
    }
}

/// Whether a value says nothing about a message; what is no such value and cannot be a frame either is refused.
fn is_signal(value: &Value) -> Result<bool, Refusal> {
    let word = value.get("type").and_then(Value::as_str);
    if let Some(frame_type) = word.and_then(|word| FrameType::parse(word).ok()).filter(|known| known.is_signal()) {
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

fn two_forms(field: &str) -> Refusal {
    Refusal::invalid("only one of this and messageId can stand in a message of Jaibber").at(field)
}
