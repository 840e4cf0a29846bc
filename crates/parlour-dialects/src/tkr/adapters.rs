//! Turning one spelling into the other, and anything that is read into the standard form.

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::{
    moment::moment,
    row,
    spelling::{SPELLINGS, Spelling, TEXT, legacy_for, standard_for},
    wire::Wire,
};
use crate::{DecodeContext, json::Json};

/// The standard form of a message in any form, with what it leaves out.
///
/// A missing id follows from the rest of the message, a missing time is that of the scene, a missing session is `default`
/// and a missing type `text`. What breaks the rules of the format is refused.
pub fn normalize_message(message: Value, scene: &DecodeContext) -> Result<Value, Refusal> {
    let message = Json::from(message);
    let mut wire = match row::as_row(&message) {
        Some(row) => row::message_of(row)?,
        None => Wire::read(message)?,
    };
    wire.fill(scene.now);
    wire.check()?;
    moment("timestamp", wire.timestamp.as_deref().unwrap_or_default())?;
    Ok(Value::Object(wire.write(Spelling::Standard).into_map()))
}

/// Whether a message has an id, and a session by its standard name. A message may have both forms.
pub fn is_standard_format(message: &Value) -> bool {
    has(message, "id") && has(message, "session_id")
}

/// Whether a message has an id, and a session by its legacy name. A message may have both forms.
pub fn is_legacy_format(message: &Value) -> bool {
    has(message, "id") && has(message, "sessionId")
}

/// The standard spelling of a message, with nothing added. Where both spellings of a field stand in it, the legacy one
/// counts; of `content` and `text`, `content` does. What is no object stays as it is.
pub fn legacy_to_standard(message: Value) -> Value {
    let Value::Object(fields) = message else { return message };
    Value::Object(standard_fields(fields))
}

/// The legacy spelling of a standard message. A content that is a text is told twice, as `content` and as `text`. Rows of
/// the store have one spelling only; they and what is no object stay as they are.
pub fn standard_to_legacy(message: Value) -> Value {
    if message.get(row::KEY).is_some() {
        return message;
    }
    let Value::Object(fields) = message else { return message };
    // In both spellings at once, the legacy one counts; that is settled in the standard one.
    let mut fields =
        if fields.keys().any(|name| standard_for(name).is_some()) { standard_fields(fields) } else { fields };
    if let Some(Value::String(text)) = fields.get("content") {
        let text = Value::String(text.clone());
        fields.insert(TEXT.to_owned(), text);
    }
    Value::Object(
        fields.into_iter().map(|(name, value)| (legacy_for(&name).map_or(name, str::to_owned), value)).collect(),
    )
}

fn standard_fields(mut fields: Map<String, Value>) -> Map<String, Value> {
    for (standard, legacy) in SPELLINGS {
        rename(&mut fields, legacy, standard);
    }
    let text = fields.remove(TEXT).filter(|text| !text.is_null());
    if let Some(text) = text.filter(|_| fields.get("content").is_none_or(Value::is_null)) {
        fields.insert("content".to_owned(), text);
    }
    fields
}

/// Gives a field its other name. What stood there gives way, unless the field says nothing.
fn rename(fields: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = fields.remove(from)
        && (says_something(&value) || !fields.contains_key(to))
    {
        fields.insert(to.to_owned(), value);
    }
}

fn has(message: &Value, name: &str) -> bool {
    message.get(name).is_some_and(|value| !value.is_null())
}

fn says_something(value: &Value) -> bool {
    !value.is_null() && value != ""
}
