//! The usual envelope for a message.

use parlour_core::message::{Message, State};

use super::{NAME, SPEC, envelope::commons};
use crate::{
    foreign_author::said_author,
    foreign_id::{said, unmade},
    json::{Json, Object},
};

/// As many fields as an envelope has.
const FIELDS: usize = 11;

/// An event, a response when it answers a message, an error when it failed. The fields are set in the order of their names.
pub(super) fn fields<'a>(message: &'a Message, payload: Json<'a>) -> Object<'a> {
    let mut form = Object::with_room(FIELDS);
    form.push_some("causation_id", message.reply_to.as_ref().map(said));
    form.push("context", context(message));
    form.push_some("correlation_id", message.correlation_id.as_deref());
    form.push_some("from_id", Some(said_author(NAME, &message.from)).filter(|from| !from.is_empty()));
    form.push("id", said(&message.id));
    form.push("intent", "status_update");
    form.push("payload", payload);
    form.push("spec", SPEC);
    form.push("time", message.created_at.to_string());
    if message.to != commons() {
        form.push("to_id", message.to.as_str());
    }
    form.push("type", type_name(message));
    form
}

fn type_name(message: &Message) -> &'static str {
    match (message.state, &message.reply_to) {
        (State::Failed, _) => "error",
        (_, Some(_)) => "response",
        (_, None) => "event",
    }
}

fn context(message: &Message) -> Object<'_> {
    let mut ties = Object::default();
    ties.push_some("batch_id", message.context.batch_id.as_ref().map(said));
    ties.push_some("project_id", Some(&message.project_id).filter(|id| **id != unmade()).map(said));
    ties.push_some("task_id", message.context.task_id.as_ref().map(said));
    ties
}
