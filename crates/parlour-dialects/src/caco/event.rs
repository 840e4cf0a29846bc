//! The events that mean something outside Caco, and reading what all of them have.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    message::{Kind, Message},
    model_visibility::usual_kind,
    step::Step,
};

use super::{NAME, kept::FieldRecorder, source::source_named};
use crate::{
    DecodeContext, Frame, Item, extras, fields,
    foreign_author::foreign_author,
    foreign_id::{MappedId, mapped, said},
    json::{Json, Object, wrong},
};

/// The event types that are read. All others are signals.
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

/// An event while it is read: what was not read yet, and what is kept of what was.
pub(super) struct Event<'a> {
    pub(super) event_type: EventType,
    pub(super) top: Object<'a>,
    pub(super) data: Object<'a>,
    pub(super) keeping: FieldRecorder<'a>,
    /// What only a native message can say.
    beside: Object<'a>,
    pub(super) session: Option<Cow<'a, str>>,
    pub(super) at: Timestamp,
    /// The time as it was written, empty when it was not.
    time: Cow<'a, str>,
}

/// What an event says of a message.
pub(super) struct EventContent {
    pub(super) id: Option<MessageId>,
    pub(super) from: Author,
    pub(super) body: String,
    pub(super) kind: Kind,
    pub(super) correlation_id: Option<String>,
    pub(super) steps: Vec<Step>,
}

impl EventContent {
    /// Something said by this author, of the usual kind.
    pub(super) fn plain(id: Option<MessageId>, from: Author, body: String) -> Self {
        let kind = usual_kind(from.author_type);
        Self { id, from, body, kind, correlation_id: None, steps: Vec::new() }
    }
}

impl EventType {
    pub(super) fn named(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(|(_, event_type)| *event_type)
    }

    pub(super) fn name(self) -> &'static str {
        TYPES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Whether this is an event to read. A prompt of a source that is not known was put in by a program for the model:
    /// nobody said it, so it is none.
    pub(super) fn of(event: &Object<'_>, name: &str) -> Option<Self> {
        let source = || event.get("data").and_then(Json::as_object).and_then(|data| data.str("source"));
        let is_said =
            |known: &Self| *known != Self::UserMessage || source().is_none_or(|source| source_named(source).is_some());
        Self::named(name).filter(is_said)
    }
}

impl<'a> Event<'a> {
    /// Takes an event apart: its data and its time. What is `null` is kept, and counts as absent.
    pub(super) fn open(event_type: EventType, mut top: Object<'a>, scene: &DecodeContext) -> Result<Self, Refusal> {
        let mut beside = Object::default();
        beside.set_some(extras::KEY, top.take(extras::KEY));
        top.take("type");
        let data = match top.take("data") {
            Some(Json::Object(data)) => data,
            None | Some(Json::Null) => return Err(fields::missing("data")),
            Some(other) => return Err(wrong("data", "an object", &other)),
        };
        let mut keeping = FieldRecorder::default();
        let (top, data) = (split(top, &mut keeping.event), split(data, &mut keeping.data));
        let mut event = Self { event_type, top, data, keeping, beside, session: None, at: scene.now, time: "".into() };
        event.read_time()?;
        Ok(event)
    }

    /// Takes the id that the data give the message; an empty one is refused.
    pub(super) fn message_id(&mut self) -> Result<Option<MessageId>, Refusal> {
        let Some(text) = self.data.text("messageId").map_err(in_data)? else { return Ok(None) };
        if text.is_empty() {
            return Err(in_data(Refusal::invalid("this must not be empty").at("messageId")));
        }
        let id = mapped(&text);
        keep_unsaid(&mut self.keeping.data, "messageId", text, &id);
        Ok(Some(id))
    }

    /// Takes the id of an event that is the message itself. One without an id is known by its session, time and text, so
    /// that it is the same message whenever it is read.
    pub(super) fn event_id(&mut self, content: &str) -> Result<MessageId, Refusal> {
        match self.top.text("id")? {
            Some(text) if !text.is_empty() => {
                let id = mapped(&text);
                keep_unsaid(&mut self.keeping.event, "id", text, &id);
                Ok(id)
            }
            given => {
                self.keeping.event.set_some("id", given);
                if !self.keeping.event.contains("id") {
                    self.keeping.absent.push("id");
                }
                let session = self.session.as_deref().unwrap_or_default();
                Ok(mapped(&[self.event_type.name(), session, &self.time, content].join("\n")))
            }
        }
    }

    /// The item that this event tells, with what is kept of it; all that it does not tell has its plain value.
    pub(super) fn into_item(self, frame: Frame, said: EventContent) -> Result<Item, Refusal> {
        let EventContent { id, from, body, kind, correlation_id, steps } = said;
        let (no_message, project, no_channel) = plain_ids();
        let to = self.session.as_deref().map_or_else(|| no_channel.clone(), mapped);
        let id = id.unwrap_or_else(|| no_message.clone());
        let mut message = Message::plain(id, project.clone(), to.into(), from, body, self.at);
        message.kind = kind;
        message.correlation_id = correlation_id;
        message.steps = steps;
        let Self { top, data, mut keeping, mut beside, .. } = self;
        keep_rest(&mut keeping.event, top);
        keep_rest(&mut keeping.data, data);
        keeping.note_in(&mut message);
        extras::take_back(&mut message, &mut beside)?;
        Ok(Item { frame, message })
    }

    /// The agent of the session that the event stands in.
    pub(super) fn assistant(&self) -> Author {
        match self.session.as_deref() {
            Some(session) if !session.is_empty() => foreign_author(NAME, AuthorType::Agent, session, ""),
            _ => unnamed_assistant(),
        }
    }

    fn read_time(&mut self) -> Result<(), Refusal> {
        match self.top.text("timestamp")? {
            Some(text) => {
                self.at = fields::time("timestamp", &text)?;
                if !is_usual_time(&text, self.at) {
                    self.keeping.event.set("timestamp", text.clone());
                }
                self.time = text;
            }
            None if self.keeping.event.contains("timestamp") => (),
            None => self.keeping.absent.push("timestamp"),
        }
        Ok(())
    }
}

/// The agent of a session that is not told.
pub(super) fn unnamed_assistant() -> Author {
    foreign_author(NAME, AuthorType::Agent, "assistant", "Assistant")
}

/// Whether a time is written as this very text, as it almost always is: that is seen without writing it.
fn is_usual_time(text: &str, at: Timestamp) -> bool {
    let marks = [(4, b'-'), (10, b'T'), (19, b'.'), (23, b'Z')];
    let has_marks = text.len() == 24 && marks.iter().all(|(place, mark)| text.as_bytes()[*place] == *mark);
    // A leap second and what lies before 1970 or at the end of time is moved when it is read.
    let is_moved = at.as_millis() == 0 || text.starts_with("9999") || text.get(17..19) == Some("60");
    has_marks && !is_moved
}

/// The ids of a message that nothing is known of.
pub(super) fn plain_ids() -> &'static (MessageId, ProjectId, ChannelId) {
    use std::sync::LazyLock;
    static IDS: LazyLock<(MessageId, ProjectId, ChannelId)> =
        LazyLock::new(|| (MessageId::from_bits(0), ProjectId::from_bits(0), ChannelId::from_bits(0)));
    &IDS
}

/// Says that a field stands in the data of an event.
pub(super) fn in_data(refusal: Refusal) -> Refusal {
    refusal.at("data")
}

/// Keeps the text that an id was made of, unless the id gives it back.
fn keep_unsaid<'a, I: MappedId>(kept: &mut Object<'a>, name: &'static str, text: Cow<'a, str>, id: &I) {
    if said(id) != text {
        kept.set(name, text);
    }
}

/// Keeps what was not read, too.
fn keep_rest<'a>(kept: &mut Object<'a>, rest: Object<'a>) {
    if kept.is_empty() {
        *kept = rest;
    } else if !rest.is_empty() {
        // All at once: one by one, each would move those behind it.
        *kept = Object::gathered(std::mem::take(kept).into_iter().chain(rest).collect());
    }
}

/// The fields of an object; those that are `null` are kept apart.
fn split<'a>(object: Object<'a>, nulls: &mut Object<'a>) -> Object<'a> {
    if !object.iter().any(|(_, value)| value.is_null()) {
        return object;
    }
    let (empty, filled): (Vec<_>, Vec<_>) = object.into_iter().partition(|(_, value)| value.is_null());
    *nulls = Object::gathered(empty);
    Object::gathered(filled)
}
