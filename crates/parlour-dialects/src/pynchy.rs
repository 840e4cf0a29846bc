//! pynchy: the rows of its database, and what it makes of them for models and for people.
//!
//! A row becomes a native message by [`decode`] and a row again by [`encode`]. `message_type` decides the kind, `sender`
//! the author, `chat_jid` the channel, and the columns `id` and `chat_jid` together the id: in pynchy an id is unique in
//! its chat only. What a row says beyond that stands in the metadata under `pynchy`; what a row cannot say of a native
//! message stands in its `metadata` column under `parlour`.
//!
//! Beside the rows there are the forms in which pynchy shows messages: to models ([`format_messages_for_sdk`],
//! [`format_messages_xml`]), in channels ([`render`]), and over HTTP ([`decode_http`], [`encode_http`]).

mod column;
mod command_result;
mod cut;
mod for_models;
mod http;
mod notice;
mod render;
mod row;
mod sender;
mod tags;
mod time;
mod tool_preview;

use std::sync::LazyLock;

use parlour_core::{
    Refusal,
    id::{ChannelId, ConversationId, MessageId, ProjectId},
    message::Message,
};
use serde_json::{Map, Value};

pub use command_result::CommandResult;
pub use for_models::{PromptMessage, format_messages_for_sdk, format_messages_xml, parse_messages_xml};
pub use http::{decode_http, encode_http, encode_http_entry};
pub use notice::{notice_lines, system_prompt_with_notices};
pub use render::{Era, Style, exit_code, is_error, render};
pub use row::Row;
pub use tags::{Answer, show_internal, split_host, strip_internal};
pub use tool_preview::tool_preview;

use crate::{
    Frame, Item, Scene,
    extras::{self, KEY},
    foreign_author::foreign_author,
    foreign_id::{mapped, said, unsaid},
};

/// The dialect's name: how it is typed, and where native messages keep what only it can say.
pub const NAME: &str = "pynchy";

/// The project of every message that a row tells: pynchy has none.
static NOWHERE: LazyLock<ProjectId> = LazyLock::new(|| ProjectId::from_bits(0));

/// Reads one row.
pub fn decode(value: Value, _scene: &Scene) -> Result<Item, Refusal> {
    let (row, kept) = row::read(value)?;
    understood(row, kept).map(Item::message)
}

/// Writes one row; only whole messages are rows.
pub fn encode(item: &Item) -> Option<Value> {
    if item.frame != Frame::Message {
        return None;
    }
    let form = row::write(Row::of(&item.message), kept(&item.message));
    Some(extras::complete(item, form, decode, |form, extras| put_extras(form, extras, &item.message)))
}

/// The message that a row tells; `kept` holds what its spelling says beyond the row.
fn understood(row: Row, mut kept: Map<String, Value>) -> Result<Message, Refusal> {
    let at = time::read(&row.timestamp).map_err(|refusal| refusal.at("timestamp"))?;
    let id = row_id(&row.id, &row.chat_jid);
    let channel: ChannelId = mapped(&row.chat_jid);
    let author_type = sender::author_type(&row.sender, row.message_type);
    let author = foreign_author(NAME, author_type, &row.sender, row.sender_name.as_deref().unwrap_or_default());
    kept.insert("id".to_owned(), row.id.into());
    if let Some(jid) = unsaid(row.chat_jid, &channel) {
        kept.insert("chat_jid".to_owned(), jid.into());
    }
    if time::written(at) != row.timestamp {
        kept.insert("timestamp".to_owned(), row.timestamp.into());
    }
    let mut metadata = row.metadata.unwrap_or_default();
    if let Some(own) = metadata.remove(NAME) {
        kept.insert(NAME.to_owned(), own);
    }
    let extras = metadata.remove(KEY);
    metadata.insert(NAME.to_owned(), kept.into());
    let plain = Message::plain(id, NOWHERE.clone(), channel.into(), author, row.content, at);
    let mut message = Message { kind: row.message_type, metadata, ..plain };
    if let Some(extras) = extras {
        let mut around = Map::from_iter([(KEY.to_owned(), extras)]);
        extras::restore_from(&mut message, &mut around).map_err(|refusal| refusal.at("metadata"))?;
    }
    Ok(message)
}

/// The native id of a row. Its id alone would not do: the same one may stand in several chats.
fn row_id(id: &str, chat_jid: &str) -> MessageId {
    // The length keeps (`a`, `b:c`) and (`a:b`, `c`) apart, and the colons make every such text a fingerprint.
    mapped(&format!("{}:{chat_jid}:{id}", chat_jid.len()))
}

/// The chat to write for a conversation: the one that it came from, or the id of the conversation.
fn chat_jid(message: &Message) -> &str {
    let ConversationId::Channel(channel) = &message.to else { return message.to.as_str() };
    let jid = kept(message).and_then(|kept| kept.get("chat_jid")).and_then(Value::as_str);
    jid.filter(|jid| mapped::<ChannelId>(jid) == *channel).unwrap_or_else(|| said(channel))
}

/// What an earlier row said that the message has no field for. Anybody may have put it there, so each entry is used only
/// where it fits the message.
fn kept(message: &Message) -> Option<&Map<String, Value>> {
    message.metadata.get(NAME)?.as_object()
}

/// Puts into the metadata column what the row does not say.
fn put_extras(form: &mut Value, mut extras: Map<String, Value>, message: &Message) {
    let Some(columns) = form.as_object_mut() else { return };
    // The column gets another text now, so a spelling of it that was kept would not be found again by reading it.
    let is_spelled = |name| kept(message).is_some_and(|kept| kept.contains_key(name));
    if is_spelled("metadata_text") || is_spelled("absent") {
        extras.entry("metadata").or_insert_with(|| message.metadata.clone().into());
    }
    let column = columns.entry("metadata").or_insert(Value::Null);
    if let Value::Object(map) = column {
        map.insert(KEY.to_owned(), extras.into());
        return;
    }
    let text = column.as_str().unwrap_or_default();
    let mut map: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    map.insert(KEY.to_owned(), extras.into());
    *column = column::written(&map).into();
}
