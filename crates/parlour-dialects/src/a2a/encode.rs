//! Encodes native messages as envelopes.

use parlour_core::message::{Message, State};

use super::{
    NAME, SPEC,
    decode::decode_form,
    wire::{broadcast_channel, canonical_payload},
};
use crate::{
    Frame, Item,
    canonical_form::FormCodec,
    extras,
    foreign_id::{foreign_author_id, foreign_text, nil_id},
    json::{Json, Object},
};

pub(super) const CODEC: FormCodec =
    FormCodec { dialect: NAME, fixed_fields: &["spec"], decode: decode_form, put_extras };

/// Like [`super::encode`], borrowing from the item.
pub(crate) fn encode_json(item: &Item) -> Option<Json<'_>> {
    let message = &item.message;
    let canonical = || canonical_fields(message, canonical_payload(message));
    (item.frame == Frame::Message).then(|| CODEC.encode(message, |_| canonical()).into())
}

/// Puts the extras into `context`, which receivers may ignore.
fn put_extras<'a>(form: &mut Object<'a>, extras: Object<'a>) -> bool {
    let Some(Json::Object(context)) = form.get_mut("context") else { return false };
    context.set(extras::KEY, extras);
    true
}

const FIELDS: usize = 11;

/// The canonical fields of a message: an event, a response if it replies to a message, or an error if it failed.
/// Fields are pushed in order of their names.
pub(super) fn canonical_fields<'a>(message: &'a Message, payload: Json<'a>) -> Object<'a> {
    let mut form = Object::with_capacity(FIELDS);
    form.push_some("causation_id", message.reply_to.as_ref().map(foreign_text));
    form.push("context", context_object(message));
    form.push_some("correlation_id", message.correlation_id.as_deref());
    form.push_some("from_id", Some(foreign_author_id(NAME, &message.from)).filter(|from| !from.is_empty()));
    form.push("id", foreign_text(&message.id));
    form.push("intent", "status_update");
    form.push("payload", payload);
    form.push("spec", SPEC);
    form.push("time", message.created_at.to_string());
    if message.to != broadcast_channel() {
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

fn context_object(message: &Message) -> Object<'_> {
    let mut links = Object::default();
    links.push_some("batch_id", message.context.batch_id.as_ref().map(foreign_text));
    links.push_some("project_id", Some(&message.project_id).filter(|id| **id != nil_id()).map(foreign_text));
    links.push_some("task_id", message.context.task_id.as_ref().map(foreign_text));
    links
}
