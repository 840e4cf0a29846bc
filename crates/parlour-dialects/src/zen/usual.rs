//! The usual form of a message in zen.

use parlour_core::{
    id::{ConversationId, ProjectId},
    message::{Importance, Message},
};
use serde_json::{Map, Value, json};

use super::{NAME, understand::project_of};
use crate::{
    foreign_author::said_author,
    foreign_id::{mapped, said},
    kept::Usual,
};

/// About as many fields as a form has.
const FIELDS: usize = 14;

/// The fields without author and text. `own` is what zen says itself of the message, as far as that is known.
pub(super) fn fields(message: &Message, own: Option<&Map<String, Value>>) -> Usual {
    let has_own = |name| own.is_some_and(|own| own.contains_key(name));
    let mut form = Usual::with_capacity(FIELDS);
    let mut put = |name: &'static str, value: Value| form.push((name, value));
    put("id", said(&message.id).into());
    put("ts", message.created_at.as_millis().into());
    // Which fields there are depends on the sort, as the store had it: a reply in a thread has hardly any.
    let (sort, place, text, is_channel, is_thread) = match &message.to {
        ConversationId::Channel(id) => ("channel", "channel_id", said(id), true, false),
        ConversationId::Thread(id) => ("thread", "root", said(id), false, true),
        ConversationId::Dm(id) => ("dm", "to", said(id), false, false),
    };
    put("type", sort.into());
    // The members of a dm tell which it is.
    if sort != "dm" || !["members", "a"].into_iter().any(has_own) {
        put(place, text.into());
    }
    if is_channel || !message.mentions.is_empty() {
        put("mentions", message.mentions.iter().map(|id| Value::from(id.as_str())).collect());
    }
    if is_channel || !message.artifacts.is_empty() {
        put("artifacts", message.artifacts.iter().map(|id| Value::from(id.as_str())).collect());
    }
    if !is_thread || message.blocking {
        put("blocking", message.blocking.into());
    }
    if !is_thread || message.importance != Importance::Normal {
        put("importance", importance(message.importance).into());
    }
    if let Some(id) = &message.correlation_id {
        put("correlation_id", id.as_str().into());
    }
    put_ties(message, own.and_then(|own| own.get("channel_id")), &mut form);
    form
}

/// Adds who said what.
pub(super) fn with_text(mut form: Usual, message: &Message) -> Usual {
    form.push(("from", said_author(NAME, &message.from).into()));
    form.push(("body", message.body.as_str().into()));
    form
}

/// The project stands in the context when there is more to say, else by itself, unless the channel's id tells it.
fn put_ties(message: &Message, channel: Option<&Value>, form: &mut Usual) {
    let (project, context) = (said(&message.project_id), &message.context);
    if context.task_id.is_some() || context.batch_id.is_some() {
        let mut ties = json!({"project_id": project});
        let task = context.task_id.as_ref().map(|id| ("task_id", said(id)));
        let batch = context.batch_id.as_ref().map(|id| ("batch_id", said(id)));
        for (name, id) in task.into_iter().chain(batch) {
            ties[name] = id.into();
        }
        form.push(("context", ties));
        return;
    }
    let of_channel = channel.and_then(project_of).map_or_else(|| ProjectId::from_bits(0), mapped);
    if message.project_id != of_channel {
        form.push(("project_id", project.into()));
    }
}

fn importance(importance: Importance) -> &'static str {
    match importance {
        Importance::Normal => "normal",
        Importance::High => "high",
        Importance::Critical => "critical",
    }
}
