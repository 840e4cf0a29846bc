//! Envelopes between agents, `a2a/1`: requests, responses, events and errors, tied to each other by their ids.
//!
//! The payload of an envelope is anything. Natively it is the message's content, and its body is what a person can read
//! of it. An error never reaches a model: it is a message that failed.

mod envelope;
mod payload;
mod refused;
mod subject;
mod usual;

use parlour_core::{Refusal, message::Message};
use serde_json::{Map, Value};

use crate::{Frame, Item, Scene, extras, fields::Fields, kept::Grammar};

pub use refused::{NotAllowed, refused, signature_base};
pub use subject::subject_for;

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "a2a";

/// The version of envelopes that is spoken here.
pub const SPEC: &str = "a2a/1";

const GRAMMAR: Grammar = Grammar { dialect: NAME, usual_only: &["spec"], read, put };

/// Reads one envelope.
pub fn decode(value: Value, scene: &Scene) -> Result<Item, Refusal> {
    let mut form = Fields::of(value, "an a2a envelope")?.rest();
    let mut around = take_extras(&mut form);
    let mut message = read(&form, scene)?;
    extras::restore_from(&mut message, &mut around).map_err(|refusal| refusal.at("context"))?;
    Ok(Item::message(message))
}

/// Writes one envelope; there are none for pieces of a message.
pub fn encode(item: &Item) -> Option<Value> {
    (item.frame == Frame::Message).then(|| GRAMMAR.write(&item.message, |_| usual::fields(&item.message)))
}

fn read(form: &Map<String, Value>, scene: &Scene) -> Result<Message, Refusal> {
    let mut message = envelope::message(form, scene)?;
    let usual = usual::fields(&message);
    GRAMMAR.keep(&mut message, form, &usual);
    Ok(message)
}

fn take_extras(form: &mut Map<String, Value>) -> Map<String, Value> {
    let context = form.get_mut("context").and_then(Value::as_object_mut);
    context.and_then(|context| context.remove_entry(extras::KEY)).into_iter().collect()
}

/// Extras stand in the context: that is where envelopes carry what their receivers need not understand.
fn put(form: &mut Map<String, Value>, extras: Map<String, Value>) -> bool {
    let Some(Value::Object(context)) = form.get_mut("context") else { return false };
    context.insert(extras::KEY.to_owned(), Value::Object(extras));
    true
}
