//! Encodes native messages as TKR messages.

use std::borrow::Cow;

use parlour_core::{
    id::ConversationId,
    message::{Message, State},
};
use serde_json::Value;

use super::{
    NAME,
    decode::{canonical_flags, decode_message, native_agent, wire_to_item},
    preserved::PreservedFields,
    row,
    values::{Content, MessageType, Sender, agent_id_text, parse_time, readable_text, update_summary},
    wire::{NameStyle, StreamFlags, WireMessage, is_other, is_specific, is_standard, is_valid_specific},
};
use crate::{
    DecodeContext, Frame, Item,
    extras::{self, extras_of},
    foreign_id::{NativeId, foreign_text},
    json::{Json, Object},
};

/// Encodes one item. Steps and empty pieces have no form.
pub(super) fn encode_message(item: &Item, style: NameStyle) -> Option<Object<'_>> {
    let wire = match item.frame {
        Frame::Signal => signal_to_wire(item)?,
        Frame::Step => return None,
        Frame::Piece if item.message.body.is_empty() => return None,
        Frame::Message | Frame::Typing | Frame::Piece => add_extras(item, message_to_wire(item)),
    };
    Some(wire.write(style))
}

/// Adds the extras. The wire message is decoded before it is written; the result is the same, because `WireMessage`
/// reads what it writes.
fn add_extras<'a>(item: &'a Item, mut wire: WireMessage<'a>) -> WireMessage<'a> {
    let decoded = match wire_to_item(wire.clone(), Some(&item.message)) {
        Ok(decoded) => decoded.message,
        // The message cannot be decoded, so everything becomes an extra. Property tests check that this does not
        // happen.
        Err(_) => Item::signal(NAME, Value::Null, item.message.created_at).message,
    };
    if let Some(extras) = extras_of(&item.message, &decoded) {
        put_extras(&mut wire, extras, &item.message);
    }
    wire
}

fn signal_to_wire(item: &Item) -> Option<WireMessage<'_>> {
    let value = item.as_signal(NAME).filter(|value| value.get(row::KEY).is_none())?;
    let decoded = decode_message(Json::of(value), &DecodeContext::history(item.message.created_at)).ok()?;
    if decoded == *item { WireMessage::read(Json::of(value)).ok() } else { None }
}

fn put_extras<'a>(wire: &mut WireMessage<'a>, mut extras: Object<'a>, message: &'a Message) {
    let is_empty = wire.metadata.as_ref().is_some_and(Object::is_empty);
    if is_empty || wire.nulls.iter().any(|name| name == "metadata") {
        // With the extras inside, an empty object or null could not be recognised.
        extras.set("metadata", Object::of(&message.metadata));
    }
    wire.metadata.get_or_insert_default().set(extras::KEY, extras);
}

fn message_to_wire(item: &Item) -> WireMessage<'_> {
    let message = &item.message;
    let (preserved, sender) = (PreservedFields::of(message), Sender::of(&message.from));
    let mut wire = WireMessage {
        id: Some(preserved.id_text("id", &message.id).unwrap_or_else(|| foreign_text(&message.id)).into()),
        timestamp: Some(time_text(message, preserved)),
        session_id: Some(session_text(&message.to, preserved).into()),
        to_agent: recipient_text(message, preserved).map(Cow::Borrowed),
        in_reply_to: optional_id_text("in_reply_to", message.reply_to.as_ref(), preserved),
        task_id: optional_id_text("task_id", message.context.task_id.as_ref(), preserved),
        metadata: metadata_object(message, preserved),
        ..WireMessage::default()
    };
    set_sender(&mut wire, sender, message, preserved);
    set_other_fields(&mut wire, preserved);
    let message_type = choose_type(&wire, sender, message, preserved);
    wire.message_type = Some(message_type);
    wire.flags = choose_flags(item, sender, message_type, preserved);
    wire.content = choose_content(item, sender, message_type, &wire, preserved);
    wire.nulls = preserved.nulls().filter(|name| may_hold_null(name)).map(Cow::Borrowed).collect();
    wire.settle_nulls();
    wire
}

/// The recorded time text if it is the same time, else the canonical one.
fn time_text<'a>(message: &'a Message, preserved: PreservedFields<'a>) -> Cow<'a, str> {
    let is_same = |text: &&str| parse_time("timestamp", text).is_ok_and(|at| at == message.created_at);
    preserved.text("timestamp").filter(is_same).map_or_else(|| message.created_at.to_string().into(), Cow::Borrowed)
}

fn session_text<'a>(to: &'a ConversationId, preserved: PreservedFields<'a>) -> &'a str {
    match to {
        ConversationId::Channel(channel) => {
            preserved.id_text("session_id", channel).unwrap_or_else(|| foreign_text(channel))
        }
        ConversationId::Thread(_) | ConversationId::Dm(_) => to.as_str(),
    }
}

/// The recorded recipient, or the first mentioned agent.
fn recipient_text<'a>(message: &'a Message, preserved: PreservedFields<'a>) -> Option<&'a str> {
    let known = preserved.text("to_agent").filter(|text| native_agent(text).is_none());
    known.or_else(|| message.mentions.iter().find_map(|member| member.agent().map(|agent| agent.as_str())))
}

fn optional_id_text<'a, I: NativeId + PartialEq>(
    name: &str,
    id: Option<&'a I>,
    preserved: PreservedFields<'a>,
) -> Option<Cow<'a, str>> {
    match id {
        Some(id) => Some(preserved.id_text(name, id).unwrap_or_else(|| foreign_text(id)).into()),
        None => preserved.text(name).filter(|text| text.is_empty()).map(Cow::Borrowed),
    }
}

fn metadata_object<'a>(message: &'a Message, preserved: PreservedFields<'a>) -> Option<Object<'a>> {
    let preserved = preserved.object("metadata");
    let same_name = preserved.and_then(|preserved| preserved.get(NAME)).map(|value| (NAME, value));
    let is_theirs = |name: &str| name != NAME && name != extras::KEY;
    let theirs =
        message.metadata.iter().map(|(name, value)| (name.as_str(), value)).filter(|(name, _)| is_theirs(name));
    let metadata = borrowed(theirs.chain(same_name));
    (!metadata.is_empty() || preserved.is_some()).then_some(metadata)
}

fn set_sender<'a>(wire: &mut WireMessage<'a>, sender: Sender, message: &'a Message, preserved: PreservedFields<'a>) {
    if sender == Sender::Agent {
        wire.from_agent = Some(agent_id_text(&message.from).into());
    } else {
        wire.from_agent = preserved.text("from_agent").filter(|text| text.is_empty()).map(Cow::Borrowed);
    }
    wire.from_user =
        if sender == Sender::User { Some(true) } else { preserved.flag("from_user").filter(|boolean| !boolean) };
}

/// Sets the type-specific and the unknown fields.
fn set_other_fields<'a>(wire: &mut WireMessage<'a>, preserved: PreservedFields<'a>) {
    wire.specific = borrowed(preserved.entries().filter(|(name, _)| is_specific(name)));
    wire.specific.retain(is_valid_specific);
    wire.other = borrowed(preserved.other().filter(|(name, value)| is_other(name) && !value.is_null()));
}

fn borrowed<'a>(fields: impl Iterator<Item = (&'a str, &'a Value)>) -> Object<'a> {
    Object::from_unsorted(fields.map(|(name, value)| (Cow::Borrowed(name), Json::of(value))).collect())
}

/// The recorded type if it means the same as the canonical one and its required fields are present.
fn choose_type(
    wire: &WireMessage<'_>,
    sender: Sender,
    message: &Message,
    preserved: PreservedFields<'_>,
) -> MessageType {
    let canonical = sender.canonical_type(message.kind, message.state);
    let fits = |preserved: &MessageType| {
        let has_all = match preserved {
            MessageType::Text => sender != Sender::Nobody,
            MessageType::AgentMessage => sender == Sender::Agent,
            MessageType::ContextUpdate => {
                sender == Sender::Agent && wire.specific.str("context_id").is_some_and(|context| !context.is_empty())
            }
            MessageType::TaskUpdate => wire.task_id.as_deref().is_some_and(|task| !task.is_empty()),
            MessageType::System | MessageType::Error => true,
            MessageType::Ping | MessageType::Pong | MessageType::Ack => false,
        };
        let is_streaming = message.state == State::Streaming;
        let means_same = sender.kind(*preserved) == sender.kind(canonical)
            && sender.state(*preserved, is_streaming) == sender.state(canonical, is_streaming);
        has_all && means_same
    };
    preserved.text("type").and_then(MessageType::parse).filter(fits).unwrap_or(canonical)
}

/// The recorded flags if they mean the same as the canonical ones.
fn choose_flags(item: &Item, sender: Sender, message_type: MessageType, preserved: PreservedFields<'_>) -> StreamFlags {
    let canonical = canonical_flags(item.frame, &item.message, sender, message_type);
    let recorded = |name: &str, canonical: Option<bool>| {
        if preserved.is_absent(name) { None } else { preserved.flag(name).or(canonical) }
    };
    let flags = StreamFlags {
        streaming: recorded("streaming", canonical.streaming),
        turn_complete: recorded("turn_complete", canonical.turn_complete),
    };
    if canonical.is_streaming() || flags.is_streaming() { canonical } else { flags }
}

fn choose_content<'a>(
    item: &'a Item,
    sender: Sender,
    message_type: MessageType,
    wire: &WireMessage<'_>,
    preserved: PreservedFields<'_>,
) -> Option<Content<'a>> {
    let Message { body, state, reason, .. } = &item.message;
    let may_lack = message_type != MessageType::Error && (message_type, sender) != (MessageType::Text, Sender::User);
    if item.frame == Frame::Typing {
        let is_lacking = may_lack && preserved.is_absent("content");
        return (!is_lacking).then(|| Content::Text("".into()));
    }
    match content_object(&item.message) {
        Some(object) => Some(Content::Object(object)),
        None if is_summary_of_update(item, message_type, wire, preserved) => None,
        None if body.is_empty() && may_lack && preserved.is_absent("content") => None,
        // An error needs a text.
        None if body.is_empty() && message_type == MessageType::Error && *state == State::Failed => {
            Some(Content::Text(reason.as_deref().unwrap_or_default().into()))
        }
        None => Some(Content::Text(body.into())),
    }
}

/// The content object, if the body is its text.
fn content_object(message: &Message) -> Option<Object<'_>> {
    let object = message.content.as_ref().and_then(Value::as_object).map(Object::of);
    object.filter(|object| message.body == readable_text(object))
}

/// Whether the body is the generated summary of an update and is omitted.
fn is_summary_of_update(
    item: &Item,
    message_type: MessageType,
    wire: &WireMessage<'_>,
    preserved: PreservedFields<'_>,
) -> bool {
    message_type.is_update()
        && item.frame == Frame::Message
        && preserved.get("content").is_none()
        && item.message.body == update_summary(message_type, wire)
}

/// Whether a field of this name can be null: a standard or an unknown field.
fn may_hold_null(name: &str) -> bool {
    is_other(name) || is_standard(name)
}
