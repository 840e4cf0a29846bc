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
use serde_json::Value;

use crate::{
    DecodeContext, Frame, Item, extras,
    json::{Json, Object},
    kept::Grammar,
};

pub use refused::{NotAllowed, refused, signature_base};
pub use subject::subject_for;

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "a2a";

/// The version of envelopes that is spoken here.
pub const SPEC: &str = "a2a/1";

const GRAMMAR: Grammar = Grammar { dialect: NAME, usual_only: &["spec"], read: read_form, put };

/// Reads one envelope.
pub fn decode(value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
    read(value.into(), scene)
}

/// Writes one envelope; there are none for pieces of a message.
pub fn encode(item: &Item) -> Option<Value> {
    write(item).map(Json::into_value)
}

/// The same as [`decode`], of a value that may be borrowed.
pub(crate) fn read(json: Json<'_>, scene: &DecodeContext) -> Result<Item, Refusal> {
    let mut form = Object::read(json, "an a2a envelope")?;
    let extras = take_extras(&mut form);
    let mut message = read_form(&form, scene)?;
    let restored = extras.map_or(Ok(()), |extras| extras::put_back_value(&mut message, extras));
    restored.map_err(|refusal| refusal.at("context"))?;
    Ok(Item::message(message))
}

/// The same as [`encode`], borrowed from the item.
pub(crate) fn write(item: &Item) -> Option<Json<'_>> {
    let message = &item.message;
    let usual = || usual::fields(message, payload::usual(message));
    (item.frame == Frame::Message).then(|| GRAMMAR.write(message, |_| usual()).into())
}

fn read_form(form: &Object<'_>, scene: &DecodeContext) -> Result<Message, Refusal> {
    let (mut message, said_as) = envelope::message(form, scene)?;
    let own = GRAMMAR.own(form, &usual::fields(&message, payload::usual_again(&message, said_as)));
    GRAMMAR.keep(&mut message, own);
    Ok(message)
}

fn take_extras<'a>(form: &mut Object<'a>) -> Option<Json<'a>> {
    match form.get_mut("context") {
        Some(Json::Object(context)) => context.take(extras::KEY),
        _ => None,
    }
}

/// Extras stand in the context: that is where envelopes carry what their receivers need not understand.
fn put<'a>(form: &mut Object<'a>, extras: Object<'a>) -> bool {
    let Some(Json::Object(context)) = form.get_mut("context") else { return false };
    context.set(extras::KEY, extras);
    true
}
