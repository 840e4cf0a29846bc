//! The subjects on which envelopes travel.

use parlour_core::Refusal;
use serde_json::Value;

use super::envelope::{EnvelopeType, context, first_text, native_conversation, text_of};
use crate::json::{Json, Object};

/// The subject for an envelope: that of its task, else of its receiver, else of its sender, else the one of all.
///
/// An id that would be more than one token of a subject is refused: it could reach, or be read by, somebody else.
pub fn subject_for(envelope: &Value) -> Result<String, Refusal> {
    let form = Object::read(Json::of(envelope), "an a2a envelope")?;
    let envelope_type = EnvelopeType::read(&form)?;
    let task = text_of(context(&form)?, "task_id").map_err(|refusal| refusal.at("context"))?;
    if let Some(task) = task {
        let is_call = matches!(envelope_type, EnvelopeType::Request | EnvelopeType::Response);
        let kind = if is_call { "rpc" } else { "events" };
        return Ok(format!("a2a.task.{}.{kind}", token("context.task_id", task)?));
    }
    // A conversation of this hub is no agent.
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
    let is_token =
        !id.is_empty() && id.chars().all(|sign| !sign.is_whitespace() && !sign.is_control() && !".*>".contains(sign));
    let refuse = || Refusal::invalid("an id in a subject is one token, without `.`, `*`, `>` and blanks").at(name);
    is_token.then_some(id).ok_or_else(refuse)
}
