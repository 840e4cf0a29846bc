//! pynchy: the rows of its database, and what it makes of them for models and for people.
//!
//! A row becomes a native message by [`decode`] and a row again by [`encode`]. `message_type` decides the kind, `sender`
//! the author, `chat_jid` the channel, and the columns `id` and `chat_jid` together the id: in pynchy an id is unique in
//! its chat only. What a row says beyond that stands in the metadata under `pynchy`; what a row cannot say of a native
//! message stands in its `metadata` column under `parlour`.
//!
//! RelatedLookups the rows there are the forms in which pynchy shows messages: to models ([`format_messages_for_sdk`],
//! [`format_messages_xml`]), in channels ([`render`]), and over HTTP ([`decode_http`], [`encode_http`]).

mod columns;
mod command_result;
mod cut;
mod for_models;
mod http;
mod meaning;
mod metadata_text;
mod notice;
mod place;
mod python_json;
mod render;
mod row;
mod sender;
mod tags;
mod time;
mod tool_preview;

use std::{borrow::Cow, sync::LazyLock};

use parlour_core::{Refusal, id::ProjectId, message::Message};
use serde_json::{Map, Value};

pub use command_result::CommandResult;
pub use for_models::{PromptMessage, format_messages_for_sdk, format_messages_xml, parse_messages_xml};
pub use http::{decode_http, encode_http, encode_http_entry};
pub use notice::{notice_lines, system_prompt_with_notices};
pub use render::{Era, Style, exit_code, is_error, render};
pub use row::Row;
pub use tags::{Answer, show_internal, split_host, strip_internal};
pub use time::moment;
pub use tool_preview::tool_preview;

pub(crate) use python_json::written as python_text;

use columns::Columns;
use meaning::RowMeaning;
use metadata_text::MetadataColumn;
use place::{ConversationKey, chat_jid};
use row::{RowContent, is_absent, noted};

use crate::{
    DecodeContext, Frame, Item,
    extras::{self, KEY},
    json::{Json, Object},
};

/// The columns that hold JSON as text.
pub(crate) const JSON_COLUMNS: &[&str] = &["metadata"];

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "pynchy";

/// The project of every message that a row tells: pynchy has none.
static NOWHERE: LazyLock<ProjectId> = LazyLock::new(|| ProjectId::from_bits(0));

/// Reads one row.
pub fn decode(value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
    read(Json::from(value), scene)
}

/// Writes one row; only whole messages are rows.
pub fn encode(item: &Item) -> Option<Value> {
    write(item).map(Json::into_value)
}

/// Reads one row, whose texts may stand elsewhere.
pub(crate) fn read(json: Json<'_>, _scene: &DecodeContext) -> Result<Item, Refusal> {
    let mut columns = Columns::take(json)?;
    let content = columns.take_content()?;
    let meaning = columns.meaning()?;
    let mut spelling = columns.spelling(meaning.sender, meaning.kind);
    let mut notes = metadata_text::read(columns.metadata.as_ref(), &mut spelling)?;
    spelling.set_some(NAME, notes.take(NAME));
    // Both are nearly always empty or small, so they grow field by field.
    let owned = |(name, value): (Cow<'_, str>, Json<'_>)| (name.into_owned(), value.into_value());
    let mut kept: Map<_, _> = Map::new();
    kept.extend(spelling.into_iter().map(owned));
    kept.extend(meaning.unsaid().map(|(name, text)| (name.to_owned(), text.into())));
    let mut around = Object::default();
    around.set_some(KEY, notes.take(KEY));
    let mut message = meaning.into_message(content.into_owned());
    message.metadata.extend(notes.into_iter().map(owned));
    message.metadata.insert(NAME.to_owned(), kept.into());
    extras::take_back(&mut message, &mut around).map_err(|refusal| refusal.at("metadata"))?;
    Ok(Item::message(message))
}

/// Writes one row, whose texts are those of the message.
pub(crate) fn write(item: &Item) -> Option<Json<'_>> {
    if item.frame != Frame::Message {
        return None;
    }
    let message = &item.message;
    let place = ConversationKey::of(message);
    let notes = MetadataColumn::new(noted(message), kept(message));
    let mut columns = Columns::of(RowContent::at(message, &place), kept(message));
    if !(notes.are_none() && is_absent(kept(message), "metadata")) {
        columns.metadata = Some(Json::Null);
    }
    let extras = unsaid(message, place, &columns, &notes);
    if columns.metadata.is_some() || extras.is_some() {
        columns.metadata = Some(notes.into_column(extras));
    }
    Some(columns.into_json())
}

/// What a reader of the row would not understand of the message. What it would is known without reading the row.
fn unsaid<'a>(
    message: &'a Message,
    place: ConversationKey<'a>,
    columns: &Columns<'a>,
    notes: &MetadataColumn<'a>,
) -> Option<Object<'a>> {
    let meaning = RowMeaning {
        place,
        sender: sender::said(&message.from),
        sender_name: said_text(columns.sender_name.as_ref()),
        kind: message.kind,
        timestamp: said_text(columns.timestamp.as_ref()),
        at: message.created_at,
    };
    let are_notes_told = tells_notes(message, &meaning, columns, notes);
    let mut extras = extras::unsaid(message, &meaning.into_message(String::new())).unwrap_or_default();
    // The text is always told, so it need not be copied to be compared.
    extras.take("body");
    let metadata = extras.take("metadata").unwrap_or_else(|| Object::default().into());
    // A column with extras gets another text, so a spelling of it that was kept would not be found again by reading it.
    let is_spelled = |name| kept(message).is_some_and(|kept| kept.contains_key(name));
    let loses_spelling = || is_spelled(metadata_text::TEXT) || is_spelled("absent");
    if !are_notes_told || (!extras.is_empty() && loses_spelling()) {
        extras.set("metadata", metadata);
    }
    (!extras.is_empty()).then_some(extras)
}

fn said_text<'a>(column: Option<&'a Json<'_>>) -> &'a str {
    column.and_then(Json::as_str).unwrap_or_default()
}

/// Whether a reader of the row finds the metadata of the message: its notes, and what is kept of the row itself.
fn tells_notes(message: &Message, meaning: &RowMeaning<'_>, columns: &Columns<'_>, notes: &MetadataColumn<'_>) -> bool {
    let Some(own) = kept(message).filter(|_| !message.metadata.contains_key(KEY)) else { return false };
    let mut found = columns.spelling(meaning.sender, meaning.kind);
    let is_whole = notes.keep_in(&mut found);
    meaning.unsaid().for_each(|(name, text)| found.set(name, text));
    found.set_some(NAME, own.get(NAME).map(Json::of));
    is_whole && found == Object::of(own)
}

/// What an earlier row said that the message has no field for. Anybody may have put it there, so each entry is used only
/// where it fits the message.
fn kept(message: &Message) -> Option<&Map<String, Value>> {
    message.metadata.get(NAME)?.as_object()
}
