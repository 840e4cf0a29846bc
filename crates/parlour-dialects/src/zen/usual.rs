//! The usual form of a message in zen.

use parlour_core::{
    id::ConversationId,
    message::{Importance, Message},
};
use serde_json::Number;

use super::{NAME, understand::project_of};
use crate::{
    foreign_author::said_author,
    foreign_id::{mapped, said, unmade},
    json::{Json, Object},
};

/// About as many fields as a form has.
const FIELDS: usize = 14;

/// The fields without author and text, set in the order of their names. `own` is what zen says itself of the message, as
/// far as that is known.
pub(super) fn fields<'a>(message: &'a Message, own: Option<&Object<'_>>) -> Object<'a> {
    let mut form = Object::with_room(FIELDS);
    // Which fields there are depends on the sort, as the store had it: a reply in a thread has hardly any.
    let (sort, place, text) = match &message.to {
        ConversationId::Channel(id) => ("channel", "channel_id", said(id)),
        ConversationId::Thread(id) => ("thread", "root", said(id)),
        ConversationId::Dm(id) => ("dm", "to", said(id)),
    };
    let (is_channel, is_thread) = (sort == "channel", sort == "thread");
    if is_channel || !message.artifacts.is_empty() {
        form.push("artifacts", list(message.artifacts.iter().map(|id| id.as_str())));
    }
    if !is_thread || message.blocking {
        form.push("blocking", message.blocking);
    }
    if is_channel {
        form.push(place, text);
    }
    form.push_some("context", context(message));
    form.push_some("correlation_id", message.correlation_id.as_deref());
    form.push("id", said(&message.id));
    if !is_thread || message.importance != Importance::Normal {
        form.push("importance", importance(message.importance));
    }
    if is_channel || !message.mentions.is_empty() {
        form.push("mentions", list(message.mentions.iter().map(|id| id.as_str())));
    }
    form.push_some("project_id", project(message, own));
    // The members of a dm tell which it is.
    let has_members = || ["members", "a"].into_iter().any(|name| own.is_some_and(|own| own.contains(name)));
    if is_thread || (!is_channel && !has_members()) {
        form.push(place, text);
    }
    form.push("ts", Json::Number(Number::from(message.created_at.as_millis())));
    form.push("type", sort);
    form
}

/// Adds who said what.
pub(super) fn with_text<'a>(mut form: Object<'a>, message: &'a Message) -> Object<'a> {
    form.set("from", said_author(NAME, &message.from));
    form.set("body", message.body.as_str());
    form
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> Json<'a> {
    Json::List(texts.map(Json::from).collect())
}

/// The project stands in the context when there is more to say.
fn context(message: &Message) -> Option<Object<'_>> {
    let context = &message.context;
    if context.task_id.is_none() && context.batch_id.is_none() {
        return None;
    }
    let mut ties = Object::with_room(3);
    ties.push_some("batch_id", context.batch_id.as_ref().map(said));
    ties.push("project_id", said(&message.project_id));
    ties.push_some("task_id", context.task_id.as_ref().map(said));
    Some(ties)
}

/// Else it stands by itself, unless the channel's id tells it.
fn project<'a>(message: &'a Message, own: Option<&Object<'_>>) -> Option<&'a str> {
    if message.context.task_id.is_some() || message.context.batch_id.is_some() {
        return None;
    }
    let channel = own.and_then(|own| own.str("channel_id"));
    let of_channel = channel.and_then(project_of).map_or_else(unmade, mapped);
    (message.project_id != of_channel).then(|| said(&message.project_id))
}

fn importance(importance: Importance) -> &'static str {
    match importance {
        Importance::Normal => "normal",
        Importance::High => "high",
        Importance::Critical => "critical",
    }
}
