//! The messages of the store that the specification of seed 001 describes, as that store wrote them.
//!
//! Its ids hold colons, so they become fingerprints and are kept, as is everything that has no native meaning: the token
//! of a blocking message and what became of it. A hash of Redis holds nothing but texts; such spellings are read and
//! written again as they were.

mod injection;
mod spelled;
mod understand;
mod usual;

use parlour_core::{Refusal, message::Message};
use serde_json::{Map, Value};

use crate::{Frame, Item, Scene, extras, fields::Fields, kept::Grammar};

pub use injection::injection_text;

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "zen";

const GRAMMAR: Grammar = Grammar { dialect: NAME, usual_only: &["body", "from"], read, put };

/// Reads one message. The records of channels, threads and dms are signals.
pub fn decode(value: Value, scene: &Scene) -> Result<Item, Refusal> {
    if is_record(&value) {
        return Ok(Item::signal(NAME, value, scene.now));
    }
    let mut form = Fields::of(value, "a zen message")?.rest();
    let mut around: Map<String, Value> = form.remove_entry(extras::KEY).into_iter().collect();
    let mut message = read(&form, scene)?;
    extras::restore_from(&mut message, &mut around)?;
    Ok(Item::message(message))
}

/// Writes one message; the store has no pieces of one.
pub fn encode(item: &Item) -> Option<Value> {
    let message = &item.message;
    match item.frame {
        Frame::Message => Some(GRAMMAR.write(message, |own| usual::with_text(usual::fields(message, own), message))),
        Frame::Signal => item.as_signal(NAME).filter(|value| is_record(value)).cloned(),
        _ => None,
    }
}

fn read(form: &Map<String, Value>, _scene: &Scene) -> Result<Message, Refusal> {
    let mut message = understand::message(form)?;
    let usual = usual::fields(&message, Some(form));
    GRAMMAR.keep(&mut message, form, &usual);
    Ok(message)
}

/// Whether this describes a conversation rather than something said in it.
fn is_record(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some_and(|field| !field.is_null());
    !has("body") && has("id") && ["visibility", "participants", "root_message_id"].into_iter().any(has)
}

fn put(form: &mut Map<String, Value>, extras: Map<String, Value>) -> bool {
    form.insert(extras::KEY.to_owned(), Value::Object(extras));
    true
}
