//! Events of Caco, and the fields that are preserved in the metadata of a native message.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    message::{Kind, Message},
    model_visibility::usual_kind,
    step::Step,
};
use serde_json::{Map, Value};

use super::{NAME, source::source_named};
use crate::{
    DecodeContext, Frame, Item, extras, fields,
    foreign_id::{NativeId, foreign_author, foreign_text, native_id},
    json::{Json, Object, wrong_type},
};

/// The decoded event types. All others become signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventType {
    UserMessage,
    AssistantMessage,
    AssistantDelta,
    TurnStart,
    ToolStart,
    ToolComplete,
    SystemMessage,
    SessionInfo,
    SessionWarning,
    SessionError,
}

const TYPES: [(&str, EventType); 10] = [
    ("user.message", EventType::UserMessage),
    ("assistant.message", EventType::AssistantMessage),
    ("assistant.message_delta", EventType::AssistantDelta),
    ("assistant.turn_start", EventType::TurnStart),
    ("tool.execution_start", EventType::ToolStart),
    ("tool.execution_complete", EventType::ToolComplete),
    ("system.message", EventType::SystemMessage),
    ("session.info", EventType::SessionInfo),
    ("session.warning", EventType::SessionWarning),
    ("session.error", EventType::SessionError),
];

/// An event during decoding.
pub(super) struct Event<'a> {
    pub(super) event_type: EventType,
    pub(super) top: Object<'a>,
    pub(super) data: Object<'a>,
    pub(super) recorder: FieldRecorder<'a>,
    /// The value of `parlour`.
    extras_field: Object<'a>,
    pub(super) session: Option<Cow<'a, str>>,
    pub(super) at: Timestamp,
    /// The text of the time; empty if the event has none.
    time: Cow<'a, str>,
}

/// The message content of an event.
pub(super) struct EventContent {
    pub(super) id: Option<MessageId>,
    pub(super) from: Author,
    pub(super) body: String,
    pub(super) kind: Kind,
    pub(super) correlation_id: Option<String>,
    pub(super) steps: Vec<Step>,
}

impl EventContent {
    /// A message of the usual kind of this author.
    pub(super) fn plain(id: Option<MessageId>, from: Author, body: String) -> Self {
        let kind = usual_kind(from.author_type);
        Self { id, from, body, kind, correlation_id: None, steps: Vec::new() }
    }
}

impl EventType {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(|(_, event_type)| *event_type)
    }

    pub(super) fn name(self) -> &'static str {
        TYPES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// The type of an event that is decoded. A prompt of an unknown source was added by a program for the model;
    /// nobody posted it, so it is not decoded.
    pub(super) fn of(event: &Object<'_>, name: &str) -> Option<Self> {
        let source = || event.get("data").and_then(Json::as_object).and_then(|data| data.str("source"));
        let is_said =
            |known: &Self| *known != Self::UserMessage || source().is_none_or(|source| source_named(source).is_some());
        Self::from_name(name).filter(is_said)
    }
}

impl<'a> Event<'a> {
    /// Splits an event into its fields. A `null` is preserved and counts as absent.
    pub(super) fn open(
        event_type: EventType,
        mut top: Object<'a>,
        decode_context: &DecodeContext,
    ) -> Result<Self, Refusal> {
        let mut extras_field = Object::default();
        extras_field.set_some(extras::KEY, top.take(extras::KEY));
        top.take("type");
        let data = match top.take("data") {
            Some(Json::Object(data)) => data,
            None | Some(Json::Null) => return Err(fields::missing("data")),
            Some(other) => return Err(wrong_type("data", "an object", &other)),
        };
        let mut recorder = FieldRecorder::default();
        let (top, data) = (split_nulls(top, &mut recorder.event), split_nulls(data, &mut recorder.data));
        let mut event = Self {
            event_type,
            top,
            data,
            recorder,
            extras_field,
            session: None,
            at: decode_context.now,
            time: "".into(),
        };
        event.read_time()?;
        Ok(event)
    }

    /// Takes the message id from the data; an empty one is refused.
    pub(super) fn message_id(&mut self) -> Result<Option<MessageId>, Refusal> {
        let Some(text) = self.data.text("messageId").map_err(in_data)? else { return Ok(None) };
        if text.is_empty() {
            return Err(in_data(Refusal::invalid("this must not be empty").at("messageId")));
        }
        let id = native_id(&text);
        preserve_id_text(&mut self.recorder.data, "messageId", text, &id);
        Ok(Some(id))
    }

    /// Takes the id of an event that is a message itself. Without one, the id is derived from session, time and text,
    /// so that decoding is repeatable.
    pub(super) fn event_id(&mut self, content: &str) -> Result<MessageId, Refusal> {
        match self.top.text("id")? {
            Some(text) if !text.is_empty() => {
                let id = native_id(&text);
                preserve_id_text(&mut self.recorder.event, "id", text, &id);
                Ok(id)
            }
            given => {
                self.recorder.event.set_some("id", given);
                if !self.recorder.event.contains("id") {
                    self.recorder.absent.push("id");
                }
                let session = self.session.as_deref().unwrap_or_default();
                Ok(native_id(&[self.event_type.name(), session, &self.time, content].join("\n")))
            }
        }
    }

    /// Builds the item, with the preserved fields. Missing fields get default values.
    pub(super) fn into_item(self, frame: Frame, content: EventContent) -> Result<Item, Refusal> {
        let EventContent { id, from, body, kind, correlation_id, steps } = content;
        let (no_message, project, no_channel) = plain_ids();
        let to = self.session.as_deref().map_or_else(|| no_channel.clone(), native_id);
        let id = id.unwrap_or_else(|| no_message.clone());
        let mut message = Message::plain(id, project.clone(), to.into(), from, body, self.at);
        message.kind = kind;
        message.correlation_id = correlation_id;
        message.steps = steps;
        let Self { top, data, mut recorder, mut extras_field, .. } = self;
        preserve_rest(&mut recorder.event, top);
        preserve_rest(&mut recorder.data, data);
        recorder.store_in(&mut message);
        extras::take_and_restore(&mut message, &mut extras_field)?;
        Ok(Item { frame, message })
    }

    /// The agent of the session.
    pub(super) fn assistant(&self) -> Author {
        match self.session.as_deref() {
            Some(session) if !session.is_empty() => foreign_author(NAME, AuthorType::Agent, session, ""),
            _ => unnamed_assistant(),
        }
    }

    fn read_time(&mut self) -> Result<(), Refusal> {
        match self.top.text("timestamp")? {
            Some(text) => {
                self.at = fields::parse_time("timestamp", &text)?;
                if !is_canonical_time(&text, self.at) {
                    self.recorder.event.set("timestamp", text.clone());
                }
                self.time = text;
            }
            None if self.recorder.event.contains("timestamp") => (),
            None => self.recorder.absent.push("timestamp"),
        }
        Ok(())
    }
}

/// The agent of an unknown session.
pub(super) fn unnamed_assistant() -> Author {
    foreign_author(NAME, AuthorType::Agent, "assistant", "Assistant")
}

/// Whether the text equals the canonical text of the time; cheaper than formatting it.
fn is_canonical_time(text: &str, at: Timestamp) -> bool {
    let marks = [(4, b'-'), (10, b'T'), (19, b'.'), (23, b'Z')];
    let has_marks = text.len() == 24 && marks.iter().all(|(index, mark)| text.as_bytes()[*index] == *mark);
    // Leap seconds and times outside 1970 to 9999 are changed by decoding.
    let is_moved = at.as_millis() == 0 || text.starts_with("9999") || text.get(17..19) == Some("60");
    has_marks && !is_moved
}

/// The ids of a message without ids.
pub(super) fn plain_ids() -> &'static (MessageId, ProjectId, ChannelId) {
    use std::sync::LazyLock;
    static IDS: LazyLock<(MessageId, ProjectId, ChannelId)> =
        LazyLock::new(|| (MessageId::from_bits(0), ProjectId::from_bits(0), ChannelId::from_bits(0)));
    &IDS
}

pub(super) fn in_data(refusal: Refusal) -> Refusal {
    refusal.at("data")
}

/// Records the text of an id unless the id contains it.
fn preserve_id_text<'a, I: NativeId>(preserved: &mut Object<'a>, name: &'static str, text: Cow<'a, str>, id: &I) {
    if foreign_text(id) != text {
        preserved.set(name, text);
    }
}

fn preserve_rest<'a>(preserved: &mut Object<'a>, rest: Object<'a>) {
    if preserved.is_empty() {
        *preserved = rest;
    } else if !rest.is_empty() {
        // In one step: inserting each field would move those after it.
        *preserved = Object::from_unsorted(std::mem::take(preserved).into_iter().chain(rest).collect());
    }
}

/// Separates the fields that are `null`.
fn split_nulls<'a>(object: Object<'a>, nulls: &mut Object<'a>) -> Object<'a> {
    if !object.iter().any(|(_, value)| value.is_null()) {
        return object;
    }
    let (empty, filled): (Vec<_>, Vec<_>) = object.into_iter().partition(|(_, value)| value.is_null());
    *nulls = Object::from_unsorted(empty);
    Object::from_unsorted(filled)
}

/// Collects the fields that have no native counterpart. They are stored in the metadata under the name of the dialect.
#[derive(Debug, Default)]
pub(super) struct FieldRecorder<'a> {
    /// The type, if it is not the canonical one of the message.
    pub(super) event_type: Option<&'static str>,
    /// Fields of the socket frame.
    pub(super) socket: Object<'a>,
    pub(super) event: Object<'a>,
    pub(super) data: Object<'a>,
    /// Fields of each tool request.
    pub(super) requests: Vec<Object<'a>>,
    /// The prefix of an event without a source.
    pub(super) prefix: Option<String>,
    /// Canonical fields that the event does not have.
    pub(super) absent: Vec<&'static str>,
    /// Fields under their alternative names.
    pub(super) alternative_names: Vec<&'static str>,
}

/// The preserved fields of an event. Malformed ones are ignored: anybody can write metadata.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PreservedFields<'a> {
    fields: Option<&'a Map<String, Value>>,
    is_prefix_ignored: bool,
}

impl FieldRecorder<'_> {
    /// Stores the collected fields in the message, if there are any.
    pub(super) fn store_in(self, message: &mut Message) {
        let mut note = Map::new();
        put(&mut note, "type", self.event_type.map(Value::from));
        put(&mut note, "prefix", self.prefix.map(Value::String));
        put(&mut note, "socket", filled(self.socket));
        put(&mut note, "event", filled(self.event));
        put(&mut note, "data", filled(self.data));
        let has_requests = self.requests.iter().any(|rest| !rest.is_empty());
        put(&mut note, "requests", has_requests.then(|| self.requests.into_iter().map(Object::into_map).collect()));
        put(&mut note, "absent", (!self.absent.is_empty()).then(|| self.absent.into()));
        put(&mut note, "named", (!self.alternative_names.is_empty()).then(|| self.alternative_names.into()));
        if !note.is_empty() {
            message.metadata.insert(NAME.to_owned(), Value::Object(note));
        }
    }
}

impl<'a> PreservedFields<'a> {
    pub(super) fn of(message: &'a Message) -> Self {
        let fields = message.metadata.get(NAME).and_then(Value::as_object);
        Self { fields, is_prefix_ignored: false }
    }

    /// The same, with the source as a field instead of a prefix.
    pub(super) fn without_prefix(self) -> Self {
        Self { is_prefix_ignored: true, ..self }
    }

    pub(super) fn is_empty(self) -> bool {
        self.fields.is_none()
    }

    pub(super) fn event_type(self) -> Option<&'a str> {
        self.get("type")?.as_str()
    }

    pub(super) fn prefix(self) -> Option<&'a str> {
        self.get("prefix").filter(|_| !self.is_prefix_ignored)?.as_str()
    }

    pub(super) fn socket(self) -> Option<&'a Map<String, Value>> {
        self.get("socket")?.as_object()
    }

    pub(super) fn event(self) -> Option<&'a Map<String, Value>> {
        self.get("event")?.as_object()
    }

    pub(super) fn data(self) -> Option<&'a Map<String, Value>> {
        self.get("data")?.as_object()
    }

    pub(super) fn request(self, index: usize) -> Option<&'a Map<String, Value>> {
        self.get("requests")?.get(index)?.as_object()
    }

    /// Whether the event did not have this field.
    pub(super) fn is_absent(self, name: &str) -> bool {
        self.lists("absent", name)
    }

    pub(super) fn has_alternative_name(self, name: &str) -> bool {
        self.lists("named", name)
    }

    fn lists(self, list: &str, name: &str) -> bool {
        self.get(list).and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
    }

    fn get(self, name: &str) -> Option<&'a Value> {
        self.fields?.get(name)
    }
}

fn put(note: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        note.insert(name.to_owned(), value);
    }
}

fn filled(object: Object<'_>) -> Option<Value> {
    (!object.is_empty()).then(|| Value::Object(object.into_map()))
}
