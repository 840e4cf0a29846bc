//! Decodes TKR messages to native ones, fills missing fields and checks the rules of the format.

use std::{borrow::Cow, sync::LazyLock};

use parlour_core::{
    Refusal, Timestamp,
    id::{AgentId, ChannelId, ConversationId, MemberId, MessageId, ProjectId},
    message::{Message, State},
};
use serde_json::{Map, Value};

use super::{
    NAME,
    preserved::FieldRecorder,
    values::{Content, MessageType, Sender, is_canonical_time, parse_time, readable_text, update_summary},
    wire::{NameStyle, StreamFlags, WireMessage},
};
use crate::{
    DecodeContext, Frame, Item, extras,
    fields::missing,
    foreign_id::native_id,
    json::{Json, Object},
};

/// The project of all messages: TKR has sessions and no projects.
static PROJECT: LazyLock<ProjectId> = LazyLock::new(|| native_id(NAME));

/// Decodes one message in any form.
pub(super) fn decode_message(json: Json<'_>, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let mut wire = WireMessage::read(json)?;
    if wire.message_type.is_some_and(MessageType::is_signal) {
        return signal_item(wire, decode_context);
    }
    wire.fill(decode_context.now);
    wire_to_item(wire, None)
}

/// A heartbeat, kept in the standard form.
fn signal_item(wire: WireMessage<'_>, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let at = wire.timestamp.as_deref().map_or(Ok(decode_context.now), |text| parse_time("timestamp", text))?;
    Ok(Item::signal(NAME, Value::Object(wire.write(NameStyle::Standard).into_map()), at))
}

/// Converts a complete wire message.
///
/// `known` is the message that it was encoded from, if any; its time and ids are reused.
pub(super) fn wire_to_item(mut wire: WireMessage<'_>, known: Option<&Message>) -> Result<Item, Refusal> {
    wire.check()?;
    let message_type = wire.message_type.unwrap_or(MessageType::Text);
    let (sender, flags) = (wire.sender(), wire.flags);
    let frame = flags.frame(wire.content.as_ref().is_some_and(|content| !content.is_empty()));
    let mut preserved = FieldRecorder::default();
    let mut message = begin_message(&mut wire, sender, known, &mut preserved)?;
    message.kind = sender.kind(message_type);
    message.state = sender.state(message_type, flags.is_streaming());
    preserve_type(message_type, sender, &message, &mut preserved);
    preserve_flags(flags, canonical_flags(frame, &message, sender, message_type), &mut preserved);
    (message.body, message.content) = body_and_content(frame, message_type, &mut wire, &mut preserved);
    message.reply_to =
        preserved.optional_id("in_reply_to", wire.in_reply_to, known.and_then(|known| known.reply_to.as_ref()));
    let task = known.and_then(|known| known.context.task_id.as_ref());
    message.context.task_id = preserved.optional_id("task_id", wire.task_id, task);
    set_recipient(wire.to_agent, &mut message, &mut preserved);
    preserved.put_all(wire.specific);
    preserved.record_unknown(wire.other, wire.nulls, wire.overruled);
    let mut extras = take_metadata(wire.metadata, &mut message, &mut preserved);
    preserved.store_in(&mut message);
    extras::take_and_restore(&mut message, &mut extras).map_err(|refusal| refusal.at("metadata"))?;
    Ok(Item { frame, message })
}

/// A message with id, channel, author and time.
fn begin_message(
    wire: &mut WireMessage<'_>,
    sender: Sender,
    known: Option<&Message>,
    preserved: &mut FieldRecorder,
) -> Result<Message, Refusal> {
    let id = preserved.id("id", wire.id.take().unwrap_or_default(), known.map(|known| &known.id));
    let channel: ChannelId = preserved.id(
        "session_id",
        wire.session_id.take().unwrap_or_default(),
        known.and_then(|known| channel_of(&known.to)),
    );
    let timestamp = wire.timestamp.take().unwrap_or_default();
    let at = known.map_or_else(|| parse_time("timestamp", &timestamp), |known| Ok(known.created_at))?;
    preserved.put("timestamp", Some(timestamp).filter(|text| !is_canonical_time(text, at)));
    let author = sender.author(wire.from_agent.as_deref().unwrap_or_default());
    if sender != Sender::Agent {
        preserved.put("from_agent", wire.from_agent.take());
    }
    if sender != Sender::User {
        preserved.put("from_user", wire.from_user.take());
    }
    Ok(Message::plain(id, PROJECT.clone(), channel.into(), author, String::new(), at))
}

fn channel_of(to: &ConversationId) -> Option<&ChannelId> {
    if let ConversationId::Channel(channel) = to { Some(channel) } else { None }
}

fn preserve_type(message_type: MessageType, sender: Sender, message: &Message, preserved: &mut FieldRecorder) {
    if message_type != sender.canonical_type(message.kind, message.state) {
        preserved.put("type", Some(message_type.as_str()));
    }
}

fn preserve_flags(flags: StreamFlags, canonical: StreamFlags, preserved: &mut FieldRecorder) {
    preserved.record_if_unusual("streaming", flags.streaming, canonical.streaming);
    preserved.record_if_unusual("turn_complete", flags.turn_complete, canonical.turn_complete);
}

/// The flags that are encoded: always for texts of agents, else only while streaming.
pub(super) fn canonical_flags(
    frame: Frame,
    message: &Message,
    sender: Sender,
    message_type: MessageType,
) -> StreamFlags {
    match frame {
        Frame::Typing | Frame::Piece => StreamFlags::GROWING,
        _ if message.state == State::Streaming => StreamFlags::BEGUN,
        _ if sender == Sender::Agent && message_type == MessageType::Text => StreamFlags::WHOLE,
        _ => StreamFlags::NONE,
    }
}

fn body_and_content(
    frame: Frame,
    message_type: MessageType,
    wire: &mut WireMessage<'_>,
    preserved: &mut FieldRecorder,
) -> (String, Option<Value>) {
    let has_summary = message_type.is_update() && frame == Frame::Message;
    match wire.content.take() {
        Some(Content::Object(object)) => (readable_text(&object), Some(Value::Object(object.into_map()))),
        Some(Content::Text(text)) => {
            // A text that equals the summary is not encoded, so its presence is recorded.
            if has_summary && text == update_summary(message_type, wire) {
                preserved.put("content", Some(text.as_ref()));
            }
            (text.into_owned(), None)
        }
        None if has_summary => (update_summary(message_type, wire), None),
        None => {
            preserved.record_absent("content");
            (String::new(), None)
        }
    }
}

/// A recipient becomes a mention if it is the id of an agent; otherwise it is recorded.
fn set_recipient(to_agent: Option<Cow<'_, str>>, message: &mut Message, preserved: &mut FieldRecorder) {
    match to_agent.as_deref().and_then(native_agent) {
        Some(agent) => message.mentions.push(MemberId::Agent(agent)),
        None => preserved.put("to_agent", to_agent),
    }
}

pub(super) fn native_agent(text: &str) -> Option<AgentId> {
    text.strip_prefix(AgentId::PREFIX).filter(|rest| rest.starts_with('_')).and_then(|_| text.parse().ok())
}

/// Takes over the metadata and returns the extras. The keys `tkr` and `parlour` are reserved.
fn take_metadata<'a>(metadata: Option<Object<'a>>, message: &mut Message, preserved: &mut FieldRecorder) -> Object<'a> {
    let mut extras = Object::default();
    let Some(mut metadata) = metadata else { return extras };
    extras.set_some(extras::KEY, metadata.take(extras::KEY));
    let same_name = metadata.take(NAME);
    // An empty object is different from none, unless it only contained reserved keys.
    if same_name.is_some() || metadata.is_empty() && extras.is_empty() {
        let same_name = same_name.map(|value| (NAME.to_owned(), value.into_value()));
        preserved.put("metadata", Some(Map::from_iter(same_name)));
    }
    message.metadata = metadata.into_map();
    extras
}

const DEFAULT_SESSION: &str = "default";

impl WireMessage<'_> {
    /// Fills missing fields and the sender.
    ///
    /// The id is derived from the message, so that decoding is repeatable. A text without a sender is the user's; any
    /// other message without one is the system's.
    pub(super) fn fill(&mut self, now: Timestamp) {
        let (has_id, has_session) = (is_there(&self.id), is_there(&self.session_id));
        if !has_id || !has_session {
            self.fill_minimal(!has_id && !has_session);
        }
        if !has_session {
            self.session_id = Some(DEFAULT_SESSION.into());
        }
        let message_type = *self.message_type.get_or_insert(MessageType::Text);
        self.fill_sender(message_type);
        if !has_id {
            self.id = Some(self.derived_id().into());
        }
        if !is_there(&self.timestamp) {
            self.timestamp = Some(now.to_string().into());
        }
        self.settle_nulls();
    }

    /// An id derived from the content, independent of the form.
    fn derived_id(&self) -> String {
        let timestamp = self.timestamp.clone().filter(|text| !text.is_empty());
        let value = Self { id: None, timestamp, nulls: Vec::new(), ..self.clone() };
        let value = serde_json::to_string(&value.write(NameStyle::Standard)).expect("JSON can be written to memory");
        native_id::<MessageId>(&value).to_string()
    }

    /// A minimal message has a type or a content.
    fn fill_minimal(&mut self, may_be_packet: bool) {
        if may_be_packet && self.content.is_none() {
            self.fill_from_packet();
        }
        if self.content.is_none() && self.message_type == Some(MessageType::Text) {
            self.content = Some(Content::Text("".into()));
        }
    }

    /// Old packets have `message` or `error`, and `agent_id`.
    fn fill_from_packet(&mut self) {
        let mut text = |name: &str| match self.other.get(name)? {
            Json::Text(_) => self.other.text(name).ok()?,
            _ => None,
        };
        let (error, message, agent) = (text("error"), text("message"), text("agent_id"));
        if error.is_some() && self.message_type.is_none() {
            self.message_type = Some(MessageType::Error);
        }
        self.from_agent = self.from_agent.take().or(agent);
        self.content = error.or(message).map(Content::Text);
    }

    fn fill_sender(&mut self, message_type: MessageType) {
        match self.sender() {
            Sender::Nobody if message_type == MessageType::Text && self.from_user.is_none() => {
                self.from_user = Some(true);
            }
            Sender::Agent if self.from_user == Some(true) => {
                self.from_user = None;
                self.overrule("from_user", Some(true));
            }
            _ => {}
        }
    }
}

fn is_there(text: &Option<Cow<'_, str>>) -> bool {
    text.as_deref().is_some_and(|text| !text.is_empty())
}

/// Checks a message of either form against the rules of the format; the refusal names the field and the rule.
pub fn validate(message: &Value) -> Result<(), Refusal> {
    let wire = WireMessage::read(Json::of(message))?;
    wire.check()?;
    parse_time("timestamp", wire.timestamp.as_deref().unwrap_or_default()).map(drop)
}

impl WireMessage<'_> {
    /// Refuses a message without a required field of its type.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        require("id", self.id.as_deref())?;
        let message_type = self.message_type.ok_or_else(|| missing("type"))?;
        require("timestamp", self.timestamp.as_deref())?;
        require("session_id", self.session_id.as_deref())?;
        match message_type {
            MessageType::Text => self.check_text(),
            MessageType::AgentMessage => require("from_agent", self.from_agent.as_deref()),
            MessageType::ContextUpdate => {
                require("from_agent", self.from_agent.as_deref())?;
                require("context_id", self.specific.str("context_id"))
            }
            MessageType::TaskUpdate => require("task_id", self.task_id.as_deref()),
            MessageType::Error => self.require_content(),
            MessageType::System | MessageType::Ping | MessageType::Pong | MessageType::Ack => Ok(()),
        }
    }

    /// A user's text needs a content, which can be empty; any other text needs its agent.
    fn check_text(&self) -> Result<(), Refusal> {
        match self.sender() {
            Sender::User => self.require_content(),
            Sender::Agent => Ok(()),
            Sender::Nobody => {
                let rule = "a text that is not the user's (from_user: true) requires the id of its agent";
                Err(Refusal::invalid(rule).at("from_agent"))
            }
        }
    }

    fn require_content(&self) -> Result<(), Refusal> {
        if self.content.is_some() { Ok(()) } else { Err(missing("content")) }
    }
}

fn require(name: &str, text: Option<&str>) -> Result<(), Refusal> {
    match text {
        None => Err(missing(name)),
        Some("") => Err(Refusal::invalid("this must not be empty").at(name)),
        Some(_) => Ok(()),
    }
}
