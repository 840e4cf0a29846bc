//! The values of TKR fields: message types, senders, contents and times.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    message::{Kind, State},
    model_visibility::usual_kind,
};
use serde::Serialize;

use super::{NAME, wire::WireMessage};
use crate::{
    foreign_id::{foreign_author, foreign_author_id},
    json::{Json, Object, wrong_type},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageType {
    Text,
    AgentMessage,
    System,
    Error,
    ContextUpdate,
    TaskUpdate,
    Ping,
    Pong,
    /// Exists in the legacy form only; decoded in both, so that it survives a conversion.
    Ack,
}

impl MessageType {
    const ALL: [Self; 9] = [
        Self::Text,
        Self::AgentMessage,
        Self::System,
        Self::Error,
        Self::ContextUpdate,
        Self::TaskUpdate,
        Self::Ping,
        Self::Pong,
        Self::Ack,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::AgentMessage => "agent_message",
            Self::System => "system",
            Self::Error => "error",
            Self::ContextUpdate => "context_update",
            Self::TaskUpdate => "task_update",
            Self::Ping => "ping",
            Self::Pong => "pong",
            Self::Ack => "ack",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }

    /// Decodes the field `type`.
    pub(super) fn read(value: &Json<'_>) -> Result<Self, Refusal> {
        let Some(text) = value.as_str() else { return Err(wrong_type("type", "a string", value)) };
        Self::parse(text).ok_or_else(|| {
            let names = Self::ALL.map(|one| one.as_str().to_owned()).to_vec();
            Refusal::invalid("unknown type of a TKR message").at("type").proposing(names)
        })
    }

    /// Whether it is a heartbeat.
    pub(super) fn is_signal(self) -> bool {
        matches!(self, Self::Ping | Self::Pong | Self::Ack)
    }

    /// Whether its own fields are sufficient, so that it needs no text.
    pub(super) fn is_update(self) -> bool {
        matches!(self, Self::ContextUpdate | Self::TaskUpdate)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    User,
    Agent,
    /// The system. The original attributes such messages to the user.
    Nobody,
}

impl Sender {
    /// The sender of an author: programs of any type are agents.
    pub(super) fn of(author: &Author) -> Self {
        match author.author_type {
            AuthorType::Person => Self::User,
            AuthorType::Host | AuthorType::System => Self::Nobody,
            AuthorType::Agent | AuthorType::Applet | AuthorType::Scheduler | AuthorType::Tool => Self::Agent,
        }
    }

    /// The native author; `agent` is the id of the sending agent.
    pub(super) fn author(self, agent: &str) -> Author {
        match self {
            Self::User => foreign_author(NAME, AuthorType::Person, "user", "User"),
            Self::Agent => foreign_author(NAME, AuthorType::Agent, agent, agent),
            Self::Nobody => foreign_author(NAME, AuthorType::Host, "system", "TKR"),
        }
    }

    /// The message kind: notifications and messages of the system are for people only.
    pub(super) fn kind(self, message_type: MessageType) -> Kind {
        match self {
            _ if message_type == MessageType::System => Kind::Host,
            Self::User => usual_kind(AuthorType::Person),
            Self::Agent => usual_kind(AuthorType::Agent),
            Self::Nobody => usual_kind(AuthorType::Host),
        }
    }

    /// The message state: an error of a user or agent is a failed answer, one of the system is information.
    pub(super) fn state(self, message_type: MessageType, is_streaming: bool) -> State {
        match message_type {
            _ if is_streaming => State::Streaming,
            MessageType::Error if self != Self::Nobody => State::Failed,
            _ => State::Complete,
        }
    }

    /// The canonical type of its messages.
    pub(super) fn canonical_type(self, kind: Kind, state: State) -> MessageType {
        match self {
            Self::Nobody => MessageType::System,
            _ if state == State::Failed => MessageType::Error,
            _ if kind == Kind::Host => MessageType::System,
            _ => MessageType::Text,
        }
    }
}

/// The agent id of an author; never empty, because a message without an agent would be the system's.
pub(super) fn agent_id_text(author: &Author) -> &str {
    match foreign_author_id(NAME, author) {
        "" => "agent",
        id => id,
    }
}

/// The content of a message: a text or an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Object(Object<'a>),
}

impl<'a> Content<'a> {
    pub(super) fn read(name: &str, value: Json<'a>) -> Result<Self, Refusal> {
        match value {
            Json::Text(text) => Ok(Self::Text(text)),
            Json::Object(object) => Ok(Self::Object(object)),
            other => Err(wrong_type(name, "a string or an object", &other)),
        }
    }

    /// Whether a text only repeats the content: it is empty, its text, or its JSON.
    pub(super) fn is_repeated_by(&self, text: &str) -> bool {
        match self {
            Self::Text(content) => content == text,
            Self::Object(object) => {
                let is_same = |json: Json<'_>| matches!(json, Json::Object(text) if text == *object);
                text.is_empty() || readable_text(object) == text || serde_json::from_str(text).is_ok_and(is_same)
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }
}

impl<'a> From<Content<'a>> for Json<'a> {
    fn from(content: Content<'a>) -> Self {
        match content {
            Content::Text(text) => Self::Text(text),
            Content::Object(object) => Self::Object(object),
        }
    }
}

/// The readable text of an object: a text field, else all of it as JSON. Never empty.
pub(super) fn readable_text(object: &Object<'_>) -> String {
    let mut texts = ["text", "message", "content"].into_iter().filter_map(|name| object.str(name));
    texts.find(|text| !text.is_empty()).map_or_else(|| json_block(object), str::to_owned)
}

fn json_block(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("JSON can be written to memory");
    format!("```json\n{text}\n```")
}

/// The generated text of an update without a text.
pub(super) fn update_summary(message_type: MessageType, wire: &WireMessage<'_>) -> String {
    let value = |name| wire.specific.str(name);
    let (head, shown) = match message_type {
        MessageType::ContextUpdate => (format!("Context {}", value("context_id").unwrap_or_default()), "context_data"),
        _ => {
            let words: Vec<&str> = ["action", "status"].into_iter().filter_map(value).collect();
            let colon = if words.is_empty() { "" } else { ": " };
            let task = wire.task_id.as_deref().unwrap_or_default();
            (format!("Task {task}{colon}{}", words.join(", ")), "result")
        }
    };
    match wire.specific.get(shown) {
        None => head,
        Some(Json::Text(text)) => format!("{head}\n\n{text}"),
        Some(Json::Object(object)) => format!("{head}\n\n{}", readable_text(object)),
        Some(other) => format!("{head}\n\n{}", json_block(other)),
    }
}

/// The separators of a canonical time and their positions.
const MARKS: [(usize, u8); 7] = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.'), (23, b'Z')];

/// Parses a time; without a zone, as the server writes it, it is UTC.
pub(super) fn parse_time(name: &str, text: &str) -> Result<Timestamp, Refusal> {
    let moment = text.parse().or_else(|_: Refusal| format!("{text}Z").parse());
    // The refusal does not contain the text, which can be long.
    moment.map_err(|_: Refusal| {
        Refusal::invalid("this must be an ISO 8601 time such as 2023-05-01T12:34:56.789Z").at(name)
    })
}

/// Whether the text is the canonical one of its time.
pub(super) fn is_canonical_time(text: &str, moment: Timestamp) -> bool {
    has_canonical_shape(text) || text == moment.to_string()
}

/// Whether a valid time has the canonical shape; cheaper than formatting it. Only years at the ends of the range and
/// leap seconds are formatted differently.
fn has_canonical_shape(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 24
        && MARKS.iter().all(|&(index, mark)| bytes[index] == mark)
        && (b"1970"..=b"9998").contains(&bytes[..4].first_chunk::<4>().unwrap_or(b"0000"))
        && &bytes[17..19] != b"60"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(value: Value) -> String {
        readable_text(Json::from(value).as_object().expect("an object"))
    }

    fn text(value: Value) -> String {
        let wire = WireMessage::read(value.into()).expect("a message");
        update_summary(wire.message_type.expect("a type"), &wire)
    }

    #[test]
    fn the_readable_text_of_an_object_is_its_text_field() {
        assert_eq!(read(json!({"text": "Hi", "lang": "en"})), "Hi");
        assert_eq!(read(json!({"text": "", "message": "Hi"})), "Hi");
        assert_eq!(read(json!({"text": 5, "content": {"a": 1}})).lines().next(), Some("```json"));
        assert_eq!(read(json!({"a": 1})), "```json\n{\n  \"a\": 1\n}\n```");
        assert_eq!(read(json!({})), "```json\n{}\n```");
    }

    #[test]
    fn the_summary_of_an_update_names_its_subject() {
        let update = |rest: Value| {
            let mut update = json!({"type": "task_update", "task_id": "t-1"});
            update.as_object_mut().expect("an object").extend(rest.as_object().cloned().expect("an object"));
            text(update)
        };
        assert_eq!(update(json!({})), "Task t-1");
        assert_eq!(update(json!({"status": "done"})), "Task t-1: done");
        assert_eq!(update(json!({"action": "update", "status": "done"})), "Task t-1: update, done");
        assert_eq!(update(json!({"result": {"text": "42"}})), "Task t-1\n\n42");
        assert_eq!(update(json!({"result": [1]})), "Task t-1\n\n```json\n[\n  1\n]\n```");
        let context = json!({"type": "context_update", "context_id": "c", "context_data": "It rains."});
        assert_eq!(text(context), "Context c\n\nIt rains.");
    }

    #[test]
    fn a_time_without_a_zone_is_in_utc() {
        let zoned = parse_time("timestamp", "2025-05-02T12:00:00.123Z").expect("a time");
        assert_eq!(parse_time("timestamp", "2025-05-02T12:00:00.123456").expect("a time"), zoned);
        assert_eq!(parse_time("timestamp", "2025-05-02T14:00:00.123+02:00").expect("a time"), zoned);
    }

    #[test]
    fn an_invalid_time_is_refused_without_repeating_it() {
        for text in ["", "yesterday", "2025-05-02", "12:00", &"9".repeat(1_000_000)] {
            let refused = parse_time("timestamp", text).expect_err("no time");
            assert_eq!(refused.field.as_deref(), Some("timestamp"));
            assert!(refused.detail.len() < 200);
        }
    }

    #[test]
    fn times_in_another_format_are_not_canonical() {
        for text in [
            "2025-05-02T12:00:00Z",
            "2025-05-02T12:00:00.123456",
            "2025-05-02t12:00:00.123z",
            "1969-12-31T23:59:59.999Z",
            "2016-12-31T23:59:60.000Z",
            "9999-12-30T22:00:00.500Z",
        ] {
            let moment = parse_time("timestamp", text).expect("a time");
            assert!(!is_canonical_time(text, moment), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_time_is_canonical_if_it_is_formatted_the_same(
            text in "(19[67][0-9]|20[0-9]{2}|999[89])-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-5][0-9]:[0-6][0-9][.,][0-9]{3}[Zz]"
        ) {
            if let Ok(moment) = parse_time("timestamp", &text) {
                prop_assert_eq!(is_canonical_time(&text, moment), text == moment.to_string());
            }
        }
    }
}
