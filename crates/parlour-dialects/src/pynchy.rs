//! pynchy: rows of its database, and their forms for models, channels and HTTP clients.
//!
//! `message_type` gives the kind, `sender` the author, `chat_jid` the channel, and `id` with `chat_jid` the message
//! id: an id is unique in its chat only. Other columns are preserved in the metadata under `pynchy`; native fields
//! without a column are in the `metadata` column under `parlour`.
//!
//! The other forms are prompts for models ([`format_messages_for_sdk`], [`format_messages_xml`]), texts in channels
//! ([`render`()]), and HTTP events ([`decode_http`], [`encode_http`]).

mod decode;
mod encode;
mod http;
mod metadata;
mod prompt;
mod render;
mod wire;

use parlour_core::Refusal;
use serde_json::Value;

use crate::{DecodeContext, Item, json::Json};

pub use self::{
    http::{decode_http, encode_http, encode_http_entry},
    prompt::{
        PromptMessage, TaggedAnswer, format_messages_for_sdk, format_messages_xml, notice_lines, parse_messages_xml,
        show_internal, split_host, strip_internal, system_prompt_with_notices,
    },
    render::{RenderOptions, RenderVersion, exit_code, is_error, render, tool_preview},
    wire::{CommandResult, Row, time_order_key},
};

pub(crate) use self::metadata::python_json as python_text;
pub(crate) use decode::decode_json;
pub(crate) use encode::encode_json;

/// The columns that contain JSON as text.
pub(crate) const JSON_COLUMNS: &[&str] = &["metadata"];

/// The name of the dialect, and the key of its own fields in the metadata of native messages.
pub const NAME: &str = "pynchy";

/// Decodes one row.
pub fn decode(value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    decode_json(Json::from(value), decode_context)
}

/// Encodes one message as a row; other frames have no row.
pub fn encode(item: &Item) -> Option<Value> {
    encode_json(item).map(Json::into_value)
}
