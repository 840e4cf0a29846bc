//! The columns of a row as they are spelled, before and after they mean something.

use std::borrow::Cow;

use parlour_core::{Refusal, message::Kind};
use serde_json::{Map, Value};

use super::{
    meaning::RowMeaning,
    place::ConversationKey,
    row::{RowContent, TYPES, is_absent, type_name},
    sender, time,
};
use crate::{
    fields::missing,
    json::{Json, Object, wrong},
};

macro_rules! columns {
    ($($column:ident),+) => {
        /// The columns, each as it is spelled; none where it is left out.
        #[derive(Default)]
        pub(super) struct Columns<'a> {
            $(pub(super) $column: Option<Json<'a>>,)+
            more: Object<'a>,
        }

        const NAMES: &[&str] = &[$(stringify!($column)),+];

        impl<'a> Columns<'a> {
            /// Takes a row apart.
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

            /// Puts the row together again.
            pub(super) fn into_json(self) -> Json<'a> {
                let mut fields = Vec::with_capacity(NAMES.len() + self.more.len());
                $(if let Some(value) = self.$column {
                    fields.push((Cow::Borrowed(stringify!($column)), value));
                })+
                fields.extend(self.more);
                Object::gathered(fields).into()
            }
        }
    };
}

// In the order of their names, in which they stand in an object.
columns!(chat_jid, content, id, is_from_me, message_type, metadata, sender, sender_name, timestamp);

impl<'a> Columns<'a> {
    /// Spells a row, as it was kept of it where that still says the same. Whoever knows the column `metadata` puts it in.
    pub(super) fn of(row: RowContent<'a>, kept: Option<&'a Map<String, Value>>) -> Self {
        let entry = |name| kept.and_then(|kept| kept.get(name));
        let unless_left_out =
            |name, value: Json<'a>, is_default: bool| (!(is_default && is_absent(kept, name))).then_some(value);
        let is_user = row.message_type == Kind::User;
        let is_null = is_user && entry("message_type").is_some_and(Value::is_null);
        let message_type = if is_null { Json::Null } else { type_name(row.message_type).into() };
        let spelled = entry("is_from_me").map(Json::of).filter(|spelled| truth(spelled) == Some(row.is_from_me));
        let is_from_me = spelled.unwrap_or_else(|| u64::from(row.is_from_me).into());
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
            more: further(entry("more")),
        }
    }

    /// What the columns mean, save the text of the message and its notes.
    pub(super) fn meaning(&self) -> Result<RowMeaning<'_>, Refusal> {
        let sender = required(self.sender.as_ref(), "sender")?;
        let kind = self.kind()?;
        if let Some(value) = self.is_from_me.as_ref().filter(|value| truth(value).is_none()) {
            return Err(wrong("is_from_me", "0 or 1", value));
        }
        let place = ConversationKey::new(key(self.id.as_ref(), "id")?, key(self.chat_jid.as_ref(), "chat_jid")?);
        let sender_name = text(self.sender_name.as_ref(), "sender_name")?.unwrap_or_default();
        let timestamp = required(self.timestamp.as_ref(), "timestamp")?;
        let at = time::read(timestamp).map_err(|refusal| refusal.at("timestamp"))?;
        Ok(RowMeaning { place, sender, sender_name, kind, timestamp, at })
    }

    /// Takes the text of the message out.
    pub(super) fn take_content(&mut self) -> Result<Cow<'a, str>, Refusal> {
        match self.content.take() {
            Some(Json::Text(text)) => Ok(text),
            None | Some(Json::Null) => Err(missing("content")),
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

    /// What the spelling says that no field of a message does: columns that are empty or left out, and the ones that
    /// pynchy did not make.
    pub(super) fn spelling(&self, sender: &str, kind: Kind) -> Object<'_> {
        let mut kept = Object::default();
        let optional = [
            ("sender_name", &self.sender_name),
            ("is_from_me", &self.is_from_me),
            ("message_type", &self.message_type),
            ("metadata", &self.metadata),
        ];
        if optional.iter().any(|(_, column)| column.is_none()) {
            let absent = optional.iter().filter(|(_, column)| column.is_none());
            kept.set("absent", absent.map(|(name, _)| Json::from(*name)).collect::<Vec<_>>());
        }
        for (name, column) in &optional[..3] {
            if matches!(column, Some(Json::Null)) {
                kept.set(*name, Json::Null);
            }
        }
        if self.sender_name.as_ref().and_then(Json::as_str) == Some("") {
            kept.set("sender_name", "");
        }
        if let Some(value) = self.is_from_me.as_ref().filter(|value| !value.is_null())
            && (value.as_bool().is_some() || truth(value) != Some(sender::is_usually_from_me(sender, kind)))
        {
            kept.set("is_from_me", value.clone());
        }
        if !self.more.is_empty() {
            kept.set("more", self.more.clone());
        }
        kept
    }
}

/// The truth of a column that holds 0 or 1, in any spelling.
pub(super) fn truth(value: &Json<'_>) -> Option<bool> {
    match value {
        Json::Bool(is_so) => Some(*is_so),
        Json::Null => Some(false),
        other => other.as_u64().filter(|number| *number < 2).map(|number| number == 1),
    }
}

/// The columns that were kept and that pynchy did not make.
fn further(more: Option<&Value>) -> Object<'_> {
    let mut more = more.and_then(Value::as_object).map(Object::of).unwrap_or_default();
    more.retain(|name, _| !NAMES.contains(&name));
    more
}

fn text<'a>(column: Option<&'a Json<'_>>, name: &str) -> Result<Option<&'a str>, Refusal> {
    match column {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(name, "a text", other)),
    }
}

fn required<'a>(column: Option<&'a Json<'_>>, name: &str) -> Result<&'a str, Refusal> {
    text(column, name)?.ok_or_else(|| missing(name))
}

fn key<'a>(column: Option<&'a Json<'_>>, name: &str) -> Result<&'a str, Refusal> {
    text(column, name)?.filter(|text| !text.is_empty()).ok_or_else(|| missing(name))
}
