//! A native message, as one of TKR.

use parlour_core::{
    id::ConversationId,
    message::{Message, State},
};
use serde_json::{Map, Value};

use super::{
    NAME,
    content::{Content, readable, summary},
    decode::{decode, native_agent, understand, usual_flags},
    kept::Kept,
    message_type::MessageType,
    moment::moment,
    sender::{Sender, said_agent},
    stream::Flags,
    wire::{Wire, is_other, is_specific, is_standard},
};
use crate::{
    Frame, Item, Scene,
    extras::{self, missing},
    foreign_id::{MappedId, said},
};

/// Writes one item in the standard form. Steps have no form, and a piece without a text says nothing.
pub(super) fn encode(item: &Item) -> Option<Value> {
    match item.frame {
        Frame::Signal => signal(item),
        Frame::Step => None,
        Frame::Piece if item.message.body.is_empty() => None,
        Frame::Message | Frame::Typing | Frame::Piece => Some(Value::Object(complete(item, wire(item)).write())),
    }
}

/// Adds what a reader would not understand of the item. This reads the message before it is written out, which is the same
/// as after: what `Wire` writes, it reads.
fn complete(item: &Item, mut wire: Wire) -> Wire {
    let understood = match understand(wire.clone()) {
        Ok(understood) => understood.message,
        // Nothing was understood of it, so everything is kept. The laws of the dialect hold that this never happens.
        Err(_) => Item::signal(NAME, Value::Null, item.message.created_at).message,
    };
    if let Some(extras) = missing(&item.message, &understood) {
        put_extras(&mut wire, extras, &item.message);
    }
    wire
}

/// A sign of life as it came; anything else under our name is none.
fn signal(item: &Item) -> Option<Value> {
    let value = item.as_signal(NAME)?;
    let again = decode(value.clone(), &Scene::history(item.message.created_at)).ok()?;
    (again == *item).then(|| value.clone())
}

fn put_extras(wire: &mut Wire, mut extras: Map<String, Value>, message: &Message) {
    let is_empty = wire.metadata.as_ref().is_some_and(Map::is_empty);
    if is_empty || wire.nulls.iter().any(|name| name == "metadata") {
        // With the extras in it, an empty object could not be told from none any more, nor could null.
        extras.insert("metadata".to_owned(), Value::Object(message.metadata.clone()));
    }
    wire.metadata.get_or_insert_default().insert(extras::KEY.to_owned(), Value::Object(extras));
}

fn wire(item: &Item) -> Wire {
    let message = &item.message;
    let (kept, sender) = (Kept::of(message), Sender::of(&message.from));
    let mut wire = Wire {
        id: Some(kept.id_text("id", &message.id).unwrap_or_else(|| said(&message.id)).to_owned()),
        timestamp: Some(said_time(message, kept)),
        session_id: Some(said_session(&message.to, kept).to_owned()),
        to_agent: said_recipient(message, kept).map(str::to_owned),
        in_reply_to: said_optional("in_reply_to", message.reply_to.as_ref(), kept),
        task_id: said_optional("task_id", message.context.task_id.as_ref(), kept),
        metadata: said_metadata(message, kept),
        ..Wire::default()
    };
    say_sender(&mut wire, sender, message, kept);
    say_rest(&mut wire, kept);
    let message_type = said_type(&wire, sender, message, kept);
    wire.message_type = Some(message_type);
    wire.flags = said_flags(item, sender, message_type, kept);
    wire.content = said_content(item, sender, message_type, &wire, kept);
    wire.nulls = kept.nulls().filter(|name| is_name(name)).map(str::to_owned).collect();
    wire.settle_nulls();
    wire
}

fn said_time(message: &Message, kept: Kept<'_>) -> String {
    let is_same = |text: &&str| moment("timestamp", text).is_ok_and(|at| at == message.created_at);
    kept.text("timestamp").filter(is_same).map_or_else(|| message.created_at.to_string(), str::to_owned)
}

fn said_session<'a>(to: &'a ConversationId, kept: Kept<'a>) -> &'a str {
    match to {
        ConversationId::Channel(channel) => kept.id_text("session_id", channel).unwrap_or_else(|| said(channel)),
        ConversationId::Thread(_) | ConversationId::Dm(_) => to.as_str(),
    }
}

/// The recipient that only TKR knows, or the first agent of ours that is mentioned.
fn said_recipient<'a>(message: &'a Message, kept: Kept<'a>) -> Option<&'a str> {
    let known = kept.text("to_agent").filter(|text| native_agent(text).is_none());
    known.or_else(|| message.mentions.iter().find_map(|member| member.agent().map(|agent| agent.as_str())))
}

fn said_optional<I: MappedId + PartialEq>(name: &str, id: Option<&I>, kept: Kept<'_>) -> Option<String> {
    match id {
        Some(id) => Some(kept.id_text(name, id).unwrap_or_else(|| said(id)).to_owned()),
        None => kept.text(name).filter(|text| text.is_empty()).map(str::to_owned),
    }
}

fn said_metadata(message: &Message, kept: Kept<'_>) -> Option<Map<String, Value>> {
    let is_theirs = |name: &str| name != NAME && name != extras::KEY;
    let theirs = message.metadata.iter().filter(|(name, _)| is_theirs(name));
    let mut metadata: Map<String, Value> = theirs.map(|(name, value)| (name.clone(), value.clone())).collect();
    let kept = kept.object("metadata");
    if let Some(same_name) = kept.and_then(|kept| kept.get(NAME)) {
        metadata.insert(NAME.to_owned(), same_name.clone());
    }
    (!metadata.is_empty() || kept.is_some()).then_some(metadata)
}

fn say_sender(wire: &mut Wire, sender: Sender, message: &Message, kept: Kept<'_>) {
    if sender == Sender::Agent {
        wire.from_agent = Some(said_agent(&message.from).to_owned());
    } else {
        wire.from_agent = kept.text("from_agent").filter(|text| text.is_empty()).map(str::to_owned);
    }
    wire.from_user = if sender == Sender::User { Some(true) } else { kept.flag("from_user").filter(|is_so| !is_so) };
}

/// The fields of certain types, and those that the format does not have.
fn say_rest(wire: &mut Wire, kept: Kept<'_>) {
    let owned = |(name, value): (&String, &Value)| (name.clone(), value.clone());
    wire.specific = kept.entries().filter(|(name, value)| is_specific(name, value)).map(owned).collect();
    wire.other = kept.other().filter(|(name, value)| is_other(name) && !value.is_null()).map(owned).collect();
}

/// The type that was kept, when it says the same of the message as the usual one and its fields are there.
fn said_type(wire: &Wire, sender: Sender, message: &Message, kept: Kept<'_>) -> MessageType {
    let usual = sender.usual_type(message.kind, message.state);
    let fits = |kept: &MessageType| {
        let has_all = match kept {
            MessageType::Text => sender != Sender::Nobody,
            MessageType::AgentMessage => sender == Sender::Agent,
            MessageType::ContextUpdate => sender == Sender::Agent && has_text(wire.specific.get("context_id")),
            MessageType::TaskUpdate => wire.task_id.as_deref().is_some_and(|task| !task.is_empty()),
            MessageType::System | MessageType::Error => true,
            MessageType::Ping | MessageType::Pong | MessageType::Ack => false,
        };
        let is_streaming = message.state == State::Streaming;
        let says_same = sender.kind(*kept) == sender.kind(usual)
            && sender.state(*kept, is_streaming) == sender.state(usual, is_streaming);
        has_all && says_same
    };
    kept.text("type").and_then(MessageType::parse).filter(fits).unwrap_or(usual)
}

/// The flags that were kept, when they say the same as the usual ones.
fn said_flags(item: &Item, sender: Sender, message_type: MessageType, kept: Kept<'_>) -> Flags {
    let usual = usual_flags(item.frame, &item.message, sender, message_type);
    let said = |name: &str, usual: Option<bool>| if kept.lacks(name) { None } else { kept.flag(name).or(usual) };
    let flags = Flags {
        streaming: said("streaming", usual.streaming),
        turn_complete: said("turn_complete", usual.turn_complete),
    };
    if usual.is_streaming() || flags.is_streaming() { usual } else { flags }
}

fn said_content(
    item: &Item,
    sender: Sender,
    message_type: MessageType,
    wire: &Wire,
    kept: Kept<'_>,
) -> Option<Content> {
    let Message { body, content, state, reason, .. } = &item.message;
    let may_lack = message_type != MessageType::Error && (message_type, sender) != (MessageType::Text, Sender::User);
    match content {
        _ if item.frame == Frame::Typing => {
            let is_lacking = may_lack && kept.lacks("content");
            (!is_lacking).then(|| Content::Text(String::new()))
        }
        Some(Value::Object(object)) if *body == readable(object) => Some(Content::Object(object.clone())),
        _ if is_told(item, message_type, wire, kept) => None,
        _ if body.is_empty() && may_lack && kept.lacks("content") => None,
        // An error that says nothing would not help anybody.
        _ if body.is_empty() && message_type == MessageType::Error && *state == State::Failed => {
            Some(Content::Text(reason.clone().unwrap_or_default()))
        }
        _ => Some(Content::Text(body.clone())),
    }
}

/// Whether the text only tells the update, and is left out.
fn is_told(item: &Item, message_type: MessageType, wire: &Wire, kept: Kept<'_>) -> bool {
    message_type.is_update()
        && item.frame == Frame::Message
        && kept.get("content").is_none()
        && item.message.body == summary(message_type, wire)
}

fn has_text(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_some_and(|text| !text.is_empty())
}

/// Whether a field of this name may hold null: one of the standard form, or one that the format does not have.
fn is_name(name: &str) -> bool {
    is_other(name) || is_standard(name)
}
