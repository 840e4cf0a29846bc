//! Encodes native messages as zen messages.

use parlour_core::{
    id::ConversationId,
    message::{Importance, Message},
};
use serde_json::Number;

use super::{
    NAME,
    decode::{decode_form, is_record, project_of},
};
use crate::{
    Frame, Item,
    canonical_form::FormCodec,
    extras,
    foreign_id::{foreign_author_id, foreign_text, native_id, nil_id},
    json::{Json, Object},
};

pub(super) const CODEC: FormCodec =
    FormCodec { dialect: NAME, fixed_fields: &["body", "from"], decode: decode_form, put_extras };

/// Like [`super::encode()`], borrowing from the item.
pub(crate) fn encode_json(item: &Item) -> Option<Json<'_>> {
    let message = &item.message;
    match item.frame {
        Frame::Message => Some(
            CODEC
                .encode(message, |deviations| with_author_and_body(canonical_fields(message, deviations), message))
                .into(),
        ),
        Frame::Signal => item.as_signal(NAME).map(Json::of).filter(|json| json.as_object().is_some_and(is_record)),
        _ => None,
    }
}

fn put_extras<'a>(form: &mut Object<'a>, extras: Object<'a>) -> bool {
    form.set(extras::KEY, extras);
    true
}

/// The capacity for the fields of a message.
const FIELDS: usize = 14;

/// The canonical fields without author and text, in order of their names. `deviations` are the fields of the decoded
/// form, if known.
pub(super) fn canonical_fields<'a>(message: &'a Message, deviations: Option<&Object<'_>>) -> Object<'a> {
    let mut form = Object::with_capacity(FIELDS);
    // The fields depend on the conversation type, as in the store: a reply in a thread has few.
    let (conversation_type, location, text) = match &message.to {
        ConversationId::Channel(id) => ("channel", "channel_id", foreign_text(id)),
        ConversationId::Thread(id) => ("thread", "root", foreign_text(id)),
        ConversationId::Dm(id) => ("dm", "to", foreign_text(id)),
    };
    let (is_channel, is_thread) = (conversation_type == "channel", conversation_type == "thread");
    if is_channel || !message.artifacts.is_empty() {
        form.push("artifacts", list(message.artifacts.iter().map(|id| id.as_str())));
    }
    if !is_thread || message.blocking {
        form.push("blocking", message.blocking);
    }
    if is_channel {
        form.push(location, text);
    }
    form.push_some("context", context_object(message));
    form.push_some("correlation_id", message.correlation_id.as_deref());
    form.push("id", foreign_text(&message.id));
    if !is_thread || message.importance != Importance::Normal {
        form.push("importance", importance(message.importance));
    }
    if is_channel || !message.mentions.is_empty() {
        form.push("mentions", list(message.mentions.iter().map(|id| id.as_str())));
    }
    form.push_some("project_id", project(message, deviations));
    // The members identify a DM.
    let has_members =
        || ["members", "a"].into_iter().any(|name| deviations.is_some_and(|deviations| deviations.contains(name)));
    if is_thread || (!is_channel && !has_members()) {
        form.push(location, text);
    }
    form.push("ts", Json::Number(Number::from(message.created_at.as_millis())));
    form.push("type", conversation_type);
    form
}

pub(super) fn with_author_and_body<'a>(mut form: Object<'a>, message: &'a Message) -> Object<'a> {
    form.set("from", foreign_author_id(NAME, &message.from));
    form.set("body", message.body.as_str());
    form
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> Json<'a> {
    Json::List(texts.map(Json::from).collect())
}

/// The context, if there is a task or batch.
fn context_object(message: &Message) -> Option<Object<'_>> {
    let context = &message.context;
    if context.task_id.is_none() && context.batch_id.is_none() {
        return None;
    }
    let mut links = Object::with_capacity(3);
    links.push_some("batch_id", context.batch_id.as_ref().map(foreign_text));
    links.push("project_id", foreign_text(&message.project_id));
    links.push_some("task_id", context.task_id.as_ref().map(foreign_text));
    Some(links)
}

/// The project outside the context, unless the channel id contains it.
fn project<'a>(message: &'a Message, deviations: Option<&Object<'_>>) -> Option<&'a str> {
    if message.context.task_id.is_some() || message.context.batch_id.is_some() {
        return None;
    }
    let channel = deviations.and_then(|deviations| deviations.str("channel_id"));
    let of_channel = channel.and_then(project_of).map_or_else(nil_id, native_id);
    (message.project_id != of_channel).then(|| foreign_text(&message.project_id))
}

fn importance(importance: Importance) -> &'static str {
    match importance {
        Importance::Normal => "normal",
        Importance::High => "high",
        Importance::Critical => "critical",
    }
}
