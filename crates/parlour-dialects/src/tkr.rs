//! TKR Multi-Agent Chat: its standard message form, its legacy form, the rows of its store, and the adapters between them.
//!
//! The standard form has names such as `session_id`, the legacy form `sessionId`; on its wire both often stand in one
//! message. All of them are read. Where two spellings of a field differ, the legacy one counts.

mod adapters;
mod content;
mod decode;
mod encode;
mod fill;
mod kept;
mod message_type;
mod moment;
mod row;
mod sender;
mod specific;
mod spelling;
mod stream;
mod validate;
mod wire;

use parlour_core::Refusal;
use serde_json::Value;

use crate::{DecodeContext, Item, json::Json};

pub use adapters::{is_legacy_format, is_standard_format, legacy_to_standard, normalize_message, standard_to_legacy};
pub(crate) use spelling::Spelling;
pub use validate::validate;

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "tkr";

/// Reads one message in any spelling, or one row of the store.
pub fn decode(value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
    read(value.into(), scene)
}

/// Writes one item in the standard form; what came as a row goes as one.
pub fn encode(item: &Item) -> Option<Value> {
    write(item, Spelling::Standard).map(Json::into_value)
}

/// Writes one item in the legacy form; what came as a row goes as one.
pub fn encode_legacy(item: &Item) -> Option<Value> {
    write(item, Spelling::Legacy).map(Json::into_value)
}

/// Reads one message in any spelling, or one row of the store.
pub(crate) fn read(json: Json<'_>, scene: &DecodeContext) -> Result<Item, Refusal> {
    match json {
        Json::Object(row) if row.contains(row::KEY) => row::read(row, scene),
        message => decode::read(message, scene),
    }
}

/// Writes one item; what came as a row goes as one, and rows have one spelling only.
pub(crate) fn write(item: &Item, spelling: Spelling) -> Option<Json<'_>> {
    row::write(item).or_else(|| encode::write(item, spelling)).map(Json::Object)
}
