//! The rows of pynchy's table of messages.

use parlour_core::message::{Kind, Message};
use serde_json::{Map, Value};

use super::{
    KEY, NAME,
    columns::{Columns, truth},
    kept,
    place::Place,
    sender, time,
};

/// The names of the kinds there.
pub(super) const TYPES: [(&str, Kind); 5] = [
    ("user", Kind::User),
    ("assistant", Kind::Assistant),
    ("system", Kind::System),
    ("tool_result", Kind::ToolResult),
    ("host", Kind::Host),
];

/// One row: what pynchy stores of a message. An id is unique in its chat only.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The id, for example `host-1771146720000`.
    pub id: String,
    /// The chat, for example `120363@g.us`.
    pub chat_jid: String,
    /// Who wrote it: a word such as `bot`, or the id that the channel has for somebody.
    pub sender: String,
    /// The name to show.
    pub sender_name: Option<String>,
    /// The text.
    pub content: String,
    /// When it was written, as ISO 8601.
    pub timestamp: String,
    /// Whether pynchy itself sent it.
    pub is_from_me: bool,
    /// What it is to a model.
    pub message_type: Kind,
    /// What is noted beside it.
    pub metadata: Option<Map<String, Value>>,
}

impl Row {
    /// The row for a message, as far as a row can say it.
    pub fn of(message: &Message) -> Self {
        Self::at(message, &Place::of(message))
    }

    /// The row for a message of which it is known where it stands.
    pub(super) fn at(message: &Message, place: &Place) -> Self {
        let sender = sender::said(&message.from);
        let entry = |name| kept(message).and_then(|kept| kept.get(name));
        let is_unnamed = message.from.name == sender;
        let sender_name = match entry("sender_name") {
            Some(Value::Null) if is_unnamed => None,
            None if is_unnamed && is_absent(kept(message), "sender_name") => None,
            Some(Value::String(name)) if is_unnamed && name.is_empty() => Some(String::new()),
            _ => Some(message.from.name.clone()),
        };
        let timestamp = entry("timestamp").and_then(Value::as_str);
        let timestamp = timestamp.filter(|text| time::read(text) == Ok(message.created_at));
        let is_left_out = is_absent(kept(message), "is_from_me");
        let is_from_me = entry("is_from_me").and_then(truth).or(is_left_out.then_some(false));
        Self {
            id: place.id.to_owned(),
            chat_jid: place.chat_jid.to_owned(),
            sender_name,
            content: message.body.clone(),
            timestamp: timestamp.map_or_else(|| time::written(message.created_at), str::to_owned),
            is_from_me: is_from_me.unwrap_or_else(|| sender::is_usually_from_me(sender, message.kind)),
            message_type: message.kind,
            metadata: noted(message),
            sender: sender.to_owned(),
        }
    }

    /// The row as the database holds it: 0 and 1, and the metadata as JSON text.
    pub fn into_value(self) -> Value {
        Columns::of(self, None).into_value()
    }
}

/// The name of a kind there.
pub(super) fn type_name(kind: Kind) -> &'static str {
    TYPES.iter().find(|(_, known)| *known == kind).map_or("host", |(name, _)| name)
}

/// Whether it was kept that a column was left out.
pub(super) fn is_absent(kept: Option<&Map<String, Value>>, name: &str) -> bool {
    let absent = kept.and_then(|kept| kept.get("absent")).and_then(Value::as_array);
    absent.is_some_and(|absent| absent.iter().any(|entry| entry == name))
}

/// What is noted beside a message, without what the dialects keep for themselves.
fn noted(message: &Message) -> Option<Map<String, Value>> {
    let others = message.metadata.iter().filter(|(name, _)| *name != NAME && *name != KEY);
    let mut noted: Map<_, _> = others.map(|(name, value)| (name.clone(), value.clone())).collect();
    if let Some(own) = kept(message).and_then(|kept| kept.get(NAME)) {
        noted.insert(NAME.to_owned(), own.clone());
    }
    (!noted.is_empty()).then_some(noted)
}
