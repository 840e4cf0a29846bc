//! The rows of pynchy's table of messages.

use std::borrow::Cow;

use parlour_core::message::{Kind, Message};
use serde_json::{Map, Value};

use super::{
    KEY, NAME,
    columns::{Columns, truth},
    kept,
    metadata_text::MetadataColumn,
    place::ConversationKey,
    sender, time,
};
use crate::json::{Json, Object};

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
        let row = RowContent::at(message, &ConversationKey::of(message));
        let metadata = noted(message).into_map();
        Self {
            id: row.id.to_owned(),
            chat_jid: row.chat_jid.to_owned(),
            sender: row.sender.to_owned(),
            sender_name: row.sender_name.map(str::to_owned),
            content: row.content.to_owned(),
            timestamp: row.timestamp.into_owned(),
            is_from_me: row.is_from_me,
            message_type: row.message_type,
            metadata: (!metadata.is_empty()).then_some(metadata),
        }
    }

    /// The row as the database holds it: 0 and 1, and the metadata as JSON text.
    pub fn into_value(self) -> Value {
        let row = RowContent {
            id: &self.id,
            chat_jid: &self.chat_jid,
            sender: &self.sender,
            sender_name: self.sender_name.as_deref(),
            content: &self.content,
            timestamp: Cow::Borrowed(&self.timestamp),
            is_from_me: self.is_from_me,
            message_type: self.message_type,
        };
        let notes = MetadataColumn::new(self.metadata.as_ref().map(Object::of).unwrap_or_default(), None);
        let mut columns = Columns::of(row, None);
        columns.metadata = Some(notes.into_column(None));
        columns.into_json().into_value()
    }
}

/// What a row says of a message, save what is noted beside it; the texts are those of the message.
pub(super) struct RowContent<'a> {
    pub(super) id: &'a str,
    pub(super) chat_jid: &'a str,
    pub(super) sender: &'a str,
    pub(super) sender_name: Option<&'a str>,
    pub(super) content: &'a str,
    pub(super) timestamp: Cow<'a, str>,
    pub(super) is_from_me: bool,
    pub(super) message_type: Kind,
}

impl<'a> RowContent<'a> {
    /// What is said of a message of which it is known where it stands.
    pub(super) fn at(message: &'a Message, place: &ConversationKey<'a>) -> Self {
        let sender = sender::said(&message.from);
        let entry = |name| kept(message).and_then(|kept| kept.get(name));
        let is_unnamed = message.from.name == sender;
        let sender_name = match entry("sender_name") {
            Some(Value::Null) if is_unnamed => None,
            None if is_unnamed && is_absent(kept(message), "sender_name") => None,
            Some(Value::String(name)) if is_unnamed && name.is_empty() => Some(""),
            _ => Some(message.from.name.as_str()),
        };
        let timestamp = entry("timestamp").and_then(Value::as_str);
        let timestamp = timestamp.filter(|text| time::read(text) == Ok(message.created_at));
        let is_left_out = is_absent(kept(message), "is_from_me");
        let is_from_me = entry("is_from_me").and_then(|value| truth(&Json::of(value))).or(is_left_out.then_some(false));
        Self {
            id: place.id,
            chat_jid: place.chat_jid,
            sender,
            sender_name,
            content: &message.body,
            timestamp: timestamp.map_or_else(|| time::written(message.created_at).into(), Cow::Borrowed),
            is_from_me: is_from_me.unwrap_or_else(|| sender::is_usually_from_me(sender, message.kind)),
            message_type: message.kind,
        }
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
pub(super) fn noted(message: &Message) -> Object<'_> {
    let mut noted = Object::default();
    for (name, value) in message.metadata.iter().filter(|(name, _)| *name != NAME && *name != KEY) {
        noted.set(name.as_str(), Json::of(value));
    }
    noted.set_some(NAME, kept(message).and_then(|kept| kept.get(NAME)).map(Json::of));
    noted
}
