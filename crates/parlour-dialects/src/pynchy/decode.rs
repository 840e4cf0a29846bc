//! Decodes rows to native messages.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    id::{ChannelId, ConversationId, MessageId},
    message::{Kind, Message},
};
use serde_json::{Map, Value};

use super::{
    NAME,
    metadata::decode_metadata,
    wire::{self, Columns, NIL_PROJECT, preserved},
};
use crate::{
    DecodeContext, Item,
    extras::{self, KEY},
    foreign_id::{NativeId, foreign_author, foreign_text, native_id},
    json::{Json, Object},
};

/// Like [`super::decode()`], for borrowed JSON.
pub(crate) fn decode_json(json: Json<'_>, _decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let mut columns = Columns::take(json)?;
    let content = columns.take_content()?;
    let row = columns.decode()?;
    let mut encoding = columns.encoding(row.sender, row.kind);
    let mut metadata = decode_metadata(columns.metadata.as_ref(), &mut encoding)?;
    encoding.set_some(NAME, metadata.take(NAME));
    // Both are nearly always empty or small, so they grow field by field.
    let owned = |(name, value): (Cow<'_, str>, Json<'_>)| (name.into_owned(), value.into_value());
    let mut preserved: Map<_, _> = Map::new();
    preserved.extend(encoding.into_iter().map(owned));
    preserved.extend(row.deviations().map(|(name, text)| (name.to_owned(), text.into())));
    let mut extras_field = Object::default();
    extras_field.set_some(KEY, metadata.take(KEY));
    let mut message = row.into_message(content.into_owned());
    message.metadata.extend(metadata.into_iter().map(owned));
    message.metadata.insert(NAME.to_owned(), preserved.into());
    extras::take_and_restore(&mut message, &mut extras_field).map_err(|refusal| refusal.at("metadata"))?;
    Ok(Item::message(message))
}

/// The values of a row, without text and metadata.
pub(super) struct DecodedRow<'a> {
    pub(super) key: RowKey<'a>,
    pub(super) sender: &'a str,
    /// Empty if the row has none.
    pub(super) sender_name: &'a str,
    pub(super) kind: Kind,
    /// The text of the time.
    pub(super) timestamp: &'a str,
    pub(super) at: Timestamp,
}

impl<'a> DecodedRow<'a> {
    pub(super) fn into_message(self, body: String) -> Message {
        let Self { key, sender, sender_name, kind, at, .. } = self;
        let author = foreign_author(NAME, wire::sender_author_type(sender, kind), sender, sender_name);
        let mut message = Message::plain(key.message, NIL_PROJECT.clone(), key.channel.into(), author, body, at);
        message.kind = kind;
        message
    }

    /// The values that the message does not contain, by the names under which they are preserved: the key, and an
    /// unusual time text.
    pub(super) fn deviations(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        let RowKey { id, chat_jid, channel, .. } = &self.key;
        let chat_jid = (foreign_text(channel) != *chat_jid).then_some(("chat_jid", *chat_jid));
        let timestamp = (!wire::is_canonical_time(self.timestamp, self.at)).then_some(("timestamp", self.timestamp));
        chat_jid.into_iter().chain([("id", *id)]).chain(timestamp)
    }
}

/// The key of a row, and the native ids for it.
#[derive(Clone)]
pub(super) struct RowKey<'a> {
    pub(super) id: &'a str,
    pub(super) chat_jid: &'a str,
    pub(super) message: MessageId,
    pub(super) channel: ChannelId,
}

impl<'a> RowKey<'a> {
    pub(super) fn new(id: &'a str, chat_jid: &'a str) -> Self {
        Self { id, chat_jid, message: row_id(id, chat_jid), channel: native_id(chat_jid) }
    }

    /// The key of a message: the preserved one if it gives these ids, else one derived from the ids.
    pub(super) fn of(message: &'a Message) -> Self {
        let text = |name| preserved(message).and_then(|preserved| preserved.get(name)).and_then(Value::as_str);
        let text = |name| text(name).filter(|text| !text.is_empty());
        let (chat_jid, channel) = chat_and_channel(message, text("chat_jid"));
        let from_row = text("id").map(|id| (id, row_id(id, chat_jid)));
        let (id, row) = from_row.filter(|(_, row)| *row == message.id).unwrap_or_else(|| {
            let id = id_text(&message.id);
            (id, row_id(id, chat_jid))
        });
        Self { id, chat_jid, message: row, channel }
    }
}

/// The chat of a message.
pub(super) fn chat_jid(message: &Message) -> &str {
    let jid = preserved(message).and_then(|preserved| preserved.get("chat_jid")).and_then(Value::as_str);
    chat_and_channel(message, jid).0
}

fn chat_and_channel<'a>(message: &'a Message, preserved: Option<&'a str>) -> (&'a str, ChannelId) {
    let ConversationId::Channel(channel) = &message.to else {
        let id = message.to.as_str();
        return (id, native_id(id));
    };
    let from_row = preserved.map(|jid| (jid, native_id(jid)));
    from_row.filter(|(_, found)| found == channel).unwrap_or_else(|| (id_text(channel), native_id(id_text(channel))))
}

/// The text of an id, never empty: a row without a key is refused.
fn id_text<I: NativeId>(id: &I) -> &str {
    Some(foreign_text(id)).filter(|text| !text.is_empty()).unwrap_or(id.as_text())
}

/// The native id of a row. It depends on the chat too, because the same id can occur in several chats.
fn row_id(id: &str, chat_jid: &str) -> MessageId {
    // The length distinguishes (`a`, `b:c`) from (`a:b`, `c`), and the colons force a hash.
    let length = chat_jid.len().to_string();
    native_id(&[&length, ":", chat_jid, ":", id].concat())
}
