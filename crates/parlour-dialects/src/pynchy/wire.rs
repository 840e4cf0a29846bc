//! The rows of pynchy's message table: columns, senders and times.

use std::{borrow::Cow, fmt::Write, sync::LazyLock};

use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    id::ProjectId,
    message::{Kind, Message},
};
use serde_json::{Map, Value, json};

use super::{
    NAME,
    decode::{DecodedRow, RowKey},
    metadata::MetadataColumn,
};
use crate::{
    extras::KEY,
    fields::missing,
    json::{Json, Object, wrong_type},
};

/// The names of the kinds.
pub(super) const TYPES: [(&str, Kind); 5] = [
    ("user", Kind::User),
    ("assistant", Kind::Assistant),
    ("system", Kind::System),
    ("tool_result", Kind::ToolResult),
    ("host", Kind::Host),
];

/// One row. An id is unique in its chat only.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// For example `host-1771146720000`.
    pub id: String,
    /// For example `120363@g.us`.
    pub chat_jid: String,
    /// A word such as `bot`, or an id of the channel.
    pub sender: String,
    pub sender_name: Option<String>,
    pub content: String,
    /// ISO 8601.
    pub timestamp: String,
    /// Whether pynchy sent the message.
    pub is_from_me: bool,
    pub message_type: Kind,
    pub metadata: Option<Map<String, Value>>,
}

impl Row {
    /// The row of a message, without extras.
    pub fn of(message: &Message) -> Self {
        let row = RowContent::at(message, &RowKey::of(message));
        let metadata = metadata_fields(message).into_map();
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

    /// The row as the database stores it: booleans as 0 and 1, metadata as JSON text.
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
        let metadata = MetadataColumn::new(self.metadata.as_ref().map(Object::of).unwrap_or_default(), None);
        let mut columns = Columns::of(row, None);
        columns.metadata = Some(metadata.into_column(None));
        columns.into_json().into_value()
    }
}

/// The values of a row without metadata, borrowed from the message.
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
    pub(super) fn at(message: &'a Message, key: &RowKey<'a>) -> Self {
        let sender = sender_text(&message.from);
        let entry = |name| preserved(message).and_then(|preserved| preserved.get(name));
        let is_unnamed = message.from.name == sender;
        let sender_name = match entry("sender_name") {
            Some(Value::Null) if is_unnamed => None,
            None if is_unnamed && is_absent(preserved(message), "sender_name") => None,
            Some(Value::String(name)) if is_unnamed && name.is_empty() => Some(""),
            _ => Some(message.from.name.as_str()),
        };
        let timestamp = entry("timestamp").and_then(Value::as_str);
        let timestamp = timestamp.filter(|text| parse_time(text) == Ok(message.created_at));
        let is_left_out = is_absent(preserved(message), "is_from_me");
        let is_from_me =
            entry("is_from_me").and_then(|value| column_bool(&Json::of(value))).or(is_left_out.then_some(false));
        Self {
            id: key.id,
            chat_jid: key.chat_jid,
            sender,
            sender_name,
            content: &message.body,
            timestamp: timestamp.map_or_else(|| time_text(message.created_at).into(), Cow::Borrowed),
            is_from_me: is_from_me.unwrap_or_else(|| is_usually_from_me(sender, message.kind)),
            message_type: message.kind,
        }
    }
}

pub(super) fn type_name(kind: Kind) -> &'static str {
    TYPES.iter().find(|(_, known)| *known == kind).map_or("host", |(name, _)| name)
}

/// Whether the column was absent in the decoded row.
pub(super) fn is_absent(preserved: Option<&Map<String, Value>>, name: &str) -> bool {
    let absent = preserved.and_then(|preserved| preserved.get("absent")).and_then(Value::as_array);
    absent.is_some_and(|absent| absent.iter().any(|entry| entry == name))
}

/// The metadata of a message without those of the dialects.
pub(super) fn metadata_fields(message: &Message) -> Object<'_> {
    let mut noted = Object::default();
    for (name, value) in message.metadata.iter().filter(|(name, _)| *name != NAME && *name != KEY) {
        noted.set(name.as_str(), Json::of(value));
    }
    noted.set_some(NAME, preserved(message).and_then(|preserved| preserved.get(NAME)).map(Json::of));
    noted
}

macro_rules! columns {
    ($($column:ident),+) => {
        /// The columns as they are encoded; none if absent.
        #[derive(Default)]
        pub(super) struct Columns<'a> {
            $(pub(super) $column: Option<Json<'a>>,)+
            more: Object<'a>,
        }

        const NAMES: &[&str] = &[$(stringify!($column)),+];

        impl<'a> Columns<'a> {
            pub(super) fn take(json: Json<'a>) -> Result<Self, Refusal> {
                let mut columns = Self::default();
                for (name, value) in Object::read(json, "a row of pynchy")? {
                    match name.as_ref() {
                        $(stringify!($column) => columns.$column = Some(value),)+
                        _ => columns.more.set(name, value),
                    }
                }
                Ok(columns)
            }

            pub(super) fn into_json(self) -> Json<'a> {
                let mut fields = Vec::with_capacity(NAMES.len() + self.more.len());
                $(if let Some(value) = self.$column {
                    fields.push((Cow::Borrowed(stringify!($column)), value));
                })+
                fields.extend(self.more);
                Object::from_unsorted(fields).into()
            }
        }
    };
}

// Sorted by name, as in an object.
columns!(chat_jid, content, id, is_from_me, message_type, metadata, sender, sender_name, timestamp);

impl<'a> Columns<'a> {
    /// Encodes a row with the preserved encodings that still have the same value. The caller sets `metadata`.
    pub(super) fn of(row: RowContent<'a>, preserved: Option<&'a Map<String, Value>>) -> Self {
        let entry = |name| preserved.and_then(|preserved| preserved.get(name));
        let unless_left_out =
            |name, value: Json<'a>, is_default: bool| (!(is_default && is_absent(preserved, name))).then_some(value);
        let is_user = row.message_type == Kind::User;
        let is_null = is_user && entry("message_type").is_some_and(Value::is_null);
        let message_type = if is_null { Json::Null } else { type_name(row.message_type).into() };
        let recorded =
            entry("is_from_me").map(Json::of).filter(|recorded| column_bool(recorded) == Some(row.is_from_me));
        let is_from_me = recorded.unwrap_or_else(|| u64::from(row.is_from_me).into());
        let sender_name = row.sender_name.map_or(Json::Null, Json::from);
        Self {
            id: Some(row.id.into()),
            chat_jid: Some(row.chat_jid.into()),
            sender: Some(row.sender.into()),
            sender_name: unless_left_out("sender_name", sender_name, row.sender_name.is_none()),
            content: Some(row.content.into()),
            timestamp: Some(row.timestamp.into()),
            is_from_me: unless_left_out("is_from_me", is_from_me, !row.is_from_me),
            message_type: unless_left_out("message_type", message_type, is_user),
            metadata: None,
            more: unknown_columns(entry("more")),
        }
    }

    /// Decodes the columns without text and metadata.
    pub(super) fn decode(&self) -> Result<DecodedRow<'_>, Refusal> {
        let sender = required_text(self.sender.as_ref(), "sender")?;
        let kind = self.kind()?;
        if let Some(value) = self.is_from_me.as_ref().filter(|value| column_bool(value).is_none()) {
            return Err(wrong_type("is_from_me", "0 or 1", value));
        }
        let key = RowKey::new(required_key(self.id.as_ref(), "id")?, required_key(self.chat_jid.as_ref(), "chat_jid")?);
        let sender_name = optional_text(self.sender_name.as_ref(), "sender_name")?.unwrap_or_default();
        let timestamp = required_text(self.timestamp.as_ref(), "timestamp")?;
        let at = parse_time(timestamp).map_err(|refusal| refusal.at("timestamp"))?;
        Ok(DecodedRow { key, sender, sender_name, kind, timestamp, at })
    }

    pub(super) fn take_content(&mut self) -> Result<Cow<'a, str>, Refusal> {
        match self.content.take() {
            Some(Json::Text(text)) => Ok(text),
            None | Some(Json::Null) => Err(missing("content")),
            Some(other) => Err(wrong_type("content", "a string", &other)),
        }
    }

    fn kind(&self) -> Result<Kind, Refusal> {
        let Some(text) = optional_text(self.message_type.as_ref(), "message_type")? else { return Ok(Kind::User) };
        let known = TYPES.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind);
        known.ok_or_else(|| {
            let names = TYPES.map(|(name, _)| name);
            let refusal = Refusal::out_of_bounds(format!("this must be one of {}", names.join(", ")));
            refusal.proposing(names.map(str::to_owned).to_vec()).at("message_type")
        })
    }

    /// What the encoding contains beyond the message: empty and absent columns, and unknown ones.
    pub(super) fn encoding(&self, sender: &str, kind: Kind) -> Object<'_> {
        let mut preserved = Object::default();
        let optional = [
            ("sender_name", &self.sender_name),
            ("is_from_me", &self.is_from_me),
            ("message_type", &self.message_type),
            ("metadata", &self.metadata),
        ];
        if optional.iter().any(|(_, column)| column.is_none()) {
            let absent = optional.iter().filter(|(_, column)| column.is_none());
            preserved.set("absent", absent.map(|(name, _)| Json::from(*name)).collect::<Vec<_>>());
        }
        for (name, column) in &optional[..3] {
            if matches!(column, Some(Json::Null)) {
                preserved.set(*name, Json::Null);
            }
        }
        if self.sender_name.as_ref().and_then(Json::as_str) == Some("") {
            preserved.set("sender_name", "");
        }
        if let Some(value) = self.is_from_me.as_ref().filter(|value| !value.is_null())
            && (value.as_bool().is_some() || column_bool(value) != Some(is_usually_from_me(sender, kind)))
        {
            preserved.set("is_from_me", value.clone());
        }
        if !self.more.is_empty() {
            preserved.set("more", self.more.clone());
        }
        preserved
    }
}

/// The value of a boolean column in any encoding.
pub(super) fn column_bool(value: &Json<'_>) -> Option<bool> {
    match value {
        Json::Bool(boolean) => Some(*boolean),
        Json::Null => Some(false),
        other => other.as_u64().filter(|number| *number < 2).map(|number| number == 1),
    }
}

/// The preserved unknown columns.
fn unknown_columns(more: Option<&Value>) -> Object<'_> {
    let mut more = more.and_then(Value::as_object).map(Object::of).unwrap_or_default();
    more.retain(|name, _| !NAMES.contains(&name));
    more
}

fn optional_text<'a>(column: Option<&'a Json<'_>>, name: &str) -> Result<Option<&'a str>, Refusal> {
    match column {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(other) => Err(wrong_type(name, "a string", other)),
    }
}

fn required_text<'a>(column: Option<&'a Json<'_>>, name: &str) -> Result<&'a str, Refusal> {
    optional_text(column, name)?.ok_or_else(|| missing(name))
}

fn required_key<'a>(column: Option<&'a Json<'_>>, name: &str) -> Result<&'a str, Refusal> {
    optional_text(column, name)?.filter(|text| !text.is_empty()).ok_or_else(|| missing(name))
}

const SENDER: &str = "command_output";
const NO_OUTPUT: &str = "(no output)";

/// The result of a command that was run from a chat.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandResult {
    /// The output of the command.
    pub content: String,
    /// Contains only `exit_code`.
    pub metadata: Map<String, Value>,
}

impl CommandResult {
    /// Takes stdout of a successful command, or stderr of a failed one; without stderr, its stdout.
    ///
    /// A command that did not start or timed out has no exit code and no result; it is a host message.
    pub fn new(stdout: &str, stderr: &str, exit_code: i32) -> Self {
        let text = if exit_code == 0 { [stdout, ""] } else { [stderr, stdout] };
        let text = text.into_iter().map(str::trim_end).find(|text| !text.trim().is_empty());
        let metadata = Map::from_iter([("exit_code".to_owned(), json!(exit_code))]);
        Self { content: text.unwrap_or(NO_OUTPUT).to_owned(), metadata }
    }

    /// The row of this result.
    pub fn into_row(self, id: String, chat_jid: String, timestamp: String) -> Row {
        Row {
            id,
            chat_jid,
            sender: SENDER.to_owned(),
            sender_name: Some("command".to_owned()),
            content: self.content,
            timestamp,
            is_from_me: true,
            message_type: Kind::ToolResult,
            metadata: Some(self.metadata),
        }
    }
}

/// The author type of a sender: known words have one, any other sender has the usual author type of the message kind.
pub(super) fn sender_author_type(sender: &str, kind: Kind) -> AuthorType {
    match sender {
        "host" | "deploy" | "result_meta" => AuthorType::Host,
        "system" | "system_notice" => AuthorType::System,
        "bot" | "assistant" | "thinking" | "tool_use" => AuthorType::Agent,
        "command_output" | "tool_result" => AuthorType::Tool,
        "tui-user" => AuthorType::Person,
        _ => match kind {
            Kind::User => AuthorType::Person,
            Kind::Assistant => AuthorType::Agent,
            Kind::System => AuthorType::System,
            Kind::ToolResult => AuthorType::Tool,
            Kind::Host => AuthorType::Host,
        },
    }
}

/// Whether pynchy usually marks rows of this sender as its own: all but those of people.
pub(super) fn is_usually_from_me(sender: &str, kind: Kind) -> bool {
    sender_author_type(sender, kind) != AuthorType::Person
}

/// The sender of an author: the original word, else the word of its author type, else its id or name.
pub(super) fn sender_text(author: &Author) -> &str {
    pynchy_sender(author).unwrap_or(match author.author_type {
        AuthorType::Host => "host",
        AuthorType::System => "system",
        AuthorType::Agent => "bot",
        AuthorType::Tool => "command_output",
        AuthorType::Person | AuthorType::Applet | AuthorType::Scheduler => author.id.as_deref().unwrap_or(&author.name),
    })
}

/// The sender of a decoded row, if the author is one.
pub(super) fn pynchy_sender(author: &Author) -> Option<&str> {
    author.id.as_deref()?.strip_prefix(NAME)?.strip_prefix(':')
}

/// The maximum length of a time.
const TIME_BYTES_MAX: usize = 64;
/// For example `2026-02-15T09:12:00.123000+00:00`.
const WRITTEN_BYTES: usize = 32;

/// Parses a time; without a zone it is UTC.
pub(super) fn parse_time(text: &str) -> Result<Timestamp, Refusal> {
    // Refused first, so that the refusal does not contain a long text.
    if text.len() > TIME_BYTES_MAX {
        return Err(Refusal::invalid("this must be an ISO 8601 time such as 2026-02-15T09:12:00+00:00"));
    }
    text.parse().or_else(|refusal| format!("{text}Z").parse().map_err(|_| refusal))
}

/// A sort key for the times of rows in any format: the time in milliseconds, and the nanoseconds below.
pub fn time_order_key(text: &str) -> Result<(Timestamp, u32), Refusal> {
    let at = parse_time(text)?;
    let fraction = text.find(['.', ',']).map_or("", |dot| &text[dot + 1..]);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).chain(std::iter::repeat(b'0'));
    let below = digits.skip(3).take(6).fold(0, |below, digit| below * 10 + u32::from(digit - b'0'));
    Ok((at, below))
}

/// Whether the text is the canonical one of its time.
pub(super) fn is_canonical_time(text: &str, at: Timestamp) -> bool {
    // Most texts differ in the zone or the last digits, which is cheaper than formatting the time.
    text.ends_with("+00:00")
        && matches!(text.len(), 25 | 32)
        && (text.len() == 25 || text.get(23..26) == Some("000"))
        && time_text(at) == text
}

/// The text of a time as Python's `isoformat` writes it in UTC. The texts sort like the times, which pynchy relies on.
pub(super) fn time_text(at: Timestamp) -> String {
    let mut text = String::with_capacity(WRITTEN_BYTES);
    write!(text, "{at}").expect("a text can be written to memory");
    text.pop();
    if text.ends_with(".000") {
        text.truncate(text.len() - ".000".len())
    } else {
        text.push_str("000")
    }
    text.push_str("+00:00");
    text
}

/// The project of every decoded row: pynchy has none.
pub(super) static NIL_PROJECT: LazyLock<ProjectId> = LazyLock::new(|| ProjectId::from_bits(0));

/// The preserved columns of a decoded row. Anybody can write metadata, so an entry is used only if it matches the
/// message.
pub(super) fn preserved(message: &Message) -> Option<&Map<String, Value>> {
    message.metadata.get(NAME)?.as_object()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sort_in_any_format() {
        let order = [
            "2026-02-15T08:59:59Z",
            "2026-02-15T10:00:00+01:00",
            "2026-02-15T09:00:00.0001Z",
            "2026-02-15 09:00:00,000123456Z",
            "2026-02-15T09:00:00.000124",
            "2026-02-15T09:00:00.1+00:00",
            "2026-02-15T09:00:00.100001Z",
        ];
        let moments: Vec<_> = order.iter().map(|text| time_order_key(text).expect("a time")).collect();
        assert!(moments.is_sorted_by(|one, next| one < next), "{moments:?}");
        assert!(time_order_key("yesterday").is_err());
    }
}
