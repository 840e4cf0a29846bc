//! A message as it stands on the wire, in either spelling.

use std::{borrow::Cow, mem};

use parlour_core::Refusal;

use super::{
    content::Content,
    message_type::MessageType,
    sender::Sender,
    specific::{FieldType, is_specific},
    spelling::{Spelling, TEXT, standard_for},
    stream::Flags,
};
use crate::json::{Json, Object, wrong};

/// How many fields a message of any type may have.
const FIELDS: usize = 14;

/// A message, by the standard names. Its texts are parts of the line that is read, or of the message that is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wire<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) message_type: Option<MessageType>,
    pub(super) timestamp: Option<Cow<'a, str>>,
    pub(super) session_id: Option<Cow<'a, str>>,
    pub(super) from_agent: Option<Cow<'a, str>>,
    pub(super) from_user: Option<bool>,
    pub(super) to_agent: Option<Cow<'a, str>>,
    pub(super) content: Option<Content<'a>>,
    pub(super) in_reply_to: Option<Cow<'a, str>>,
    pub(super) flags: Flags,
    pub(super) metadata: Option<Object<'a>>,
    pub(super) task_id: Option<Cow<'a, str>>,
    /// The other fields that belong to certain types.
    pub(super) specific: Object<'a>,
    /// Fields that the format does not have.
    pub(super) other: Object<'a>,
    /// The names of fields that hold null.
    pub(super) nulls: Vec<Cow<'a, str>>,
    /// What was said otherwise than it counts.
    pub(super) overruled: Object<'a>,
}

impl<'a> Wire<'a> {
    /// Reads a message in either spelling or both. A field of the wrong sort is refused by the name it stood under.
    pub(super) fn read(json: Json<'a>) -> Result<Self, Refusal> {
        let mut wire = Self::default();
        let mut text = None;
        for (name, value) in Object::read(json, "a TKR message")? {
            if value.is_null() {
                wire.nulls.push(standard_for(&name).map_or(name, Cow::Borrowed));
            } else if name == TEXT {
                text = Some(read_text(&name, value)?);
            } else {
                wire.take(name, value)?;
            }
        }
        wire.settle_text(text);
        wire.settle_nulls();
        Ok(wire)
    }

    /// The message in one of the spellings. The legacy one tells a content that is a text twice.
    pub(super) fn write(self, spelling: Spelling) -> Object<'a> {
        let again = match (&self.content, spelling) {
            (Some(Content::Text(text)), Spelling::Legacy) => Some(Json::Text(text.clone())),
            _ => None,
        };
        let rare = self.nulls.len() + self.specific.len() + self.other.len();
        let mut fields = Vec::with_capacity(FIELDS + rare);
        // Nulls come first: where there is a value after all, it counts.
        fields.extend(self.nulls.into_iter().map(|name| (spelling.of(name), Json::Null)));
        let mut put = |name: &'static str, value: Option<Json<'a>>| {
            fields.extend(value.map(|value| (Cow::Borrowed(name), value)));
        };
        // In both spellings this is the order of the names, so that there is nothing to sort.
        put("content", self.content.map(Json::from));
        put(spelling.choose("from_agent", "fromAgent"), self.from_agent.map(Json::Text));
        put(spelling.choose("from_user", "fromUser"), self.from_user.map(Json::Bool));
        put("id", self.id.map(Json::Text));
        put(spelling.choose("in_reply_to", "inReplyTo"), self.in_reply_to.map(Json::Text));
        put("metadata", self.metadata.map(Json::Object));
        put(spelling.choose("session_id", "sessionId"), self.session_id.map(Json::Text));
        put("streaming", self.flags.streaming.map(Json::Bool));
        put(spelling.choose("task_id", "taskId"), self.task_id.map(Json::Text));
        put(TEXT, again);
        put("timestamp", self.timestamp.map(Json::Text));
        put(spelling.choose("to_agent", "toAgent"), self.to_agent.map(Json::Text));
        put(spelling.choose("turn_complete", "turnComplete"), self.flags.turn_complete.map(Json::Bool));
        put("type", self.message_type.map(|message_type| message_type.as_str().into()));
        fields.extend(self.specific.into_iter().map(|(name, value)| (spelling.of(name), value)));
        fields.extend(self.other);
        Object::gathered(fields)
    }

    /// Who sends it. An agent counts before the user; an empty id is none.
    pub(super) fn sender(&self) -> Sender {
        match &self.from_agent {
            Some(agent) if !agent.is_empty() => Sender::Agent,
            _ if self.from_user == Some(true) => Sender::User,
            _ => Sender::Nobody,
        }
    }

    /// Whether the field of this standard name is there.
    fn has(&mut self, name: &str) -> bool {
        match name {
            "type" => self.message_type.is_some(),
            "content" => self.content.is_some(),
            "metadata" => self.metadata.is_some(),
            _ => {
                self.text_slot(name).is_some_and(|slot| slot.is_some())
                    || self.flag_slot(name).is_some_and(|slot| slot.is_some())
                    || self.specific.contains(name)
                    || self.other.contains(name)
            }
        }
    }

    fn take(&mut self, name: Cow<'a, str>, value: Json<'a>) -> Result<(), Refusal> {
        let legacy = standard_for(&name);
        let (standard, is_legacy) = (legacy.unwrap_or(&name), legacy.is_some());
        if let Some(slot) = self.text_slot(standard) {
            let loser = place_text(slot, read_text(&name, value)?, is_legacy);
            self.overrule(standard, loser);
        } else if let Some(slot) = self.flag_slot(standard) {
            let loser = place(slot, read_flag(&name, &value)?, is_legacy);
            self.overrule(standard, loser);
        } else {
            match standard {
                "type" => self.message_type = Some(MessageType::read(&value)?),
                "content" => self.content = Some(Content::read(&name, value)?),
                "metadata" => self.metadata = Some(read_object(&name, value)?),
                _ => self.take_rare(legacy, name, value)?,
            }
        }
        Ok(())
    }

    /// Takes a field that belongs to certain types, or one that the format does not have.
    fn take_rare(&mut self, legacy: Option<&'static str>, name: Cow<'a, str>, value: Json<'a>) -> Result<(), Refusal> {
        let Some(sort) = FieldType::of(legacy.unwrap_or(&name)) else {
            self.other.set(name, value);
            return Ok(());
        };
        sort.check(&name, &value)?;
        let standard = legacy.map_or(name, Cow::Borrowed);
        let mut slot = self.specific.take(&standard);
        let loser = place(&mut slot, value, legacy.is_some());
        self.overrule(&standard, loser);
        self.specific.set_some(standard, slot);
        Ok(())
    }

    fn text_slot(&mut self, name: &str) -> Option<&mut Option<Cow<'a, str>>> {
        Some(match name {
            "id" => &mut self.id,
            "timestamp" => &mut self.timestamp,
            "session_id" => &mut self.session_id,
            "from_agent" => &mut self.from_agent,
            "to_agent" => &mut self.to_agent,
            "in_reply_to" => &mut self.in_reply_to,
            "task_id" => &mut self.task_id,
            _ => return None,
        })
    }

    fn flag_slot(&mut self, name: &str) -> Option<&mut Option<bool>> {
        Some(match name {
            "from_user" => &mut self.from_user,
            "streaming" => &mut self.flags.streaming,
            "turn_complete" => &mut self.flags.turn_complete,
            _ => return None,
        })
    }

    /// Notes a value that does not count, so that it is not lost without a trace.
    pub(super) fn overrule(&mut self, name: &str, loser: Option<impl Into<Json<'a>>>) {
        if let Some(loser) = loser {
            self.overruled.set(name.to_owned(), loser);
        }
    }

    /// The content counts before the text beside it, which is kept unless it only tells the content again.
    fn settle_text(&mut self, text: Option<Cow<'a, str>>) {
        match (&self.content, text) {
            (None, text) => self.content = text.map(Content::Text),
            (Some(content), Some(text)) if !content.is_told_by(&text) => self.overrule(TEXT, Some(text)),
            _ => {}
        }
    }

    /// Forgets nulls in one spelling of what the other one says.
    pub(super) fn settle_nulls(&mut self) {
        if !self.nulls.is_empty() {
            let mut nulls = mem::take(&mut self.nulls);
            nulls.retain(|name| name != TEXT && !self.has(name));
            nulls.sort_unstable();
            nulls.dedup();
            self.nulls = nulls;
        }
    }
}

/// Whether this is the standard name of a field.
pub(super) fn is_standard(name: &str) -> bool {
    let is_base = matches!(name, "type" | "content" | "metadata");
    let mut none = Wire::default();
    is_base || is_specific(name) || none.text_slot(name).is_some() || none.flag_slot(name).is_some()
}

/// Whether the format gives this name no meaning, so that a field of it is kept as it is.
pub(super) fn is_other(name: &str) -> bool {
    !is_standard(name) && standard_for(name).is_none() && name != TEXT && name != super::row::KEY
}

/// Puts a value into its slot and answers the one that does not count: of two that differ, the legacy spelling does.
fn place<T: PartialEq>(slot: &mut Option<T>, value: T, is_legacy: bool) -> Option<T> {
    match slot {
        None => {
            *slot = Some(value);
            None
        }
        Some(held) if *held == value => None,
        Some(held) if is_legacy => Some(mem::replace(held, value)),
        Some(_) => Some(value),
    }
}

/// The same for a text; an empty one says nothing, so the other one counts.
fn place_text<'a>(slot: &mut Option<Cow<'a, str>>, text: Cow<'a, str>, is_legacy: bool) -> Option<Cow<'a, str>> {
    match slot {
        Some(held) if held.is_empty() => {
            *held = text;
            None
        }
        Some(_) if text.is_empty() => None,
        _ => place(slot, text, is_legacy),
    }
}

fn read_text<'a>(name: &str, value: Json<'a>) -> Result<Cow<'a, str>, Refusal> {
    match value {
        Json::Text(text) => Ok(text),
        other => Err(wrong(name, "a text", &other)),
    }
}

fn read_flag(name: &str, value: &Json<'_>) -> Result<bool, Refusal> {
    value.as_bool().ok_or_else(|| wrong(name, "true or false", value))
}

fn read_object<'a>(name: &str, value: Json<'a>) -> Result<Object<'a>, Refusal> {
    match value {
        Json::Object(object) => Ok(object),
        other => Err(wrong(name, "an object", &other)),
    }
}
