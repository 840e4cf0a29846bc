//! What a message says: a text, or an object with a text that people can read.

use std::borrow::Cow;

use parlour_core::Refusal;
use serde::Serialize;

use super::{message_type::MessageType, wire::Wire};
use crate::json::{Json, Object, wrong};

/// The content of a message. Lists and numbers are none.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Object(Object<'a>),
}

impl<'a> Content<'a> {
    /// Reads a content; `name` is where it stood.
    pub(super) fn read(name: &str, value: Json<'a>) -> Result<Self, Refusal> {
        match value {
            Json::Text(text) => Ok(Self::Text(text)),
            Json::Object(object) => Ok(Self::Object(object)),
            other => Err(wrong(name, "a text or an object", &other)),
        }
    }

    /// Whether a text beside it says nothing else: nothing at all, its text, or all of its JSON.
    pub(super) fn is_told_by(&self, text: &str) -> bool {
        match self {
            Self::Text(content) => content == text,
            Self::Object(object) => {
                let is_same = |json: Json<'_>| matches!(json, Json::Object(told) if told == *object);
                text.is_empty() || readable(object) == text || serde_json::from_str(text).is_ok_and(is_same)
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

/// An object as people read it: the text in it where there is one, else all of it. Never empty.
pub(super) fn readable(object: &Object<'_>) -> String {
    let mut texts = ["text", "message", "content"].into_iter().filter_map(|name| object.str(name));
    texts.find(|text| !text.is_empty()).map_or_else(|| block(object), str::to_owned)
}

/// A value as people read it when there is no text in it.
fn block(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("JSON can be written to memory");
    format!("```json\n{text}\n```")
}

/// An update that brings no text, as people read it.
pub(super) fn summary(message_type: MessageType, wire: &Wire<'_>) -> String {
    let said = |name| wire.specific.str(name);
    let (head, shown) = match message_type {
        MessageType::ContextUpdate => (format!("Context {}", said("context_id").unwrap_or_default()), "context_data"),
        _ => {
            let words: Vec<&str> = ["action", "status"].into_iter().filter_map(said).collect();
            let colon = if words.is_empty() { "" } else { ": " };
            let task = wire.task_id.as_deref().unwrap_or_default();
            (format!("Task {task}{colon}{}", words.join(", ")), "result")
        }
    };
    match wire.specific.get(shown) {
        None => head,
        Some(Json::Text(text)) => format!("{head}\n\n{text}"),
        Some(Json::Object(object)) => format!("{head}\n\n{}", readable(object)),
        Some(other) => format!("{head}\n\n{}", block(other)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(value: Value) -> String {
        readable(Json::from(value).as_object().expect("an object"))
    }

    fn told(value: Value) -> String {
        let wire = Wire::read(value.into()).expect("a message");
        summary(wire.message_type.expect("a type"), &wire)
    }

    #[test]
    fn the_text_in_an_object_is_what_people_read() {
        assert_eq!(read(json!({"text": "Hi", "lang": "en"})), "Hi");
        assert_eq!(read(json!({"text": "", "message": "Hi"})), "Hi");
        assert_eq!(read(json!({"text": 5, "content": {"a": 1}})).lines().next(), Some("```json"));
        assert_eq!(read(json!({"a": 1})), "```json\n{\n  \"a\": 1\n}\n```");
        assert_eq!(read(json!({})), "```json\n{}\n```");
    }

    #[test]
    fn updates_tell_what_they_are_about() {
        let update = |rest: Value| {
            let mut update = json!({"type": "task_update", "task_id": "t-1"});
            update.as_object_mut().expect("an object").extend(rest.as_object().cloned().expect("an object"));
            told(update)
        };
        assert_eq!(update(json!({})), "Task t-1");
        assert_eq!(update(json!({"status": "done"})), "Task t-1: done");
        assert_eq!(update(json!({"action": "update", "status": "done"})), "Task t-1: update, done");
        assert_eq!(update(json!({"result": {"text": "42"}})), "Task t-1\n\n42");
        assert_eq!(update(json!({"result": [1]})), "Task t-1\n\n```json\n[\n  1\n]\n```");
        let context = json!({"type": "context_update", "context_id": "c", "context_data": "It rains."});
        assert_eq!(told(context), "Context c\n\nIt rains.");
    }
}
