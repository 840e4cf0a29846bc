//! Caco: session events, and the other files of its store.
//!
//! Caco writes the sender of a prompt into the text (`[scheduler:daily] Report`), which anybody can type. This dialect
//! reads the source from the fields of an event. It parses a prefix only in histories without these fields, and writes
//! one only for models ([`for_model`]).

mod decode;
mod encode;
mod page;
mod post;
mod source;
mod stored;
mod wire;

use parlour_core::Refusal;
use serde_json::Value;

use crate::{DecodeContext, Item, json::Json};

pub use self::{
    page::{
        EmbedQueue, OutputFile, OutputName, OutputPart, output_marker, output_parts, parse_output_file,
        parse_output_name, passes_filter, tool_end_text, tool_start_text,
    },
    post::{ImageData, PostBody, decode_post, parse_image_data},
    source::{MessageSource, for_model, parse_message_source, parse_stored_source, prefix_message_source},
    stored::{LastRun, OutputMetadata, OutputType, RunResult, Schedule, SessionMeta, Timing},
};

pub(crate) use self::{decode::decode_json, encode::encode_json};

/// The name of the dialect, and the key of its own fields in the metadata of native messages.
pub const NAME: &str = "caco";

/// The author name of Caco itself.
const SYSTEM_NAME: &str = "Caco";

/// Decodes one event: `{type, data, …}`, or an event inside a socket frame (`{type: "event", sessionId, event}`).
/// Events without a native counterpart and events of unknown types become signals.
pub fn decode(value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    decode_json(value.into(), decode_context)
}

/// Encodes one item such that decoding returns the same item.
pub fn encode(item: &Item) -> Option<Value> {
    encode_json(item).map(Json::into_value)
}

/// Encodes one item for live readers: clean text, source in fields, no preserved fields and no extras.
pub fn encode_broadcast(item: &Item) -> Option<Value> {
    encode::encode_broadcast_json(item).map(Json::into_value)
}
