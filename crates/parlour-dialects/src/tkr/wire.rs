//! A message as it stands on the wire, in either spelling.

use std::mem;

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::{content::Content, message_type::MessageType, sender::Sender, stream::Flags};
use crate::fields::{Fields, wrong};

/// The fields that have two spellings: the standard one, and the legacy one.
pub(super) const SPELLINGS: [(&str, &str); 12] = [
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
/// Where the legacy form says its text once more.
pub(super) const TEXT: &str = "text";

/// How many fields a message of any type may have.
const FIELDS: usize = 13;

/// A message, by the standard names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wire {
    pub(super) id: Option<String>,
    pub(super) message_type: Option<MessageType>,
    pub(super) timestamp: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) from_agent: Option<String>,
    pub(super) from_user: Option<bool>,
    pub(super) to_agent: Option<String>,
    pub(super) content: Option<Content>,
    pub(super) in_reply_to: Option<String>,
    pub(super) flags: Flags,
    pub(super) metadata: Option<Map<String, Value>>,
    pub(super) task_id: Option<String>,
    /// The other fields that belong to certain types.
    pub(super) specific: Map<String, Value>,
    /// Fields that the format does not have.
    pub(super) other: Map<String, Value>,
    /// The names of fields that hold null.
    pub(super) nulls: Vec<String>,
    /// What was said otherwise than it counts.
    pub(super) overruled: Map<String, Value>,
}

impl Wire {
    /// Reads a message in either spelling or both. A field of the wrong sort is refused by the name it stood under.
    pub(super) fn read(value: Value) -> Result<Self, Refusal> {
        let mut wire = Self::default();
        let mut text = None;
        for (name, value) in Fields::of(value, "a TKR message")?.rest() {
            if value.is_null() {
                wire.nulls.push(standard_name(&name).to_owned());
            } else if name == TEXT {
                text = Some(read_text(&name, value)?);
            } else {
                wire.take(&name, value)?;
            }
        }
        wire.settle_text(text);
        wire.settle_nulls();
        Ok(wire)
    }

    /// The message in the standard form.
    pub(super) fn write(self) -> Map<String, Value> {
        // Put down in the order of their names, they become a map without being sorted.
        let mut fields = Vec::with_capacity(FIELDS);
        let mut put = |name: &str, value: Option<Value>| fields.extend(value.map(|value| (name.to_owned(), value)));
        put("content", self.content.map(Value::from));
        put("from_agent", self.from_agent.map(Value::String));
        put("from_user", self.from_user.map(Value::Bool));
        put("id", self.id.map(Value::String));
        put("in_reply_to", self.in_reply_to.map(Value::String));
        put("metadata", self.metadata.map(Value::Object));
        put("session_id", self.session_id.map(Value::String));
        put("streaming", self.flags.streaming.map(Value::Bool));
        put("task_id", self.task_id.map(Value::String));
        put("timestamp", self.timestamp.map(Value::String));
        put("to_agent", self.to_agent.map(Value::String));
        put("turn_complete", self.flags.turn_complete.map(Value::Bool));
        put("type", self.message_type.map(|message_type| message_type.as_str().into()));
        let mut form: Map<String, Value> = fields.into_iter().collect();
        form.extend(self.specific);
        form.extend(self.other);
        for name in self.nulls {
            form.entry(name).or_insert(Value::Null);
        }
        form
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
                    || self.specific.contains_key(name)
                    || self.other.contains_key(name)
            }
        }
    }

    fn take(&mut self, name: &str, value: Value) -> Result<(), Refusal> {
        let standard = standard_name(name);
        let is_legacy = standard != name;
        if let Some(slot) = self.text_slot(standard) {
            let loser = place_text(slot, read_text(name, value)?, is_legacy);
            self.overrule(standard, loser);
        } else if let Some(slot) = self.flag_slot(standard) {
            let loser = place(slot, read_flag(name, &value)?, is_legacy);
            self.overrule(standard, loser);
        } else {
            match standard {
                "type" => self.message_type = Some(MessageType::read(&value)?),
                "content" => self.content = Some(Content::read(name, value)?),
                "metadata" => self.metadata = Some(read_object(name, value)?),
                _ => self.take_specific(standard, name, value)?,
            }
        }
        Ok(())
    }

    fn take_specific(&mut self, standard: &str, name: &str, value: Value) -> Result<(), Refusal> {
        let Some(checked) = check_specific(standard, name, &value) else {
            self.other.insert(name.to_owned(), value);
            return Ok(());
        };
        checked?;
        let mut slot = self.specific.remove(standard);
        let loser = place(&mut slot, value, standard != name);
        slot.map(|value| self.specific.insert(standard.to_owned(), value));
        self.overrule(standard, loser);
        Ok(())
    }

    fn text_slot(&mut self, name: &str) -> Option<&mut Option<String>> {
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
    pub(super) fn overrule(&mut self, name: &str, loser: Option<impl Into<Value>>) {
        if let Some(loser) = loser {
            self.overruled.insert(name.to_owned(), loser.into());
        }
    }

    /// The content counts before the text beside it. The text beside an object only tells the object again.
    fn settle_text(&mut self, text: Option<String>) {
        match (&self.content, text) {
            (None, text) => self.content = text.map(Content::Text),
            (Some(Content::Text(content)), Some(text)) if *content != text => self.overrule(TEXT, Some(text)),
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
    is_base
        || check_specific(name, name, &Value::Null).is_some()
        || none.text_slot(name).is_some()
        || none.flag_slot(name).is_some()
}

/// Whether the format gives this name no meaning, so that a field of it is kept as it is.
pub(super) fn is_other(name: &str) -> bool {
    !is_standard(name) && standard_name(name) == name && name != TEXT && name != super::row::KEY
}

/// Whether the field of this name belongs to certain types, and this is a value for it.
pub(super) fn is_specific(name: &str, value: &Value) -> bool {
    !value.is_null() && matches!(check_specific(name, name, value), Some(Ok(())))
}

fn standard_name(name: &str) -> &str {
    // Only legacy names have capitals.
    if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return name;
    }
    let found = SPELLINGS.iter().find(|(_, legacy)| *legacy == name);
    found.map_or(name, |(standard, _)| standard)
}

/// Checks the sort of a field that belongs to certain types; none when there is no such field.
fn check_specific(standard: &str, name: &str, value: &Value) -> Option<Result<(), Refusal>> {
    let (is_right, wanted) = match standard {
        "context_id" | "status" | "action" | "error_code" | "severity" => (value.is_string(), "a text"),
        "recoverable" => (value.is_boolean(), "true or false"),
        "target_agents" => return Some(check_texts(name, value)),
        "context_data" | "result" | "error_details" => (true, "anything"),
        _ => return None,
    };
    Some(if is_right { Ok(()) } else { Err(wrong(name, wanted, value)) })
}

fn check_texts(name: &str, value: &Value) -> Result<(), Refusal> {
    let Value::Array(items) = value else { return Err(wrong(name, "a list of texts", value)) };
    match items.iter().position(|item| !item.is_string()) {
        Some(place) => Err(wrong(&format!("{name}[{place}]"), "a text", &items[place])),
        None => Ok(()),
    }
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
fn place_text(slot: &mut Option<String>, text: String, is_legacy: bool) -> Option<String> {
    match slot {
        Some(held) if held.is_empty() => {
            *held = text;
            None
        }
        Some(_) if text.is_empty() => None,
        _ => place(slot, text, is_legacy),
    }
}

fn read_text(name: &str, value: Value) -> Result<String, Refusal> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong(name, "a text", &other)),
    }
}

fn read_flag(name: &str, value: &Value) -> Result<bool, Refusal> {
    value.as_bool().ok_or_else(|| wrong(name, "true or false", value))
}

fn read_object(name: &str, value: Value) -> Result<Map<String, Value>, Refusal> {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(wrong(name, "an object", &other)),
    }
}
