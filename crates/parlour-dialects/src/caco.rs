//! Caco: the events of its sessions, and what it stores beside them.
//!
//! Caco writes who sent a prompt into the text (`[scheduler:daily] Report`), so that anybody can type it. Here a source
//! is read from the fields of an event; the text is asked only in a history that has no such fields, and a prefix is
//! written only for models ([`for_model`]).

mod embed_queue;
mod event;
mod filter;
mod image;
mod kept;
mod output;
mod post;
mod read;
mod source;
mod stored;
mod tool;
mod tool_text;
mod write;

use parlour_core::Refusal;
use serde_json::Value;

use crate::{DecodeContext, Item, json::Json};

pub(crate) use read::read;
pub(crate) use write::write;

pub use embed_queue::EmbedQueue;
pub use filter::passes_filter;
pub use image::{ImageData, parse_image_data};
pub use output::{
    OutputFile, OutputName, OutputPart, output_marker, output_parts, parse_output_file, parse_output_name,
};
pub use post::{PostBody, decode_post};
pub use source::{MessageSource, for_model, parse_message_source, parse_stored_source, prefix_message_source};
pub use stored::{LastRun, OutputMetadata, OutputType, RunResult, Schedule, SessionMeta, Timing};
pub use tool_text::{tool_end_text, tool_start_text};

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "caco";

/// The name under which Caco itself speaks.
const SYSTEM_NAME: &str = "Caco";

/// Reads one event: `{type, data, …}`, or one that a socket wraps (`{type: "event", sessionId, event}`). Events that
/// mean nothing elsewhere, and those of types that are not known, are signals.
pub fn decode(value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
    read(value.into(), scene)
}

/// Writes one item, so that it is read as the same again.
pub fn encode(item: &Item) -> Option<Value> {
    write(item).map(Json::into_value)
}

/// Writes one item for the readers of a connection: the text is clean, the source stands in fields, and nothing is told
/// that is only kept for the way back.
pub fn encode_broadcast(item: &Item) -> Option<Value> {
    write::write_broadcast(item).map(Json::into_value)
}
