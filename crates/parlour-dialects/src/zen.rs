//! Messages of the store that the specification of seed 001 describes.
//!
//! Its ids contain colons, so they are hashed and preserved. Fields without a native meaning, such as the token and
//! the resolution of a blocking message, are preserved too. A Redis hash contains only texts; such encodings are
//! decoded and encoded unchanged.

mod decode;
mod encode;
mod prompt;
mod wire;

use parlour_core::Refusal;
use serde_json::Value;

use crate::{DecodeContext, Item, json::Json};

pub use self::prompt::injection_text;

pub(crate) use decode::decode_json;
pub(crate) use encode::encode_json;

/// The name of the dialect, and the key of its own fields in the metadata of native messages.
pub const NAME: &str = "zen";

/// The fields that a Redis hash contains as JSON text.
pub(crate) const JSON_FIELDS: &[&str] = &["artifacts", "context", "members", "mentions", "meta", "resolved_by"];

/// Decodes one message. Records of channels, threads and DMs become signals.
pub fn decode(value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    decode_json(value.into(), decode_context)
}

/// Encodes one message; other frames have no form.
pub fn encode(item: &Item) -> Option<Value> {
    encode_json(item).map(Json::into_value)
}
