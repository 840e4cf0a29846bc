//! A message of TKR, as a native one.

use std::{borrow::Cow, sync::LazyLock};

use parlour_core::{
    Refusal,
    id::{AgentId, ChannelId, ConversationId, MemberId, ProjectId},
    message::{Message, State},
};
use serde_json::{Map, Value};

use super::{
    NAME,
    content::{Content, readable, summary},
    kept::FieldRecorder,
    message_type::MessageType,
    moment::{is_usual, moment},
    sender::Sender,
    spelling::Spelling,
    stream::Flags,
    wire::Wire,
};
use crate::{
    DecodeContext, Frame, Item, extras,
    foreign_id::mapped,
    json::{Json, Object},
};

/// TKR has sessions and no projects, so all of them stand in one.
static PROJECT: LazyLock<ProjectId> = LazyLock::new(|| mapped(NAME));

/// Reads one message in any spelling.
pub(super) fn read(json: Json<'_>, scene: &DecodeContext) -> Result<Item, Refusal> {
    let mut wire = Wire::read(json)?;
    if wire.message_type.is_some_and(MessageType::is_signal) {
        return signal(wire, scene);
    }
    wire.fill(scene.now);
    understand(wire, None)
}

/// A sign of life means nothing natively; it is kept in the standard spelling, and nothing is added to it.
fn signal(wire: Wire<'_>, scene: &DecodeContext) -> Result<Item, Refusal> {
    let at = wire.timestamp.as_deref().map_or(Ok(scene.now), |text| moment("timestamp", text))?;
    Ok(Item::signal(NAME, Value::Object(wire.write(Spelling::Standard).into_map()), at))
}

/// The native message for one that has all it needs.
///
/// `known` is the message that it was written for, if it was: it tells the moment, and ids that need not be made again.
pub(super) fn understand(mut wire: Wire<'_>, known: Option<&Message>) -> Result<Item, Refusal> {
    wire.check()?;
    let message_type = wire.message_type.unwrap_or(MessageType::Text);
    let (sender, flags) = (wire.sender(), wire.flags);
    let frame = flags.frame(wire.content.as_ref().is_some_and(|content| !content.is_empty()));
    let mut kept = FieldRecorder::default();
    let mut message = frame_of_message(&mut wire, sender, known, &mut kept)?;
    message.kind = sender.kind(message_type);
    message.state = sender.state(message_type, flags.is_streaming());
    keep_type(message_type, sender, &message, &mut kept);
    keep_flags(flags, usual_flags(frame, &message, sender, message_type), &mut kept);
    (message.body, message.content) = said(frame, message_type, &mut wire, &mut kept);
    message.reply_to =
        kept.optional_id("in_reply_to", wire.in_reply_to, known.and_then(|known| known.reply_to.as_ref()));
    let task = known.and_then(|known| known.context.task_id.as_ref());
    message.context.task_id = kept.optional_id("task_id", wire.task_id, task);
    address(wire.to_agent, &mut message, &mut kept);
    kept.put_all(wire.specific);
    kept.strange(wire.other, wire.nulls, wire.overruled);
    let mut extras = take_metadata(wire.metadata, &mut message, &mut kept);
    kept.note_in(&mut message);
    extras::take_back(&mut message, &mut extras).map_err(|refusal| refusal.at("metadata"))?;
    Ok(Item { frame, message })
}

/// The message with its id, place, author and time.
fn frame_of_message(
    wire: &mut Wire<'_>,
    sender: Sender,
    known: Option<&Message>,
    kept: &mut FieldRecorder,
) -> Result<Message, Refusal> {
    let id = kept.id("id", wire.id.take().unwrap_or_default(), known.map(|known| &known.id));
    let channel: ChannelId =
        kept.id("session_id", wire.session_id.take().unwrap_or_default(), known.and_then(|known| channel(&known.to)));
    let timestamp = wire.timestamp.take().unwrap_or_default();
    let at = known.map_or_else(|| moment("timestamp", &timestamp), |known| Ok(known.created_at))?;
    kept.put("timestamp", Some(timestamp).filter(|text| !is_usual(text, at)));
    let author = sender.author(wire.from_agent.as_deref().unwrap_or_default());
    if sender != Sender::Agent {
        kept.put("from_agent", wire.from_agent.take());
    }
    if sender != Sender::User {
        kept.put("from_user", wire.from_user.take());
    }
    Ok(Message::plain(id, PROJECT.clone(), channel.into(), author, String::new(), at))
}

fn channel(to: &ConversationId) -> Option<&ChannelId> {
    if let ConversationId::Channel(channel) = to { Some(channel) } else { None }
}

fn keep_type(message_type: MessageType, sender: Sender, message: &Message, kept: &mut FieldRecorder) {
    if message_type != sender.usual_type(message.kind, message.state) {
        kept.put("type", Some(message_type.as_str()));
    }
}

fn keep_flags(flags: Flags, usual: Flags, kept: &mut FieldRecorder) {
    kept.unusual("streaming", flags.streaming, usual.streaming);
    kept.unusual("turn_complete", flags.turn_complete, usual.turn_complete);
}

/// How we say whether a message is whole: of texts of agents always, of others only while it is not.
pub(super) fn usual_flags(frame: Frame, message: &Message, sender: Sender, message_type: MessageType) -> Flags {
    match frame {
        Frame::Typing | Frame::Piece => Flags::GROWING,
        _ if message.state == State::Streaming => Flags::BEGUN,
        _ if sender == Sender::Agent && message_type == MessageType::Text => Flags::WHOLE,
        _ => Flags::NONE,
    }
}

/// The text of a message, and the object that it tells.
fn said(
    frame: Frame,
    message_type: MessageType,
    wire: &mut Wire<'_>,
    kept: &mut FieldRecorder,
) -> (String, Option<Value>) {
    let is_told = message_type.is_update() && frame == Frame::Message;
    match wire.content.take() {
        Some(Content::Object(object)) => (readable(&object), Some(Value::Object(object.into_map()))),
        Some(Content::Text(text)) => {
            // We would leave out a text that only tells the update.
            if is_told && text == summary(message_type, wire) {
                kept.put("content", Some(text.as_ref()));
            }
            (text.into_owned(), None)
        }
        None if is_told => (summary(message_type, wire), None),
        None => {
            kept.lack("content");
            (String::new(), None)
        }
    }
}

/// Whom a message is for: a member when it is the id of one, else a name that only TKR knows.
fn address(to_agent: Option<Cow<'_, str>>, message: &mut Message, kept: &mut FieldRecorder) {
    match to_agent.as_deref().and_then(native_agent) {
        Some(agent) => message.mentions.push(MemberId::Agent(agent)),
        None => kept.put("to_agent", to_agent),
    }
}

/// The agent of ours that a text names.
pub(super) fn native_agent(text: &str) -> Option<AgentId> {
    text.strip_prefix(AgentId::PREFIX).filter(|rest| rest.starts_with('_')).and_then(|_| text.parse().ok())
}

/// Takes over the metadata, and answers what stood in it for us. Two names in it are ours: `tkr` and `parlour`.
fn take_metadata<'a>(metadata: Option<Object<'a>>, message: &mut Message, kept: &mut FieldRecorder) -> Object<'a> {
    let mut extras = Object::default();
    let Some(mut metadata) = metadata else { return extras };
    extras.set_some(extras::KEY, metadata.take(extras::KEY));
    let same_name = metadata.take(NAME);
    // An empty object is told from none, unless it only held what is ours.
    if same_name.is_some() || metadata.is_empty() && extras.is_empty() {
        let same_name = same_name.map(|value| (NAME.to_owned(), value.into_value()));
        kept.put("metadata", Some(Map::from_iter(same_name)));
    }
    message.metadata = metadata.into_map();
    extras
}
