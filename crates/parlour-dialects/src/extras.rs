//! What a foreign form cannot say of a native message, kept beside it.
//!
//! [`missing`] compares a message with what a reader would understand of its foreign form, field by field, and answers
//! what differs. [`restore`] puts that back. Together they make every round trip exact, whatever a dialect can say.

mod written;

use std::borrow::Cow;

use parlour_core::{Refusal, message::Message};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    DecodeContext, Item,
    json::{Json, Object},
};
use written::NativeForm;

/// Where foreign messages carry what only the native one can say.
pub const KEY: &str = "parlour";

macro_rules! extras {
    ($($field:ident as $name:literal),+ $(,)?) => {
        /// What of the message differs from what was understood of it, by native names; none when all was understood.
        pub(crate) fn unsaid<'a>(message: &'a Message, understood: &Message) -> Option<Object<'a>> {
            // Names every field, so that a new one cannot be forgotten here.
            let Message { $($field),+ } = message;
            let mut extras: Vec<(Cow<'a, str>, Json<'a>)> = Vec::new();
            $(if *$field != understood.$field {
                extras.push((Cow::Borrowed($name), $field.written()));
            })+
            (!extras.is_empty()).then(|| Object::gathered(extras))
        }

        /// Puts back what was kept of a message.
        pub(crate) fn put_back(message: &mut Message, extras: Object<'_>) -> Result<(), Refusal> {
            for (name, value) in extras {
                match name.as_ref() {
                    $($name => message.$field = read(&name, value)?,)+
                    _ => return Err(Refusal::invalid("this is no field of a message").at(&name)),
                }
            }
            Ok(())
        }
    };
}

extras! {
    id as "id",
    project_id as "project_id",
    conversation_type as "type",
    to as "to",
    seq as "seq",
    from as "from",
    kind as "kind",
    body as "body",
    content as "content",
    mentions as "mentions",
    calls as "calls",
    held as "held",
    artifacts as "artifacts",
    attachments as "attachments",
    importance as "importance",
    blocking as "blocking",
    question as "question",
    answer_to as "answer_to",
    is_notice as "is_notice",
    reply_to as "reply_to",
    cause as "cause",
    correlation_id as "correlation_id",
    context as "context",
    state as "state",
    reason as "reason",
    steps as "steps",
    usage as "usage",
    metadata as "metadata",
    created_at as "created_at",
    edited_at as "edited_at",
    removed_at as "removed_at",
    thread_id as "thread_id",
    reactions as "reactions",
}

/// What of the message differs from what was understood of it, by native names; none when all was understood.
pub fn missing(message: &Message, understood: &Message) -> Option<Map<String, Value>> {
    unsaid(message, understood).map(Object::into_map)
}

/// Puts back what was kept of a message.
pub fn restore(message: &mut Message, extras: Map<String, Value>) -> Result<(), Refusal> {
    put_back(message, extras.into())
}

/// Takes what was kept out of the fields around it, and puts it back.
pub(crate) fn take_back(message: &mut Message, around: &mut Object<'_>) -> Result<(), Refusal> {
    around.take(KEY).map_or(Ok(()), |extras| put_back_value(message, extras))
}

/// Puts back what was kept of a message, when it was that.
pub(crate) fn put_back_value(message: &mut Message, extras: Json<'_>) -> Result<(), Refusal> {
    match extras {
        Json::Object(extras) => put_back(message, extras).map_err(|refusal| refusal.at(KEY)),
        _ => Err(Refusal::invalid("this must be an object with fields of a native message").at(KEY)),
    }
}

/// Adds to a foreign form what a reader of it would not understand of the item.
///
/// `read` is the dialect's own, and `put` says where in the form its extras stand. The time of reading is one that the
/// message does not have, so a dialect without times keeps the message's.
pub(crate) fn completed<'a>(
    item: &'a Item,
    mut form: Object<'a>,
    read: impl FnOnce(Object<'a>, &DecodeContext) -> Result<Item, Refusal>,
    put: impl FnOnce(&mut Object<'a>, Object<'a>),
) -> Object<'a> {
    let understood = understood(item, |scene| read(form.clone(), scene));
    if let Some(extras) = unsaid(&item.message, &understood) {
        put(&mut form, extras);
    }
    form
}

fn understood(item: &Item, read: impl FnOnce(&DecodeContext) -> Result<Item, Refusal>) -> Message {
    let scene = DecodeContext::history(item.message.created_at.plus_millis(1));
    match read(&scene) {
        Ok(understood) => understood.message,
        // Nothing was understood of it, so everything is kept. The laws of the dialects hold that this never happens.
        Err(_) => Item::signal("", Value::Null, scene.now).message,
    }
}

fn read<T: DeserializeOwned>(name: &str, value: Json<'_>) -> Result<T, Refusal> {
    T::deserialize(value).map_err(|error| Refusal::invalid(error.to_string()).at(name))
}

#[cfg(test)]
mod tests {
    use parlour_core::{
        Timestamp,
        author::Author,
        id::{ChannelId, MessageId, ProjectId},
        message::Importance,
    };
    use serde_json::json;

    use super::*;

    fn plain() -> Message {
        let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(1).into());
        let at = Timestamp::from_millis(0);
        Message::plain(MessageId::from_bits(1), project, channel, Author::host(), "Hello".into(), at)
    }

    #[test]
    fn only_what_differs_is_kept_and_it_can_be_put_back() {
        let message = Message { importance: Importance::High, correlation_id: Some("c".into()), ..plain() };
        let extras = missing(&message, &plain()).expect("two fields");
        assert_eq!(Value::Object(extras.clone()), json!({"importance": "high", "correlation_id": "c"}));
        let mut understood = plain();
        restore(&mut understood, extras).expect("own extras");
        assert_eq!((understood, missing(&plain(), &plain())), (message, None));
    }

    #[test]
    fn extras_of_somebody_else_are_refused_with_their_name() {
        for (value, field) in [
            (json!({"importance": "huge"}), "parlour.importance"),
            (json!(5), "parlour"),
            (json!({"x": 1}), "parlour.x"),
        ] {
            let mut around = Object::from(Map::from_iter([("parlour".to_owned(), value)]));
            let refused = take_back(&mut plain(), &mut around).expect_err("no extras of ours");
            assert_eq!(refused.field.as_deref(), Some(field));
        }
    }
}
