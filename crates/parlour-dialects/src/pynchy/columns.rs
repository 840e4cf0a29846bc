//! The columns of a row as they are spelled, before and after they mean something.

use parlour_core::{Refusal, message::Kind};
use serde_json::{Map, Value};

use super::{
    Row, metadata_text,
    metadata_text::{FORM, TEXT},
    row::{TYPES, is_absent, type_name},
    sender,
};
use crate::fields::{missing, sort_of, wrong};

macro_rules! columns {
    ($($column:ident),+) => {
        /// The columns, each as it is spelled; none where it is left out.
        #[derive(Default)]
        pub(super) struct Columns {
            $(pub(super) $column: Option<Value>,)+
            more: Map<String, Value>,
        }

        impl Columns {
            /// Takes a row apart.
            pub(super) fn take(value: Value) -> Result<Self, Refusal> {
                let Value::Object(fields) = value else {
                    let sort = sort_of(&value);
                    return Err(Refusal::invalid(format!("a row of pynchy is an object; this is {sort}")));
                };
                let mut columns = Self::default();
                for (name, value) in fields {
                    match name.as_str() {
                        $(stringify!($column) => columns.$column = Some(value),)+
                        _ => drop(columns.more.insert(name, value)),
                    }
                }
                Ok(columns)
            }

            /// Puts the row together again.
            pub(super) fn into_value(self) -> Value {
                let mut fields = self.more;
                $(if let Some(value) = self.$column {
                    fields.insert(stringify!($column).to_owned(), value);
                })+
                Value::Object(fields)
            }
        }

        fn is_column(name: &str) -> bool {
            [$(stringify!($column)),+].contains(&name)
        }
    };
}

columns!(id, chat_jid, sender, sender_name, content, timestamp, is_from_me, message_type, metadata);

/// What the columns mean, save the text of the message.
pub(super) struct Meaning<'a> {
    pub(super) id: &'a str,
    pub(super) chat_jid: &'a str,
    pub(super) sender: &'a str,
    pub(super) sender_name: &'a str,
    pub(super) timestamp: &'a str,
    pub(super) kind: Kind,
    pub(super) metadata: Map<String, Value>,
    /// What their spelling says beyond that.
    pub(super) kept: Map<String, Value>,
}

impl Columns {
    /// Spells a row, as it was kept of it where that still says the same.
    pub(super) fn of(row: Row, kept: Option<&Map<String, Value>>) -> Self {
        let entry = |name| kept.and_then(|kept| kept.get(name));
        let unless_left_out =
            |name, value: Value, is_default: bool| (!(is_default && is_absent(kept, name))).then_some(value);
        let is_user = row.message_type == Kind::User;
        let is_null = is_user && entry("message_type").is_some_and(Value::is_null);
        let message_type = if is_null { Value::Null } else { type_name(row.message_type).into() };
        let spelled = entry("is_from_me").filter(|spelled| truth(spelled) == Some(row.is_from_me));
        let is_from_me = spelled.cloned().unwrap_or_else(|| u8::from(row.is_from_me).into());
        let metadata = metadata_text::write(row.metadata, entry(TEXT), entry(FORM));
        let is_unnamed = row.sender_name.is_none();
        let is_empty = metadata.is_null();
        Self {
            id: Some(row.id.into()),
            chat_jid: Some(row.chat_jid.into()),
            sender: Some(row.sender.into()),
            sender_name: unless_left_out("sender_name", row.sender_name.into(), is_unnamed),
            content: Some(row.content.into()),
            timestamp: Some(row.timestamp.into()),
            is_from_me: unless_left_out("is_from_me", is_from_me, !row.is_from_me),
            message_type: unless_left_out("message_type", message_type, is_user),
            metadata: unless_left_out("metadata", metadata, is_empty),
            more: further(entry("more")),
        }
    }

    /// What the columns mean.
    pub(super) fn meaning(&self) -> Result<Meaning<'_>, Refusal> {
        let mut kept = Map::new();
        let sender = required(self.sender.as_ref(), "sender")?;
        let kind = self.kind()?;
        self.keep_spelling(sender::is_usually_from_me(sender, kind), &mut kept)?;
        let metadata = metadata_text::read(self.metadata.as_ref(), &mut kept)?;
        Ok(Meaning {
            id: key(self.id.as_ref(), "id")?,
            chat_jid: key(self.chat_jid.as_ref(), "chat_jid")?,
            sender,
            sender_name: text(self.sender_name.as_ref(), "sender_name")?.unwrap_or_default(),
            timestamp: required(self.timestamp.as_ref(), "timestamp")?,
            kind,
            metadata,
            kept,
        })
    }

    /// Takes the text of the message out.
    pub(super) fn take_content(&mut self) -> Result<String, Refusal> {
        match self.content.take() {
            Some(Value::String(text)) => Ok(text),
            None | Some(Value::Null) => Err(missing("content")),
            Some(other) => Err(wrong("content", "a text", &other)),
        }
    }

    fn kind(&self) -> Result<Kind, Refusal> {
        let Some(text) = text(self.message_type.as_ref(), "message_type")? else { return Ok(Kind::User) };
        let known = TYPES.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind);
        known.ok_or_else(|| {
            let names = TYPES.map(|(name, _)| name);
            let refusal = Refusal::out_of_bounds(format!("this must be one of {}", names.join(", ")));
            refusal.proposing(names.map(str::to_owned).to_vec()).at("message_type")
        })
    }

    /// Keeps what the spelling says that no field of a message does: columns that are empty or left out, and the ones that
    /// pynchy did not make.
    fn keep_spelling(&self, is_usually_from_me: bool, kept: &mut Map<String, Value>) -> Result<(), Refusal> {
        let mut keep = |name: &str, value: Value| drop(kept.insert(name.to_owned(), value));
        let optional = [
            ("sender_name", &self.sender_name),
            ("is_from_me", &self.is_from_me),
            ("message_type", &self.message_type),
            ("metadata", &self.metadata),
        ];
        let absent: Vec<Value> =
            optional.iter().filter(|(_, column)| column.is_none()).map(|(name, _)| (*name).into()).collect();
        if !absent.is_empty() {
            keep("absent", absent.into());
        }
        for (name, column) in &optional[..3] {
            if matches!(column, Some(Value::Null)) {
                keep(name, Value::Null);
            }
        }
        if self.sender_name.as_ref().is_some_and(|name| name == "") {
            keep("sender_name", "".into());
        }
        if let Some(value) = self.is_from_me.as_ref().filter(|value| !value.is_null()) {
            let Some(is_from_me) = truth(value) else { return Err(wrong("is_from_me", "0 or 1", value)) };
            if value.is_boolean() || is_from_me != is_usually_from_me {
                keep("is_from_me", value.clone());
            }
        }
        if !self.more.is_empty() {
            keep("more", self.more.clone().into());
        }
        Ok(())
    }
}

/// The truth of a column that holds 0 or 1, in any spelling.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(is_so) => Some(*is_so),
        Value::Null => Some(false),
        other => other.as_u64().filter(|number| *number < 2).map(|number| number == 1),
    }
}

/// The columns that were kept and that pynchy did not make.
fn further(more: Option<&Value>) -> Map<String, Value> {
    let more = more.and_then(Value::as_object).into_iter().flatten();
    more.filter(|(name, _)| !is_column(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn text<'a>(column: Option<&'a Value>, name: &str) -> Result<Option<&'a str>, Refusal> {
    match column {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(name, "a text", other)),
    }
}

fn required<'a>(column: Option<&'a Value>, name: &str) -> Result<&'a str, Refusal> {
    text(column, name)?.ok_or_else(|| missing(name))
}

fn key<'a>(column: Option<&'a Value>, name: &str) -> Result<&'a str, Refusal> {
    text(column, name)?.filter(|text| !text.is_empty()).ok_or_else(|| missing(name))
}
