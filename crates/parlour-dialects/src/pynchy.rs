//! pynchy: the rows of its database, and what it makes of them for models and for people.
//!
//! A row becomes a native message by [`decode`] and a row again by [`encode`]. `message_type` decides the kind, `sender`
//! the author, `chat_jid` the channel, and the columns `id` and `chat_jid` together the id: in pynchy an id is unique in
//! its chat only. What a row says beyond that stands in the metadata under `pynchy`; what a row cannot say of a native
//! message stands in its `metadata` column under `parlour`.
//!
//! Beside the rows there are the forms in which pynchy shows messages: to models ([`format_messages_for_sdk`],
//! [`format_messages_xml`]), in channels ([`render`]), and over HTTP ([`decode_http`], [`encode_http`]).

mod columns;
mod command_result;
mod cut;
mod for_models;
mod http;
mod metadata_text;
mod notice;
mod place;
mod render;
mod row;
mod sender;
mod tags;
mod time;
mod tool_preview;

use std::sync::LazyLock;

use parlour_core::{Refusal, id::ProjectId, message::Message};
use serde_json::{Map, Value};

pub use command_result::CommandResult;
pub use for_models::{PromptMessage, format_messages_for_sdk, format_messages_xml, parse_messages_xml};
pub use http::{decode_http, encode_http, encode_http_entry};
pub use notice::{notice_lines, system_prompt_with_notices};
pub use render::{Era, Style, exit_code, is_error, render};
pub use row::Row;
pub use tags::{Answer, show_internal, split_host, strip_internal};
pub use tool_preview::tool_preview;

use columns::{Columns, Meaning};
use place::{Place, chat_jid};

use crate::{
    Frame, Item, Scene,
    extras::{self, KEY},
    foreign_author::foreign_author,
    foreign_id::said,
};

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "pynchy";

/// The project of every message that a row tells: pynchy has none.
static NOWHERE: LazyLock<ProjectId> = LazyLock::new(|| ProjectId::from_bits(0));

/// Reads one row.
pub fn decode(value: Value, _scene: &Scene) -> Result<Item, Refusal> {
    let mut columns = Columns::take(value)?;
    let content = columns.take_content()?;
    let meaning = columns.meaning()?;
    let place = Place::new(meaning.id, meaning.chat_jid);
    understood(meaning, place, content).map(Item::message)
}

/// Writes one row; only whole messages are rows.
pub fn encode(item: &Item) -> Option<Value> {
    if item.frame != Frame::Message {
        return None;
    }
    let message = &item.message;
    let place = Place::of(message);
    let mut columns = Columns::of(Row::at(message, &place), kept(message));
    // What `decode` would understand, without the way over a value: the columns are the same, and so is the place.
    let told = |columns: &Columns| understood(columns.meaning()?, place.clone(), message.body.clone());
    let understood = told(&columns).or_else(|_| {
        // Notes that are nested too deeply for a row are not said as its own; they are kept with the extras.
        columns.metadata = Some(Value::Null);
        told(&columns)
    });
    let extras = match understood {
        Ok(understood) => extras::missing(message, &understood),
        // Nothing was understood of it, so everything is kept. The laws hold that this never happens.
        Err(_) => extras::missing(message, &Item::signal("", Value::Null, message.created_at.plus_millis(1)).message),
    };
    if let Some(extras) = extras {
        put_extras(&mut columns, extras, message);
    }
    Some(columns.into_value())
}

/// The message that a row tells.
fn understood(meaning: Meaning, place: Place, content: String) -> Result<Message, Refusal> {
    let Meaning { sender, sender_name, timestamp, kind, mut metadata, mut kept, .. } = meaning;
    let at = time::read(timestamp).map_err(|refusal| refusal.at("timestamp"))?;
    let author = foreign_author(NAME, sender::author_type(sender, kind), sender, sender_name);
    kept.insert("id".to_owned(), place.id.into());
    if said(&place.channel) != place.chat_jid {
        kept.insert("chat_jid".to_owned(), place.chat_jid.into());
    }
    if !time::is_usual(timestamp, at) {
        kept.insert("timestamp".to_owned(), timestamp.into());
    }
    if let Some(own) = metadata.remove(NAME) {
        kept.insert(NAME.to_owned(), own);
    }
    let extras = metadata.remove(KEY);
    metadata.insert(NAME.to_owned(), kept.into());
    let mut message = Message::plain(place.message, NOWHERE.clone(), place.channel.into(), author, content, at);
    message.kind = kind;
    message.metadata = metadata;
    if let Some(extras) = extras {
        let mut around = Map::from_iter([(KEY.to_owned(), extras)]);
        extras::restore_from(&mut message, &mut around).map_err(|refusal| refusal.at("metadata"))?;
    }
    Ok(message)
}

/// What an earlier row said that the message has no field for. Anybody may have put it there, so each entry is used only
/// where it fits the message.
fn kept(message: &Message) -> Option<&Map<String, Value>> {
    message.metadata.get(NAME)?.as_object()
}

/// Puts into the metadata column what the row does not say.
fn put_extras(columns: &mut Columns, mut extras: Map<String, Value>, message: &Message) {
    // The column gets another text now, so a spelling of it that was kept would not be found again by reading it.
    let is_spelled = |name| kept(message).is_some_and(|kept| kept.contains_key(name));
    if is_spelled("metadata_text") || is_spelled("absent") {
        extras.entry("metadata").or_insert_with(|| message.metadata.clone().into());
    }
    if let Some(Value::Object(map)) = &mut columns.metadata {
        map.insert(KEY.to_owned(), extras.into());
        return;
    }
    let text = columns.metadata.as_ref().and_then(Value::as_str).unwrap_or_default();
    let mut map: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    map.insert(KEY.to_owned(), extras.into());
    columns.metadata = Some(metadata_text::written(&map).into());
}
