//! Parses client frames as strictly as request bodies: unknown fields and types are refused.

use parlour_core::{Code, Refusal, limits, live::ClientFrame};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::extract::{cut, json};

/// All frame types, proposed when the type is unknown.
const TYPES: [&str; 15] = [
    "sign_in",
    "subscribe",
    "unsubscribe",
    "post",
    "chunk",
    "complete",
    "fail",
    "cancel",
    "beat",
    "start_step",
    "finish_step",
    "presence",
    "leave",
    "typing",
    "ping",
];

/// A client frame, with its reference even when the rest is invalid.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParsedFrame {
    /// The client's reference, returned with the answer.
    pub(super) reference: Option<String>,
    pub(super) frame: Result<ClientFrame, Refusal>,
}

/// Parses the text of a frame.
pub(super) fn read(text: &str) -> ParsedFrame {
    let mut fields = match json::read_value(text.as_bytes()) {
        Ok(Value::Object(fields)) => FrameFields::new(fields),
        Ok(_) => return ParsedFrame { reference: None, frame: Err(Refusal::invalid("a frame is a JSON object")) },
        Err(refusal) => return ParsedFrame { reference: None, frame: Err(refusal) },
    };
    match take_reference(&mut fields) {
        Ok(reference) => ParsedFrame { reference, frame: read_frame(fields) },
        Err(refusal) => ParsedFrame { reference: None, frame: Err(refusal) },
    }
}

fn take_reference(fields: &mut FrameFields) -> Result<Option<String>, Refusal> {
    let reference: Option<String> = fields.take_optional("ref")?;
    if reference.as_ref().is_some_and(|text| text.chars().count() > limits::LIVE_REF_CHARS_MAX) {
        let detail = format!("a reference has at most {} characters", limits::LIVE_REF_CHARS_MAX);
        return Err(Refusal::out_of_bounds(detail).at("ref"));
    }
    Ok(reference)
}

fn read_frame(mut fields: FrameFields) -> Result<ClientFrame, Refusal> {
    let name: String = fields.take("type")?;
    Ok(match name.as_str() {
        "sign_in" => ClientFrame::SignIn { token: fields.take_last("token")? },
        "subscribe" => {
            let project_id = fields.take("project_id")?;
            let after = fields.take_optional("after")?;
            let events_only = fields.take_optional("events_only")?.unwrap_or_default();
            fields.end()?;
            ClientFrame::Subscribe { project_id, after, events_only }
        }
        "unsubscribe" => ClientFrame::Unsubscribe { project_id: fields.take_last("project_id")? },
        "post" => ClientFrame::Post { message: fields.take_last("message")? },
        "presence" => ClientFrame::Presence(fields.rest()?),
        "leave" => fields.end().map(|()| ClientFrame::Leave {})?,
        "typing" => ClientFrame::Typing { conversation_id: fields.take_last("conversation_id")? },
        "ping" => fields.end().map(|()| ClientFrame::Ping {})?,
        name if TYPES.contains(&name) => return read_stream_frame(name, fields),
        other => return Err(refuse_type(other)),
    })
}

/// Parses the frames of a stream's producer, which all have a `message_id`.
fn read_stream_frame(name: &str, mut fields: FrameFields) -> Result<ClientFrame, Refusal> {
    let message_id = fields.take("message_id")?;
    Ok(match name {
        "chunk" => ClientFrame::Chunk { message_id, chunk: fields.rest()? },
        "complete" => ClientFrame::Complete { message_id, end: fields.rest()? },
        "fail" => ClientFrame::Fail { message_id, end: fields.rest()? },
        "cancel" => ClientFrame::Cancel { message_id, end: fields.rest()? },
        "beat" => fields.end().map(|()| ClientFrame::Beat { message_id })?,
        "start_step" => ClientFrame::StartStep { message_id, step: fields.take_last("step")? },
        "finish_step" => {
            let step_id = fields.take("step_id")?;
            ClientFrame::FinishStep { message_id, step_id, end: fields.rest()? }
        }
        other => return Err(refuse_type(other)),
    })
}

fn refuse_type(name: &str) -> Refusal {
    let shown: String = name.chars().take(40).collect();
    let refusal = Refusal::invalid(format!("unknown frame type {shown:?}")).at("type");
    refusal.proposing(TYPES.map(str::to_owned).to_vec())
}

/// The fields of a frame that were not read yet.
struct FrameFields {
    left: Map<String, Value>,
    /// The fields that were asked for so far.
    known: Vec<&'static str>,
}

impl FrameFields {
    fn new(left: Map<String, Value>) -> Self {
        Self { left, known: Vec::new() }
    }

    /// A required field.
    fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, Refusal> {
        self.known.push(name);
        match self.left.remove(name) {
            Some(value) => json::read_as(&value).map_err(|refusal| refusal.at(name)),
            None => Err(Refusal::invalid(format!("missing field `{name}`")).at(name)),
        }
    }

    /// A field that may be missing or null.
    fn take_optional<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<Option<T>, Refusal> {
        self.known.push(name);
        let value = self.left.remove(name).unwrap_or_default();
        json::read_as(&value).map_err(|refusal| refusal.at(name))
    }

    /// The last field, which is required.
    fn take_last<T: DeserializeOwned>(mut self, name: &'static str) -> Result<T, Refusal> {
        let value = self.take(name)?;
        self.end()?;
        Ok(value)
    }

    /// All remaining fields as one value.
    fn rest<T: DeserializeOwned>(self) -> Result<T, Refusal> {
        json::read_as(&Value::Object(self.left))
    }

    /// Refuses unknown fields.
    fn end(self) -> Result<(), Refusal> {
        let Some(name) = self.left.keys().next() else { return Ok(()) };
        let known = self.known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let detail = format!("unknown field `{}`, expected one of {known}", cut(name));
        Err(Refusal::new(Code::UnknownField, detail).at(&cut(name)))
    }
}

#[cfg(test)]
mod tests;
