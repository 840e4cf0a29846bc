//! Reading the frames of clients, as strictly as bodies.

mod fields;

use parlour_core::{Refusal, limits, live::ClientFrame};
use serde_json::Value;

use self::fields::Fields;
use crate::extract::json;

/// All types, for those who have sent another.
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

/// What a client has sent, as far as it could be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// The client's reference, to be sent back.
    pub(super) reference: Option<String>,
    /// The frame, or why it is none.
    pub(super) frame: Result<ClientFrame, Refusal>,
}

/// Reads the text of a frame.
pub(super) fn read(text: &str) -> Read {
    let mut fields = match json::read_value(text.as_bytes()) {
        Ok(Value::Object(fields)) => Fields::new(fields),
        Ok(_) => return Read { reference: None, frame: Err(Refusal::invalid("a frame is a JSON object")) },
        Err(refusal) => return Read { reference: None, frame: Err(refusal) },
    };
    match take_reference(&mut fields) {
        Ok(reference) => Read { reference, frame: read_frame(fields) },
        Err(refusal) => Read { reference: None, frame: Err(refusal) },
    }
}

fn take_reference(fields: &mut Fields) -> Result<Option<String>, Refusal> {
    let reference: Option<String> = fields.take_optional("ref")?;
    if reference.as_ref().is_some_and(|text| text.chars().count() > limits::LIVE_REF_CHARS_MAX) {
        let detail = format!("a reference has at most {} characters", limits::LIVE_REF_CHARS_MAX);
        return Err(Refusal::out_of_bounds(detail).at("ref"));
    }
    Ok(reference)
}

fn read_frame(mut fields: Fields) -> Result<ClientFrame, Refusal> {
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

/// The frames of somebody who writes an answer: all of them name it.
fn read_stream_frame(name: &str, mut fields: Fields) -> Result<ClientFrame, Refusal> {
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
    let refusal = Refusal::invalid(format!("there is no frame of type {shown:?}")).at("type");
    refusal.proposing(TYPES.map(str::to_owned).to_vec())
}

#[cfg(test)]
mod tests;
