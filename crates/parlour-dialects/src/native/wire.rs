//! A fast path for lines without rare fields, and the check of field names.

use std::{fmt, marker::PhantomData};

use parlour_core::{
    Code, Refusal, Timestamp,
    author::{Author, AuthorType},
    conversation::ConversationType,
    id::{AgentId, ArtifactId, BatchId, ConversationId, MemberId, MessageId, ProjectId, TaskId, ThreadId},
    message::{Attachment, Importance, Kind, Message, MessageContext, State},
};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

use crate::{Item, fields::wrong_type};

/// Decodes a line that is a plain message; none if it needs [`super::decode()`].
pub(crate) fn decode_plain(line: &[u8]) -> Option<Item> {
    // Validating the whole line once is faster than validating each text.
    let ObjectOnly(plain) = serde_json::from_str::<ObjectOnly<PlainMessage>>(str::from_utf8(line).ok()?).ok()?;
    Some(Item::message(plain.into_message()))
}

/// A message without the fields whose nested names must be checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainMessage {
    id: MessageId,
    project_id: ProjectId,
    #[serde(rename = "type")]
    conversation_type: ConversationType,
    to: ConversationId,
    seq: u64,
    from: ObjectOnly<PlainAuthor>,
    kind: Kind,
    body: String,
    content: Option<Value>,
    #[serde(default)]
    mentions: Vec<MemberId>,
    #[serde(default)]
    calls: Vec<AgentId>,
    #[serde(default)]
    artifacts: Vec<ArtifactId>,
    #[serde(default)]
    attachments: Vec<ObjectOnly<Attachment>>,
    importance: Importance,
    blocking: bool,
    #[serde(default)]
    is_notice: bool,
    reply_to: Option<MessageId>,
    correlation_id: Option<String>,
    context: ObjectOnly<PlainContext>,
    state: State,
    reason: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
    created_at: Timestamp,
    edited_at: Option<Timestamp>,
    removed_at: Option<Timestamp>,
    thread_id: Option<ThreadId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainAuthor {
    #[serde(rename = "type")]
    author_type: AuthorType,
    id: Option<String>,
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainContext {
    project_id: ProjectId,
    task_id: Option<TaskId>,
    batch_id: Option<BatchId>,
}

impl PlainMessage {
    fn into_message(self) -> Message {
        let ObjectOnly(PlainAuthor { author_type, id, name }) = self.from;
        let ObjectOnly(PlainContext { project_id, task_id, batch_id }) = self.context;
        let author = Author { author_type, id, name };
        let plain = Message::plain(self.id, self.project_id, self.to, author, self.body, self.created_at);
        Message {
            conversation_type: self.conversation_type,
            seq: self.seq,
            kind: self.kind,
            content: self.content,
            mentions: self.mentions,
            calls: self.calls,
            artifacts: self.artifacts,
            attachments: self.attachments.into_iter().map(|ObjectOnly(attachment)| attachment).collect(),
            importance: self.importance,
            blocking: self.blocking,
            is_notice: self.is_notice,
            reply_to: self.reply_to,
            correlation_id: self.correlation_id,
            context: MessageContext { project_id, task_id, batch_id },
            state: self.state,
            reason: self.reason,
            metadata: self.metadata,
            edited_at: self.edited_at,
            removed_at: self.removed_at,
            thread_id: self.thread_id,
            ..plain
        }
    }
}

/// A value that is deserialised from an object only. Serde would accept a list of the values too.
struct ObjectOnly<T>(T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for ObjectOnly<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(ObjectOnlyVisitor(PhantomData)).map(ObjectOnly)
    }
}

struct ObjectOnlyVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for ObjectOnlyVisitor<T> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// The fields of a message, sorted.
pub(super) const FIELDS: &[&str] = &[
    "answer_to",
    "artifacts",
    "attachments",
    "blocking",
    "body",
    "calls",
    "cause",
    "content",
    "context",
    "correlation_id",
    "created_at",
    "edited_at",
    "from",
    "held",
    "id",
    "importance",
    "is_notice",
    "kind",
    "mentions",
    "metadata",
    "project_id",
    "question",
    "reactions",
    "reason",
    "removed_at",
    "reply_to",
    "seq",
    "state",
    "steps",
    "thread_id",
    "to",
    "type",
    "usage",
];
const AUTHOR_FIELDS: &[&str] = &["id", "name", "type"];
const CONTEXT_FIELDS: &[&str] = &["batch_id", "project_id", "task_id"];

/// Refuses a field that a message does not have.
pub(super) fn check_field_names(fields: &Map<String, Value>) -> Result<(), Refusal> {
    check_among(fields, FIELDS)?;
    for (name, known) in [("from", AUTHOR_FIELDS), ("context", CONTEXT_FIELDS)] {
        match fields.get(name) {
            Some(Value::Object(inner)) => check_among(inner, known).map_err(|refusal| refusal.at(name))?,
            // An author can be an id.
            None | Some(Value::Null | Value::String(_)) => {}
            Some(other) => return Err(wrong_type(name, "an object", other)),
        }
    }
    Ok(())
}

/// Refuses unknown names inside rare fields.
pub(super) fn check_nested_names(value: &Value, message: &Message) -> Result<(), Refusal> {
    check_preserved(value, "answer_to", &message.answer_to)?;
    check_preserved(value, "attachments", &message.attachments)?;
    check_preserved(value, "cause", &message.cause)?;
    check_preserved(value, "held", &message.held)?;
    check_preserved(value, "question", &message.question)?;
    check_preserved(value, "reactions", &message.reactions)?;
    check_preserved(value, "steps", &message.steps)?;
    check_preserved(value, "usage", &message.usage)
}

fn check_among(fields: &Map<String, Value>, known: &[&str]) -> Result<(), Refusal> {
    let unknown = fields.keys().find(|name| known.binary_search(&name.as_str()).is_err());
    unknown.map_or(Ok(()), |name| Err(unknown_name(name, known)))
}

fn unknown_name(name: &str, known: &[&str]) -> Refusal {
    let near = |other: &&&str| other.chars().next() == name.chars().next();
    let candidates = known.iter().filter(near).map(|name| (*name).to_owned()).collect();
    let detail = "unknown field of a message; a newer version may have written it, and decoding would lose it";
    Refusal::new(Code::UnknownField, detail).at(name).proposing(candidates)
}

/// Compares the input with the serialised field.
fn check_preserved(value: &Value, name: &str, preserved: &impl Serialize) -> Result<(), Refusal> {
    let Some(given) = value.get(name) else { return Ok(()) };
    let preserved = serde_json::to_value(preserved).expect("fields of a message are plain data");
    lost_field(given, &preserved).map_or(Ok(()), |refusal| Err(refusal.at(name)))
}

fn lost_field(given: &Value, preserved: &Value) -> Option<Refusal> {
    match (given, preserved) {
        (Value::Object(given), Value::Object(preserved)) => {
            given.iter().find_map(|(name, value)| match preserved.get(name) {
                // A default value is not serialised; nothing is lost.
                None if is_default_value(value) => None,
                None => Some(unknown_name(name, &[])),
                Some(preserved) => lost_field(value, preserved).map(|refusal| refusal.at(name)),
            })
        }
        // Serde accepts a list as the values of an object.
        (Value::Array(_), Value::Object(_)) => Some(Refusal::invalid("this must be an object, not an array")),
        (Value::Array(given), Value::Array(preserved)) => {
            given.iter().zip(preserved).find_map(|(given, preserved)| lost_field(given, preserved))
        }
        _ => None,
    }
}

fn is_default_value(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(boolean) => !boolean,
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_names_are_sorted_and_known() {
        assert!(FIELDS.is_sorted() && AUTHOR_FIELDS.is_sorted() && CONTEXT_FIELDS.is_sorted());
        let is_unknown = |name: &str| {
            let extras = Map::from_iter([(name.to_owned(), Value::from(-0.5))]);
            let mut message = crate::Item::signal("x", Value::Null, parlour_core::Timestamp::from_millis(0)).message;
            let restored = crate::extras::restore(&mut message, extras);
            restored.is_err_and(|refusal| refusal.detail.contains("unknown field"))
        };
        assert!(is_unknown("nonsense"));
        assert_eq!(FIELDS.iter().find(|name| is_unknown(name)), None);
    }

    #[test]
    fn an_unknown_name_inside_a_list_is_found() {
        let (given, preserved) = (serde_json::json!([{"a": 1, "b": 2}]), serde_json::json!([{"a": 1}]));
        assert_eq!(lost_field(&given, &preserved).and_then(|refusal| refusal.field).as_deref(), Some("b"));
        assert_eq!(lost_field(&preserved, &given), None);
    }
}
