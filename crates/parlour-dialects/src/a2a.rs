//! Envelopes between agents, version `a2a/1`: requests, responses, events and errors that reference each other by id.
//!
//! The payload of an envelope can be any JSON value. It becomes the content of the native message; the body is its
//! readable text. An error becomes a failed message, so no model receives it.

mod decode;
mod encode;
mod wire;

use parlour_core::{Refusal, Timestamp};
use serde_json::{Value, json};

use crate::{
    DecodeContext, Item,
    json::{Json, Object},
};
use wire::{EnvelopeType, context, first_text, native_conversation, text_of};

pub(crate) use decode::decode_json;
pub(crate) use encode::encode_json;

/// The name of the dialect, and the key of its own fields in the metadata of native messages.
pub const NAME: &str = "a2a";

/// The supported envelope version.
pub const SPEC: &str = "a2a/1";

/// Decodes one envelope.
pub fn decode(value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    decode_json(value.into(), decode_context)
}

/// Encodes one message as an envelope; other frames have no envelope.
pub fn encode(item: &Item) -> Option<Value> {
    encode_json(item).map(Json::into_value)
}

/// The reason why an envelope is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAllowed {
    Sender,
    Type,
}

/// The error envelope for a rejected envelope. It is sent with status 200; only its fields report the error.
pub fn error_envelope(not_allowed: NotAllowed, at: Timestamp) -> Value {
    let reason = match not_allowed {
        NotAllowed::Sender => "sender_not_allowed",
        NotAllowed::Type => "type_not_allowed",
    };
    json!({
        "spec": SPEC,
        "type": "error",
        "message_type": "error",
        "time": at.to_string(),
        "payload": {"error": "forbidden", "reason": reason},
    })
}

/// The bytes that a call signs: method, path and time, each followed by a line feed, and the body.
pub fn signature_base(method: &str, path: &str, timestamp: &str, body: &[u8]) -> Vec<u8> {
    let mut base = Vec::with_capacity(method.len() + path.len() + timestamp.len() + 3 + body.len());
    for line in [method, path, timestamp] {
        base.extend_from_slice(line.as_bytes());
        base.push(b'\n');
    }
    base.extend_from_slice(body);
    base
}

/// Returns the subject of an envelope: the one of its task, else of its receiver, else of its sender, else
/// `a2a.events`.
///
/// Refuses an id that is more than one subject token, because it could reach or be read by another agent.
pub fn subject_for(envelope: &Value) -> Result<String, Refusal> {
    let form = Object::read(Json::of(envelope), "an a2a envelope")?;
    let envelope_type = EnvelopeType::read(&form)?;
    let task = text_of(context(&form)?, "task_id").map_err(|refusal| refusal.at("context"))?;
    if let Some(task) = task {
        let is_call = matches!(envelope_type, EnvelopeType::Request | EnvelopeType::Response);
        let kind = if is_call { "rpc" } else { "events" };
        return Ok(format!("a2a.task.{}.{kind}", token("context.task_id", task)?));
    }
    // A conversation of this hub is not an agent.
    let to = first_text(&form, "to_id", "to")?.filter(|to| native_conversation(to).is_none());
    if let Some(to) = to {
        return Ok(format!("a2a.agent.{}.in", token("to_id", to)?));
    }
    match first_text(&form, "from_id", "from")? {
        Some(from) => Ok(format!("a2a.agent.{}.out", token("from_id", from)?)),
        None => Ok("a2a.events".to_owned()),
    }
}

fn token<'a>(name: &str, id: &'a str) -> Result<&'a str, Refusal> {
    let is_token = !id.is_empty()
        && id
            .chars()
            .all(|character| !character.is_whitespace() && !character.is_control() && !".*>".contains(character));
    let refuse = || Refusal::invalid("an id in a subject must be one token, without `.`, `*`, `>` and blanks").at(name);
    is_token.then_some(id).ok_or_else(refuse)
}
