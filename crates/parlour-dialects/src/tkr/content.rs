//! What a message says: a text, or an object with a text that people can read.

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::{message_type::MessageType, wire::Wire};
use crate::fields::wrong;

/// The content of a message. Lists and numbers are none.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    Text(String),
    Object(Map<String, Value>),
}

impl Content {
    /// Reads a content; `name` is where it stood.
    pub(super) fn read(name: &str, value: Value) -> Result<Self, Refusal> {
        match value {
            Value::String(text) => Ok(Self::Text(text)),
            Value::Object(object) => Ok(Self::Object(object)),
            other => Err(wrong(name, "a text or an object", &other)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }
}

impl From<Content> for Value {
    fn from(content: Content) -> Self {
        match content {
            Content::Text(text) => Self::String(text),
            Content::Object(object) => Self::Object(object),
        }
    }
}

/// An object as people read it: the text in it where there is one, else all of it. Never empty.
pub(super) fn readable(object: &Map<String, Value>) -> String {
    let texts = ["text", "message", "content"].into_iter().filter_map(|name| object.get(name)?.as_str());
    let text = texts.into_iter().find(|text| !text.is_empty());
    text.map_or_else(|| format!("```json\n{:#}\n```", Value::Object(object.clone())), str::to_owned)
}

/// An update that brings no text, as people read it.
pub(super) fn summary(message_type: MessageType, wire: &Wire) -> String {
    let said = |name| wire.specific.get(name).and_then(Value::as_str);
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
        Some(Value::String(text)) => format!("{head}\n\n{text}"),
        Some(Value::Object(object)) => format!("{head}\n\n{}", readable(object)),
        Some(other) => format!("{head}\n\n```json\n{other:#}\n```"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> String {
        readable(value.as_object().expect("an object"))
    }

    fn told(value: Value) -> String {
        let wire = Wire::read(value).expect("a message");
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
