//! Decodes envelopes to native messages.

use parlour_core::{
    Refusal, Timestamp,
    author::AuthorType,
    id::{ConversationId, DmId, MessageId},
    message::{Message, State},
};

use super::{
    NAME, SPEC,
    encode::{CODEC, canonical_fields},
    wire::{
        self, EnvelopeType, PayloadForm, broadcast_channel, canonical_payload_again, context, first_text,
        native_conversation, text, text_of,
    },
};
use crate::{
    DecodeContext, Item, canonical_form, extras,
    fields::{self, missing},
    foreign_id::{foreign_author, native_id, native_pair_id, nil_id},
    json::{Json, Object},
};

/// Like [`super::decode`], for borrowed JSON.
pub(crate) fn decode_json(json: Json<'_>, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let mut form = Object::read(json, "an a2a envelope")?;
    let extras = take_extras(&mut form);
    let mut message = decode_form(&form, decode_context)?;
    let restored = extras.map_or(Ok(()), |extras| extras::restore_json(&mut message, extras));
    restored.map_err(|refusal| refusal.at("context"))?;
    Ok(Item::message(message))
}

pub(super) fn decode_form(form: &Object<'_>, decode_context: &DecodeContext) -> Result<Message, Refusal> {
    let (mut message, payload_form) = decode_message(form, decode_context)?;
    let deviations =
        CODEC.deviations(form, &canonical_fields(&message, canonical_payload_again(&message, payload_form)));
    CODEC.preserve(&mut message, deviations);
    Ok(message)
}

fn take_extras<'a>(form: &mut Object<'a>) -> Option<Json<'a>> {
    match form.get_mut("context") {
        Some(Json::Object(context)) => context.take(extras::KEY),
        _ => None,
    }
}

/// Decodes a message and returns it with the form of its payload.
pub(super) fn decode_message(
    form: &Object<'_>,
    decode_context: &DecodeContext,
) -> Result<(Message, PayloadForm), Refusal> {
    if form.contains(canonical_form::ABSENT) {
        return Err(Refusal::invalid("this field name is reserved").at(canonical_form::ABSENT));
    }
    check_spec(form)?;
    let envelope_type = EnvelopeType::read(form)?;
    text(form, "intent")?;
    let from = first_text(form, "from_id", "from")?.unwrap_or_default();
    let context = context(form)?;
    let link = |name| text_of(context, name).map_err(|refusal| refusal.at("context"));
    let project = link("project_id")?.map_or_else(nil_id, native_id);
    let to = conversation_of(from, first_text(form, "to_id", "to")?);
    let author = foreign_author(NAME, AuthorType::Agent, from, "");
    let payload = wire::decode_payload(form.get("payload"), envelope_type);
    let mut message = Message::plain(
        envelope_id(form, from)?,
        project,
        to,
        author,
        payload.body,
        envelope_time(form, decode_context)?,
    );
    message.content = payload.content;
    message.reason = payload.reason;
    message.state = if envelope_type == EnvelopeType::Error { State::Failed } else { State::Complete };
    message.reply_to = text(form, "causation_id")?.map(native_id);
    message.correlation_id = text(form, "correlation_id")?.map(str::to_owned);
    message.context.task_id = link("task_id")?.map(native_id);
    message.context.batch_id = link("batch_id")?.map(native_id);
    Ok((message, payload.payload_form))
}

/// The conversation with this id, or the DM of the two agents.
fn conversation_of(from: &str, to: Option<&str>) -> ConversationId {
    let Some(to) = to else { return broadcast_channel() };
    native_conversation(to).unwrap_or_else(|| {
        let (first, second) = if from <= to { (from, to) } else { (to, from) };
        native_pair_id::<DmId>(first, second).into()
    })
}

fn check_spec(form: &Object<'_>) -> Result<(), Refusal> {
    match text(form, "spec")? {
        None => Err(missing("spec")),
        Some(SPEC) => Ok(()),
        Some(_) => {
            let refusal = Refusal::out_of_bounds("unsupported envelope version");
            Err(refusal.at("spec").proposing(vec![SPEC.to_owned()]))
        }
    }
}

/// The id of an envelope. A broadcast has none; its id is derived from time, sender and intent.
fn envelope_id(form: &Object<'_>, from: &str) -> Result<MessageId, Refusal> {
    if let Some(id) = text(form, "id")? {
        return Ok(native_id(id));
    }
    let time = first_text(form, "time", "ts")?.ok_or_else(|| missing("id"))?;
    Ok(native_id(&format!("{time} {from} {}", text(form, "intent")?.unwrap_or_default())))
}

fn envelope_time(form: &Object<'_>, decode_context: &DecodeContext) -> Result<Timestamp, Refusal> {
    let name = if form.get("time").is_some_and(|time| !time.is_null()) { "time" } else { "ts" };
    text(form, name)?.map_or(Ok(decode_context.now), |time| fields::parse_time(name, time))
}
