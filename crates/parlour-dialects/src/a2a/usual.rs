//! The usual envelope for a message.

use parlour_core::{
    id::ProjectId,
    message::{Message, State},
};
use serde_json::{Map, Value};

use super::{NAME, SPEC, envelope::commons, payload};
use crate::{foreign_author::said_author, foreign_id::said, kept::Usual};

/// As many fields as an envelope has.
const FIELDS: usize = 11;

/// An event, a response when it answers a message, an error when it failed.
pub(super) fn fields(message: &Message) -> Usual {
    let is_error = message.state == State::Failed;
    let mut form = Usual::with_capacity(FIELDS);
    let mut put = |name: &'static str, value: Value| form.push((name, value));
    put("spec", SPEC.into());
    put("type", type_name(message).into());
    put("id", said(&message.id).into());
    put("time", message.created_at.to_string().into());
    put("intent", "status_update".into());
    let from = said_author(NAME, &message.from);
    if !from.is_empty() {
        put("from_id", from.into());
    }
    if message.to != commons() {
        put("to_id", message.to.as_str().into());
    }
    if let Some(id) = &message.correlation_id {
        put("correlation_id", id.as_str().into());
    }
    if let Some(id) = &message.reply_to {
        put("causation_id", said(id).into());
    }
    put("context", context(message).into());
    let (content, reason) = (message.content.as_ref(), message.reason.as_deref());
    put("payload", payload::usual(&message.body, content, reason, is_error));
    form
}

fn type_name(message: &Message) -> &'static str {
    match (message.state, &message.reply_to) {
        (State::Failed, _) => "error",
        (_, Some(_)) => "response",
        (_, None) => "event",
    }
}

fn context(message: &Message) -> Map<String, Value> {
    let project = Some(&message.project_id).filter(|id| **id != ProjectId::from_bits(0)).map(said);
    let task = message.context.task_id.as_ref().map(said);
    let batch = message.context.batch_id.as_ref().map(said);
    let ties = [("project_id", project), ("task_id", task), ("batch_id", batch)];
    ties.into_iter().filter_map(|(name, id)| Some((name.to_owned(), id?.into()))).collect()
}
