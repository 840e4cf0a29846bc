//! TKR Multi-Agent Chat: its standard and legacy message forms, rows of its store, and adapters between the forms.
//!
//! The standard form has names such as `session_id`, the legacy form `sessionId`. Messages often contain both; all are
//! decoded. If the two values of a field differ, the legacy one counts.

mod decode;
mod encode;
mod preserved;
mod row;
mod values;
mod wire;

use parlour_core::Refusal;
use serde_json::{Map, Value};

use self::{
    values::parse_time,
    wire::{FIELD_NAMES, TEXT, WireMessage, legacy_name, standard_name},
};
use crate::{DecodeContext, Item, json::Json};

pub use self::decode::validate;

pub(crate) use self::wire::NameStyle;

/// The name of the dialect, and the key of its own fields in the metadata of native messages.
pub const NAME: &str = "tkr";

/// Decodes one message in any form, or one row of the store.
pub fn decode(value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    decode_json(value.into(), decode_context)
}

/// Encodes one item in the standard form; a decoded row becomes a row again.
pub fn encode(item: &Item) -> Option<Value> {
    encode_json(item, NameStyle::Standard).map(Json::into_value)
}

/// Encodes one item in the legacy form; a decoded row becomes a row again.
pub fn encode_legacy(item: &Item) -> Option<Value> {
    encode_json(item, NameStyle::Legacy).map(Json::into_value)
}

/// Like [`decode`], for borrowed JSON.
pub(crate) fn decode_json(json: Json<'_>, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    match json {
        Json::Object(row) if row.contains(row::KEY) => row::decode_row(row, decode_context),
        message => decode::decode_message(message, decode_context),
    }
}

/// Encodes one item, borrowing from it; a decoded row becomes a row again.
pub(crate) fn encode_json(item: &Item, style: NameStyle) -> Option<Json<'_>> {
    row::encode_row(item).or_else(|| encode::encode_message(item, style)).map(Json::Object)
}

/// Converts a message of any form to the standard form and fills missing fields.
///
/// A missing id is derived from the message, a missing time is that of decoding, a missing session is `default`, and a
/// missing type `text`. A message that breaks the rules of the format is refused.
pub fn normalize_message(message: Value, decode_context: &DecodeContext) -> Result<Value, Refusal> {
    let message = Json::from(message);
    let mut wire = match row::as_row(&message) {
        Some(row) => row::row_to_wire(row)?,
        None => WireMessage::read(message)?,
    };
    wire.fill(decode_context.now);
    wire.check()?;
    parse_time("timestamp", wire.timestamp.as_deref().unwrap_or_default())?;
    Ok(Value::Object(wire.write(NameStyle::Standard).into_map()))
}

/// Whether a message has an id and the standard name of the session. A message can have both forms.
pub fn is_standard_format(message: &Value) -> bool {
    has_value(message, "id") && has_value(message, "session_id")
}

/// Whether a message has an id and the legacy name of the session. A message can have both forms.
pub fn is_legacy_format(message: &Value) -> bool {
    has_value(message, "id") && has_value(message, "sessionId")
}

/// Renames the fields of a message to the standard names. If both names are present, the legacy one counts; of
/// `content` and `text`, `content` counts. A value that is not an object stays unchanged.
pub fn legacy_to_standard(message: Value) -> Value {
    let Value::Object(fields) = message else { return message };
    Value::Object(standard_fields(fields))
}

/// Renames the fields of a message to the legacy names. A text content is repeated as `text`. Rows and values that are
/// not objects stay unchanged.
pub fn standard_to_legacy(message: Value) -> Value {
    if message.get(row::KEY).is_some() {
        return message;
    }
    let Value::Object(fields) = message else { return message };
    // Resolves duplicates first: the legacy name counts.
    let mut fields =
        if fields.keys().any(|name| standard_name(name).is_some()) { standard_fields(fields) } else { fields };
    if let Some(Value::String(text)) = fields.get("content") {
        let text = Value::String(text.clone());
        fields.insert(TEXT.to_owned(), text);
    }
    Value::Object(
        fields.into_iter().map(|(name, value)| (legacy_name(&name).map_or(name, str::to_owned), value)).collect(),
    )
}

fn standard_fields(mut fields: Map<String, Value>) -> Map<String, Value> {
    for (standard, legacy) in FIELD_NAMES {
        rename(&mut fields, legacy, standard);
    }
    let text = fields.remove(TEXT).filter(|text| !text.is_null());
    if let Some(text) = text.filter(|_| fields.get("content").is_none_or(Value::is_null)) {
        fields.insert("content".to_owned(), text);
    }
    fields
}

/// Renames a field. Its value replaces an existing one unless it is empty.
fn rename(fields: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = fields.remove(from)
        && (is_filled(&value) || !fields.contains_key(to))
    {
        fields.insert(to.to_owned(), value);
    }
}

fn has_value(message: &Value, name: &str) -> bool {
    message.get(name).is_some_and(|value| !value.is_null())
}

fn is_filled(value: &Value) -> bool {
    !value.is_null() && value != ""
}
