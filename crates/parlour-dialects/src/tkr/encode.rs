//! A native message, as one of TKR.

use std::borrow::Cow;

use parlour_core::{
    id::ConversationId,
    message::{Message, State},
};
use serde_json::Value;

use super::{
    NAME,
    content::{Content, readable, summary},
    decode::{native_agent, read, understand, usual_flags},
    kept::PreservedFields,
    message_type::MessageType,
    moment::moment,
    row,
    sender::{Sender, said_agent},
    specific::{is_right, is_specific},
    spelling::Spelling,
    stream::Flags,
    wire::{Wire, is_other, is_standard},
};
use crate::{
    DecodeContext, Frame, Item,
    extras::{self, unsaid},
    foreign_id::{MappedId, said},
    json::{Json, Object},
};

/// Writes one item. Steps have no form, and a piece without a text says nothing.
pub(super) fn write(item: &Item, spelling: Spelling) -> Option<Object<'_>> {
    let wire = match item.frame {
        Frame::Signal => signal(item)?,
        Frame::Step => return None,
        Frame::Piece if item.message.body.is_empty() => return None,
        Frame::Message | Frame::Typing | Frame::Piece => complete(item, wire(item)),
    };
    Some(wire.write(spelling))
}

/// Adds what a reader would not understand of the item. This reads the message before it is written out, which is the same
/// as after: what `Wire` writes, it reads.
fn complete<'a>(item: &'a Item, mut wire: Wire<'a>) -> Wire<'a> {
    let understood = match understand(wire.clone(), Some(&item.message)) {
        Ok(understood) => understood.message,
        // Nothing was understood of it, so everything is kept. The laws of the dialect hold that this never happens.
        Err(_) => Item::signal(NAME, Value::Null, item.message.created_at).message,
    };
    if let Some(extras) = unsaid(&item.message, &understood) {
        put_extras(&mut wire, extras, &item.message);
    }
    wire
}

/// A sign of life as it came; anything else under our name is none.
fn signal(item: &Item) -> Option<Wire<'_>> {
    let value = item.as_signal(NAME).filter(|value| value.get(row::KEY).is_none())?;
    let again = read(Json::of(value), &DecodeContext::history(item.message.created_at)).ok()?;
    if again == *item { Wire::read(Json::of(value)).ok() } else { None }
}

fn put_extras<'a>(wire: &mut Wire<'a>, mut extras: Object<'a>, message: &'a Message) {
    let is_empty = wire.metadata.as_ref().is_some_and(Object::is_empty);
    if is_empty || wire.nulls.iter().any(|name| name == "metadata") {
        // With the extras in it, an empty object could not be told from none any more, nor could null.
        extras.set("metadata", Object::of(&message.metadata));
    }
    wire.metadata.get_or_insert_default().set(extras::KEY, extras);
}

fn wire(item: &Item) -> Wire<'_> {
    let message = &item.message;
    let (kept, sender) = (PreservedFields::of(message), Sender::of(&message.from));
    let mut wire = Wire {
        id: Some(kept.id_text("id", &message.id).unwrap_or_else(|| said(&message.id)).into()),
        timestamp: Some(said_time(message, kept)),
        session_id: Some(said_session(&message.to, kept).into()),
        to_agent: said_recipient(message, kept).map(Cow::Borrowed),
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
    wire.nulls = kept.nulls().filter(|name| is_name(name)).map(Cow::Borrowed).collect();
    wire.settle_nulls();
    wire
}

/// A text of the moment of the message, and of no other one.
fn said_time<'a>(message: &'a Message, kept: PreservedFields<'a>) -> Cow<'a, str> {
    let is_same = |text: &&str| moment("timestamp", text).is_ok_and(|at| at == message.created_at);
    kept.text("timestamp").filter(is_same).map_or_else(|| message.created_at.to_string().into(), Cow::Borrowed)
}

fn said_session<'a>(to: &'a ConversationId, kept: PreservedFields<'a>) -> &'a str {
    match to {
        ConversationId::Channel(channel) => kept.id_text("session_id", channel).unwrap_or_else(|| said(channel)),
        ConversationId::Thread(_) | ConversationId::Dm(_) => to.as_str(),
    }
}

/// The recipient that only TKR knows, or the first agent of ours that is mentioned.
fn said_recipient<'a>(message: &'a Message, kept: PreservedFields<'a>) -> Option<&'a str> {
    let known = kept.text("to_agent").filter(|text| native_agent(text).is_none());
    known.or_else(|| message.mentions.iter().find_map(|member| member.agent().map(|agent| agent.as_str())))
}

fn said_optional<'a, I: MappedId + PartialEq>(
    name: &str,
    id: Option<&'a I>,
    kept: PreservedFields<'a>,
) -> Option<Cow<'a, str>> {
    match id {
        Some(id) => Some(kept.id_text(name, id).unwrap_or_else(|| said(id)).into()),
        None => kept.text(name).filter(|text| text.is_empty()).map(Cow::Borrowed),
    }
}

fn said_metadata<'a>(message: &'a Message, kept: PreservedFields<'a>) -> Option<Object<'a>> {
    let kept = kept.object("metadata");
    let same_name = kept.and_then(|kept| kept.get(NAME)).map(|value| (NAME, value));
    let is_theirs = |name: &str| name != NAME && name != extras::KEY;
    let theirs =
        message.metadata.iter().map(|(name, value)| (name.as_str(), value)).filter(|(name, _)| is_theirs(name));
    let metadata = borrowed(theirs.chain(same_name));
    (!metadata.is_empty() || kept.is_some()).then_some(metadata)
}

fn say_sender<'a>(wire: &mut Wire<'a>, sender: Sender, message: &'a Message, kept: PreservedFields<'a>) {
    if sender == Sender::Agent {
        wire.from_agent = Some(said_agent(&message.from).into());
    } else {
        wire.from_agent = kept.text("from_agent").filter(|text| text.is_empty()).map(Cow::Borrowed);
    }
    wire.from_user = if sender == Sender::User { Some(true) } else { kept.flag("from_user").filter(|is_so| !is_so) };
}

/// The fields of certain types, and those that the format does not have.
fn say_rest<'a>(wire: &mut Wire<'a>, kept: PreservedFields<'a>) {
    wire.specific = borrowed(kept.entries().filter(|(name, _)| is_specific(name)));
    wire.specific.retain(is_right);
    wire.other = borrowed(kept.other().filter(|(name, value)| is_other(name) && !value.is_null()));
}

fn borrowed<'a>(fields: impl Iterator<Item = (&'a str, &'a Value)>) -> Object<'a> {
    Object::gathered(fields.map(|(name, value)| (Cow::Borrowed(name), Json::of(value))).collect())
}

/// The type that was kept, when it says the same of the message as the usual one and its fields are there.
fn said_type(wire: &Wire<'_>, sender: Sender, message: &Message, kept: PreservedFields<'_>) -> MessageType {
    let usual = sender.usual_type(message.kind, message.state);
    let fits = |kept: &MessageType| {
        let has_all = match kept {
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
        let says_same = sender.kind(*kept) == sender.kind(usual)
            && sender.state(*kept, is_streaming) == sender.state(usual, is_streaming);
        has_all && says_same
    };
    kept.text("type").and_then(MessageType::parse).filter(fits).unwrap_or(usual)
}

/// The flags that were kept, when they say the same as the usual ones.
fn said_flags(item: &Item, sender: Sender, message_type: MessageType, kept: PreservedFields<'_>) -> Flags {
    let usual = usual_flags(item.frame, &item.message, sender, message_type);
    let said = |name: &str, usual: Option<bool>| if kept.lacks(name) { None } else { kept.flag(name).or(usual) };
    let flags = Flags {
        streaming: said("streaming", usual.streaming),
        turn_complete: said("turn_complete", usual.turn_complete),
    };
    if usual.is_streaming() || flags.is_streaming() { usual } else { flags }
}

fn said_content<'a>(
    item: &'a Item,
    sender: Sender,
    message_type: MessageType,
    wire: &Wire<'_>,
    kept: PreservedFields<'_>,
) -> Option<Content<'a>> {
    let Message { body, state, reason, .. } = &item.message;
    let may_lack = message_type != MessageType::Error && (message_type, sender) != (MessageType::Text, Sender::User);
    if item.frame == Frame::Typing {
        let is_lacking = may_lack && kept.lacks("content");
        return (!is_lacking).then(|| Content::Text("".into()));
    }
    match told_object(&item.message) {
        Some(object) => Some(Content::Object(object)),
        None if is_told(item, message_type, wire, kept) => None,
        None if body.is_empty() && may_lack && kept.lacks("content") => None,
        // An error that says nothing would not help anybody.
        None if body.is_empty() && message_type == MessageType::Error && *state == State::Failed => {
            Some(Content::Text(reason.as_deref().unwrap_or_default().into()))
        }
        None => Some(Content::Text(body.into())),
    }
}

/// The object that the text tells.
fn told_object(message: &Message) -> Option<Object<'_>> {
    let object = message.content.as_ref().and_then(Value::as_object).map(Object::of);
    object.filter(|object| message.body == readable(object))
}

/// Whether the text only tells the update, and is left out.
fn is_told(item: &Item, message_type: MessageType, wire: &Wire<'_>, kept: PreservedFields<'_>) -> bool {
    message_type.is_update()
        && item.frame == Frame::Message
        && kept.get("content").is_none()
        && item.message.body == summary(message_type, wire)
}

/// Whether a field of this name may hold null: one of the standard form, or one that the format does not have.
fn is_name(name: &str) -> bool {
    is_other(name) || is_standard(name)
}
