//! TKR messages on the wire, with standard or legacy field names.
//!
//! The flags `streaming` and `turn_complete` give the frame:
//!
//! | flags | content | frame |
//! |---|---|---|
//! | streaming, turn not complete | none | typing |
//! | streaming, turn not complete | some | a further piece of the text |
//! | streaming, no turn flag | any | the message so far |
//! | anything else | any | the complete message |

use std::{borrow::Cow, mem};

use parlour_core::Refusal;

use super::values::{Content, MessageType, Sender};
use crate::{
    Frame,
    json::{Json, Object, wrong_type},
};

/// The capacity for the fields of a message.
const FIELDS: usize = 14;

/// A message by its standard names. Its texts borrow from the decoded line or the encoded message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WireMessage<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) message_type: Option<MessageType>,
    pub(super) timestamp: Option<Cow<'a, str>>,
    pub(super) session_id: Option<Cow<'a, str>>,
    pub(super) from_agent: Option<Cow<'a, str>>,
    pub(super) from_user: Option<bool>,
    pub(super) to_agent: Option<Cow<'a, str>>,
    pub(super) content: Option<Content<'a>>,
    pub(super) in_reply_to: Option<Cow<'a, str>>,
    pub(super) flags: StreamFlags,
    pub(super) metadata: Option<Object<'a>>,
    pub(super) task_id: Option<Cow<'a, str>>,
    /// Other fields of certain types.
    pub(super) specific: Object<'a>,
    /// Unknown fields.
    pub(super) other: Object<'a>,
    /// Names of fields that are null.
    pub(super) nulls: Vec<Cow<'a, str>>,
    /// Values that do not count.
    pub(super) overruled: Object<'a>,
}

impl<'a> WireMessage<'a> {
    /// Decodes a message with names of either or both forms. A field of the wrong type is refused by the name that it
    /// had.
    pub(super) fn read(json: Json<'a>) -> Result<Self, Refusal> {
        let mut wire = Self::default();
        let mut text = None;
        for (name, value) in Object::read(json, "a TKR message")? {
            if value.is_null() {
                wire.nulls.push(standard_name(&name).map_or(name, Cow::Borrowed));
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

    /// Encodes the message. The legacy form repeats a text content.
    pub(super) fn write(self, style: NameStyle) -> Object<'a> {
        let repeated_text = match (&self.content, style) {
            (Some(Content::Text(text)), NameStyle::Legacy) => Some(Json::Text(text.clone())),
            _ => None,
        };
        let rare = self.nulls.len() + self.specific.len() + self.other.len();
        let mut fields = Vec::with_capacity(FIELDS + rare);
        // Nulls come first: a later value replaces them.
        fields.extend(self.nulls.into_iter().map(|name| (style.apply(name), Json::Null)));
        let mut put = |name: &'static str, value: Option<Json<'a>>| {
            fields.extend(value.map(|value| (Cow::Borrowed(name), value)));
        };
        // This is the sorted order of both name styles.
        put("content", self.content.map(Json::from));
        put(style.choose("from_agent", "fromAgent"), self.from_agent.map(Json::Text));
        put(style.choose("from_user", "fromUser"), self.from_user.map(Json::Bool));
        put("id", self.id.map(Json::Text));
        put(style.choose("in_reply_to", "inReplyTo"), self.in_reply_to.map(Json::Text));
        put("metadata", self.metadata.map(Json::Object));
        put(style.choose("session_id", "sessionId"), self.session_id.map(Json::Text));
        put("streaming", self.flags.streaming.map(Json::Bool));
        put(style.choose("task_id", "taskId"), self.task_id.map(Json::Text));
        put(TEXT, repeated_text);
        put("timestamp", self.timestamp.map(Json::Text));
        put(style.choose("to_agent", "toAgent"), self.to_agent.map(Json::Text));
        put(style.choose("turn_complete", "turnComplete"), self.flags.turn_complete.map(Json::Bool));
        put("type", self.message_type.map(|message_type| message_type.as_str().into()));
        fields.extend(self.specific.into_iter().map(|(name, value)| (style.apply(name), value)));
        fields.extend(self.other);
        Object::from_unsorted(fields)
    }

    /// The sender. An agent has priority over the user; an empty id is none.
    pub(super) fn sender(&self) -> Sender {
        match &self.from_agent {
            Some(agent) if !agent.is_empty() => Sender::Agent,
            _ if self.from_user == Some(true) => Sender::User,
            _ => Sender::Nobody,
        }
    }

    /// Whether the field of this standard name has a value.
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
        let legacy = standard_name(&name);
        let (standard, is_legacy) = (legacy.unwrap_or(&name), legacy.is_some());
        if let Some(slot) = self.text_slot(standard) {
            let overruled = set_or_overrule_text(slot, read_text(&name, value)?, is_legacy);
            self.overrule(standard, overruled);
        } else if let Some(slot) = self.flag_slot(standard) {
            let overruled = set_or_overrule(slot, read_flag(&name, &value)?, is_legacy);
            self.overrule(standard, overruled);
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

    /// Decodes a type-specific or unknown field.
    fn take_rare(&mut self, legacy: Option<&'static str>, name: Cow<'a, str>, value: Json<'a>) -> Result<(), Refusal> {
        let Some(field_type) = FieldType::of(legacy.unwrap_or(&name)) else {
            self.other.set(name, value);
            return Ok(());
        };
        field_type.check(&name, &value)?;
        let standard = legacy.map_or(name, Cow::Borrowed);
        let mut slot = self.specific.take(&standard);
        let overruled = set_or_overrule(&mut slot, value, legacy.is_some());
        self.overrule(&standard, overruled);
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

    /// Records a value that does not count.
    pub(super) fn overrule(&mut self, name: &str, overruled: Option<impl Into<Json<'a>>>) {
        if let Some(overruled) = overruled {
            self.overruled.set(name.to_owned(), overruled);
        }
    }

    /// The content has priority over the text; a different text is recorded.
    fn settle_text(&mut self, text: Option<Cow<'a, str>>) {
        match (&self.content, text) {
            (None, text) => self.content = text.map(Content::Text),
            (Some(content), Some(text)) if !content.is_repeated_by(&text) => self.overrule(TEXT, Some(text)),
            _ => {}
        }
    }

    /// Drops nulls of fields that have a value under the other name.
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

pub(super) fn is_standard(name: &str) -> bool {
    let is_base = matches!(name, "type" | "content" | "metadata");
    let mut none = WireMessage::default();
    is_base || is_specific(name) || none.text_slot(name).is_some() || none.flag_slot(name).is_some()
}

/// Whether the format does not define this name.
pub(super) fn is_other(name: &str) -> bool {
    !is_standard(name) && standard_name(name).is_none() && name != TEXT && name != super::row::KEY
}

/// Sets a slot and returns the value that does not count: of two different values, the legacy one counts.
fn set_or_overrule<T: PartialEq>(slot: &mut Option<T>, value: T, is_legacy: bool) -> Option<T> {
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

/// Like [`set_or_overrule`], for a text; an empty text does not count.
fn set_or_overrule_text<'a>(
    slot: &mut Option<Cow<'a, str>>,
    text: Cow<'a, str>,
    is_legacy: bool,
) -> Option<Cow<'a, str>> {
    match slot {
        Some(held) if held.is_empty() => {
            *held = text;
            None
        }
        Some(_) if text.is_empty() => None,
        _ => set_or_overrule(slot, text, is_legacy),
    }
}

fn read_text<'a>(name: &str, value: Json<'a>) -> Result<Cow<'a, str>, Refusal> {
    match value {
        Json::Text(text) => Ok(text),
        other => Err(wrong_type(name, "a string", &other)),
    }
}

fn read_flag(name: &str, value: &Json<'_>) -> Result<bool, Refusal> {
    value.as_bool().ok_or_else(|| wrong_type(name, "a boolean", value))
}

fn read_object<'a>(name: &str, value: Json<'a>) -> Result<Object<'a>, Refusal> {
    match value {
        Json::Object(object) => Ok(object),
        other => Err(wrong_type(name, "an object", &other)),
    }
}

/// The fields with two names: standard and legacy.
pub(super) const FIELD_NAMES: [(&str, &str); 12] = [
    ("session_id", "sessionId"),
    ("from_agent", "fromAgent"),
    ("from_user", "fromUser"),
    ("to_agent", "toAgent"),
    ("in_reply_to", "inReplyTo"),
    ("turn_complete", "turnComplete"),
    ("task_id", "taskId"),
    ("context_id", "contextId"),
    ("context_data", "contextData"),
    ("target_agents", "targetAgents"),
    ("error_code", "errorCode"),
    ("error_details", "errorDetails"),
];
/// The field in which the legacy form repeats its text.
pub(super) const TEXT: &str = "text";

/// The style of field names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameStyle {
    Standard,
    Legacy,
}

impl NameStyle {
    pub(super) fn choose(self, standard: &'static str, legacy: &'static str) -> &'static str {
        match self {
            Self::Standard => standard,
            Self::Legacy => legacy,
        }
    }

    pub(super) fn apply<'a>(self, standard: Cow<'a, str>) -> Cow<'a, str> {
        match self {
            Self::Standard => standard,
            Self::Legacy => legacy_name(&standard).map_or(standard, Cow::Borrowed),
        }
    }
}

/// The legacy name of a standard one, if it differs.
pub(super) fn legacy_name(name: &str) -> Option<&'static str> {
    // All of them contain an underscore; this check is faster than the search.
    let mut names = if name.contains('_') { FIELD_NAMES.iter() } else { [].iter() };
    names.find(|(standard, _)| *standard == name).map(|(_, legacy)| *legacy)
}

/// The standard name of a legacy one, if it differs.
pub(super) fn standard_name(name: &str) -> Option<&'static str> {
    // Only legacy names contain capitals.
    let has_capital = name.bytes().any(|byte| byte.is_ascii_uppercase());
    let mut names = if has_capital { FIELD_NAMES.iter() } else { [].iter() };
    names.find(|(_, legacy)| *legacy == name).map(|(standard, _)| *standard)
}

/// The type of a field that only certain message types have.
pub(super) enum FieldType {
    Text,
    Flag,
    Texts,
    Anything,
}

impl FieldType {
    /// The type of the field with this standard name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "context_id" | "status" | "action" | "error_code" | "severity" => Self::Text,
            "recoverable" => Self::Flag,
            "target_agents" => Self::Texts,
            "context_data" | "result" | "error_details" => Self::Anything,
            _ => return None,
        })
    }

    /// Refuses a value of another type; `name` is the name in the message.
    pub(super) fn check(&self, name: &str, value: &Json<'_>) -> Result<(), Refusal> {
        match (self, value) {
            (Self::Text, Json::Text(_)) | (Self::Flag, Json::Bool(_)) | (Self::Anything, _) => Ok(()),
            (Self::Texts, Json::List(items)) => check_texts(name, items),
            (Self::Text, _) => Err(wrong_type(name, "a string", value)),
            (Self::Flag, _) => Err(wrong_type(name, "a boolean", value)),
            (Self::Texts, _) => Err(wrong_type(name, "an array of strings", value)),
        }
    }
}

fn check_texts(name: &str, items: &[Json<'_>]) -> Result<(), Refusal> {
    match items.iter().position(|item| item.as_str().is_none()) {
        Some(index) => Err(wrong_type(&format!("{name}[{index}]"), "a string", &items[index])),
        None => Ok(()),
    }
}

pub(super) fn is_specific(name: &str) -> bool {
    FieldType::of(name).is_some()
}

pub(super) fn is_valid_specific(name: &str, value: &Json<'_>) -> bool {
    !value.is_null() && FieldType::of(name).is_some_and(|field_type| field_type.check(name, value).is_ok())
}

/// The flags `streaming` and `turn_complete`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StreamFlags {
    pub(super) streaming: Option<bool>,
    pub(super) turn_complete: Option<bool>,
}

impl StreamFlags {
    pub(super) const NONE: Self = Self { streaming: None, turn_complete: None };
    /// Typing frames and pieces.
    pub(super) const GROWING: Self = Self { streaming: Some(true), turn_complete: Some(false) };
    /// A message that started.
    pub(super) const BEGUN: Self = Self { streaming: Some(true), turn_complete: None };
    /// A complete answer.
    pub(super) const WHOLE: Self = Self { streaming: Some(false), turn_complete: Some(true) };

    pub(super) fn frame(self, has_content: bool) -> Frame {
        match self {
            Self::GROWING if has_content => Frame::Piece,
            Self::GROWING => Frame::Typing,
            _ => Frame::Message,
        }
    }

    pub(super) fn is_streaming(self) -> bool {
        matches!(self, Self::GROWING | Self::BEGUN)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn each_name_is_found_by_the_other_one() {
        for (standard, legacy) in FIELD_NAMES {
            assert_eq!((legacy_name(standard), standard_name(legacy)), (Some(legacy), Some(standard)));
            assert_eq!((legacy_name(legacy), standard_name(standard)), (None, None));
            assert_eq!(NameStyle::Legacy.apply(standard.into()), legacy);
            assert_eq!(NameStyle::Standard.apply(standard.into()), standard);
        }
    }

    #[test]
    fn other_names_are_equal_in_both_styles() {
        for name in ["id", "text", "message_type", "messageType", "", "_", "Ä"] {
            assert_eq!((legacy_name(name), standard_name(name)), (None, None), "{name}");
            assert_eq!(NameStyle::Legacy.apply(name.into()), name);
        }
    }

    fn check(name: &str, value: Value) -> bool {
        is_valid_specific(name, &Json::from(value))
    }

    #[test]
    fn each_field_accepts_only_its_type() {
        assert!(check("status", json!("done")) && !check("status", json!(5)));
        assert!(check("recoverable", json!(false)) && !check("recoverable", json!("no")));
        assert!(check("target_agents", json!(["a"])) && !check("target_agents", json!(["a", 1])));
        assert!(check("result", json!([1])) && !check("result", json!(null)));
        assert!(!check("content", json!("a text")), "messages of every type have it");
    }
}
