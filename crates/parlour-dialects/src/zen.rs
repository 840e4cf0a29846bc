//! The messages of the store that the specification of seed 001 describes, as that store wrote them.
//!
//! Its ids hold colons, so they become fingerprints and are kept, as is everything that has no native meaning: the token
//! of a blocking message and what became of it. A hash of Redis holds nothing but texts; such spellings are read and
//! written again as they were.

mod form;
mod injection;
mod spelled;
mod understand;
mod usual;

use parlour_core::{Refusal, message::Message};
use serde_json::Value;

use crate::{
    DecodeContext, Frame, Item, extras,
    json::{Json, Object},
    kept::Grammar,
};

pub use injection::injection_text;

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "zen";

/// The fields that a hash of Redis holds as the text of their JSON.
pub(crate) const JSON_FIELDS: &[&str] = &["artifacts", "context", "members", "mentions", "meta", "resolved_by"];

const GRAMMAR: Grammar = Grammar { dialect: NAME, usual_only: &["body", "from"], read: read_form, put };

/// Reads one message. The records of channels, threads and dms are signals.
pub fn decode(value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
    read(value.into(), scene)
}

/// Writes one message; the store has no pieces of one.
pub fn encode(item: &Item) -> Option<Value> {
    write(item).map(Json::into_value)
}

/// The same as [`decode`], of a value that may be borrowed.
pub(crate) fn read(json: Json<'_>, scene: &DecodeContext) -> Result<Item, Refusal> {
    let mut form = Object::read(json, "a zen message")?;
    if is_record(&form) {
        return Ok(Item::signal(NAME, Value::Object(form.into_map()), scene.now));
    }
    let extras = form.take(extras::KEY);
    let mut message = read_form(&form, scene)?;
    extras.map_or(Ok(()), |extras| extras::put_back_value(&mut message, extras))?;
    Ok(Item::message(message))
}

/// The same as [`encode`], borrowed from the item.
pub(crate) fn write(item: &Item) -> Option<Json<'_>> {
    let message = &item.message;
    match item.frame {
        Frame::Message => {
            Some(GRAMMAR.write(message, |own| usual::with_text(usual::fields(message, own), message)).into())
        }
        Frame::Signal => item.as_signal(NAME).map(Json::of).filter(|json| json.as_object().is_some_and(is_record)),
        _ => None,
    }
}

fn read_form(form: &Object<'_>, _scene: &DecodeContext) -> Result<Message, Refusal> {
    let mut message = understand::message(form)?;
    let own = GRAMMAR.own(form, &usual::fields(&message, Some(form)));
    GRAMMAR.keep(&mut message, own);
    Ok(message)
}

/// Whether this describes a conversation rather than something said in it.
fn is_record(form: &Object<'_>) -> bool {
    let has = |name: &str| form.get(name).is_some_and(|field| !field.is_null());
    !has("body") && has("id") && ["visibility", "participants", "root_message_id"].into_iter().any(has)
}

fn put<'a>(form: &mut Object<'a>, extras: Object<'a>) -> bool {
    form.set(extras::KEY, extras);
    true
}
