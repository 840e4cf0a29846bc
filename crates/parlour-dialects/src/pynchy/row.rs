//! The rows of pynchy's table of messages.

use parlour_core::{
    Refusal,
    author::AuthorType,
    message::{Kind, Message},
};
use serde_json::{Map, Value};

use super::{
    KEY, NAME, chat_jid, column,
    column::{FORM, TEXT},
    kept, row_id, said, sender, time,
};
use crate::fields::{Fields, missing, wrong};

/// The columns that a row may leave out, or leave empty.
const OPTIONAL: [&str; 4] = ["sender_name", "is_from_me", "message_type", "metadata"];
/// All columns.
const COLUMNS: [&str; 9] =
    ["id", "chat_jid", "sender", "sender_name", "content", "timestamp", "is_from_me", "message_type", "metadata"];
/// The names of the kinds there.
const TYPES: [(&str, Kind); 5] = [
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
        let sender = sender::said(&message.from);
        let chat_jid = chat_jid(message);
        let entry = |name| kept(message).and_then(|kept| kept.get(name));
        let text = |name| entry(name).and_then(Value::as_str);
        let id = text("id").filter(|id| row_id(id, chat_jid) == message.id).unwrap_or_else(|| said(&message.id));
        let is_unnamed = message.from.name == sender;
        let sender_name = match entry("sender_name") {
            Some(Value::Null) if is_unnamed => None,
            None if is_unnamed && is_absent(kept(message), "sender_name") => None,
            Some(Value::String(name)) if is_unnamed && name.is_empty() => Some(String::new()),
            _ => Some(message.from.name.clone()),
        };
        let timestamp = text("timestamp").filter(|text| time::read(text) == Ok(message.created_at));
        let is_left_out = is_absent(kept(message), "is_from_me");
        let is_from_me = entry("is_from_me").and_then(truth).or(is_left_out.then_some(false));
        Self {
            id: id.to_owned(),
            chat_jid: chat_jid.to_owned(),
            sender_name,
            content: message.body.clone(),
            timestamp: timestamp.map_or_else(|| time::written(message.created_at), str::to_owned),
            is_from_me: is_from_me.unwrap_or_else(|| is_usually_from_me(sender, message.kind)),
            message_type: message.kind,
            metadata: noted(message),
            sender: sender.to_owned(),
        }
    }

    /// The row as the database holds it: 0 and 1, and the metadata as JSON text.
    pub fn into_value(self) -> Value {
        write(self, None)
    }
}

/// The name of a kind there.
pub(super) fn type_name(kind: Kind) -> &'static str {
    TYPES.iter().find(|(_, known)| *known == kind).map_or("host", |(name, _)| name)
}

/// Reads a row, and what its spelling says beyond it.
pub(super) fn read(value: Value) -> Result<(Row, Map<String, Value>), Refusal> {
    let mut fields = Fields::of(value, "a row of pynchy")?;
    let mut kept = Map::new();
    let absent: Vec<Value> =
        OPTIONAL.iter().filter(|name| fields.peek(name).is_none()).map(|name| (*name).into()).collect();
    for name in ["sender_name", "is_from_me", "message_type"] {
        if fields.peek(name).is_some_and(Value::is_null) {
            kept.insert(name.to_owned(), Value::Null);
        }
    }
    if !absent.is_empty() {
        kept.insert("absent".to_owned(), absent.into());
    }
    let id = key(&mut fields, "id")?;
    let chat_jid = key(&mut fields, "chat_jid")?;
    let sender = fields.required_text("sender")?;
    let sender_name = fields.text("sender_name")?;
    if sender_name.as_deref() == Some("") {
        kept.insert("sender_name".to_owned(), String::new().into());
    }
    let message_type = read_type(&mut fields)?;
    let is_from_me = read_from_me(&mut fields, is_usually_from_me(&sender, message_type), &mut kept)?;
    let row = Row {
        id,
        chat_jid,
        sender,
        sender_name,
        content: fields.required_text("content")?,
        timestamp: fields.required_text("timestamp")?,
        is_from_me,
        message_type,
        metadata: column::read(fields.any("metadata"), &mut kept)?,
    };
    let more = fields.rest();
    if !more.is_empty() {
        kept.insert("more".to_owned(), more.into());
    }
    Ok((row, kept))
}

/// Writes a row, in the spelling that was kept of it where that still says the same.
pub(super) fn write(row: Row, kept: Option<&Map<String, Value>>) -> Value {
    let entry = |name| kept.and_then(|kept| kept.get(name));
    let is_left_out = |name, is_default: bool| is_default && is_absent(kept, name);
    let mut columns = Map::new();
    if let Some(Value::Object(more)) = entry("more") {
        let others = more.iter().filter(|(name, _)| !COLUMNS.contains(&name.as_str()));
        columns.extend(others.map(|(name, value)| (name.clone(), value.clone())));
    }
    let mut set = |name: &str, value: Value| drop(columns.insert(name.to_owned(), value));
    if !is_left_out("sender_name", row.sender_name.is_none()) {
        set("sender_name", row.sender_name.into());
    }
    if !is_left_out("is_from_me", !row.is_from_me) {
        let spelled = entry("is_from_me").filter(|spelled| truth(spelled) == Some(row.is_from_me));
        set("is_from_me", spelled.cloned().unwrap_or_else(|| u8::from(row.is_from_me).into()));
    }
    let is_user = row.message_type == Kind::User;
    if !is_left_out("message_type", is_user) {
        let is_null = is_user && entry("message_type").is_some_and(Value::is_null);
        set("message_type", if is_null { Value::Null } else { type_name(row.message_type).into() });
    }
    let metadata = column::write(row.metadata, entry(TEXT), entry(FORM));
    if !is_left_out("metadata", metadata.is_null()) {
        set("metadata", metadata);
    }
    set("id", row.id.into());
    set("chat_jid", row.chat_jid.into());
    set("sender", row.sender.into());
    set("content", row.content.into());
    set("timestamp", row.timestamp.into());
    columns.into()
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

fn key(fields: &mut Fields, name: &str) -> Result<String, Refusal> {
    fields.required_text(name).and_then(|text| if text.is_empty() { Err(missing(name)) } else { Ok(text) })
}

fn read_type(fields: &mut Fields) -> Result<Kind, Refusal> {
    let Some(text) = fields.text("message_type")? else { return Ok(Kind::User) };
    let known = TYPES.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind);
    known.ok_or_else(|| {
        let names = TYPES.map(|(name, _)| name);
        let refusal = Refusal::out_of_bounds(format!("this must be one of {}", names.join(", ")));
        refusal.proposing(names.map(str::to_owned).to_vec()).at("message_type")
    })
}

/// Whether pynchy sent it. What is neither the usual answer for this sender nor spelled 0 or 1 is kept.
fn read_from_me(fields: &mut Fields, usual: bool, kept: &mut Map<String, Value>) -> Result<bool, Refusal> {
    let Some(value) = fields.any("is_from_me") else { return Ok(false) };
    let Some(is_from_me) = truth(&value) else { return Err(wrong("is_from_me", "0 or 1", &value)) };
    if value.is_boolean() || is_from_me != usual {
        kept.insert("is_from_me".to_owned(), value);
    }
    Ok(is_from_me)
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(is_so) => Some(*is_so),
        Value::Null => Some(false),
        other => other.as_u64().filter(|number| *number < 2).map(|number| number == 1),
    }
}

fn is_usually_from_me(sender: &str, kind: Kind) -> bool {
    sender::author_type(sender, kind) != AuthorType::Person
}

fn is_absent(kept: Option<&Map<String, Value>>, name: &str) -> bool {
    let absent = kept.and_then(|kept| kept.get("absent")).and_then(Value::as_array);
    absent.is_some_and(|absent| absent.iter().any(|entry| entry == name))
}
