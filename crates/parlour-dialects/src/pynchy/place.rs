//! Where a row stands: its id and its chat, which together are its key.

use parlour_core::{
    id::{ChannelId, ConversationId, MessageId},
    message::Message,
};
use serde_json::Value;

use super::kept;
use crate::foreign_id::{MappedId, mapped, said};

/// A key there, and what it becomes here.
#[derive(Clone)]
pub(super) struct ConversationKey<'a> {
    pub(super) id: &'a str,
    pub(super) chat_jid: &'a str,
    pub(super) message: MessageId,
    pub(super) channel: ChannelId,
}

impl<'a> ConversationKey<'a> {
    /// The place that a key tells.
    pub(super) fn new(id: &'a str, chat_jid: &'a str) -> Self {
        Self { id, chat_jid, message: row_id(id, chat_jid), channel: mapped(chat_jid) }
    }

    /// The place to write for a message: the one that it came from, or one that its own ids give.
    pub(super) fn of(message: &'a Message) -> Self {
        let text = |name| kept(message).and_then(|kept| kept.get(name)).and_then(Value::as_str);
        let text = |name| text(name).filter(|text| !text.is_empty());
        let (chat_jid, channel) = chat(message, text("chat_jid"));
        let from_row = text("id").map(|id| (id, row_id(id, chat_jid)));
        let (id, row) = from_row.filter(|(_, row)| *row == message.id).unwrap_or_else(|| {
            let id = told(&message.id);
            (id, row_id(id, chat_jid))
        });
        Self { id, chat_jid, message: row, channel }
    }
}

/// The chat to write for a message.
pub(super) fn chat_jid(message: &Message) -> &str {
    let jid = kept(message).and_then(|kept| kept.get("chat_jid")).and_then(Value::as_str);
    chat(message, jid).0
}

fn chat<'a>(message: &'a Message, kept: Option<&'a str>) -> (&'a str, ChannelId) {
    let ConversationId::Channel(channel) = &message.to else {
        let id = message.to.as_str();
        return (id, mapped(id));
    };
    let from_row = kept.map(|jid| (jid, mapped(jid)));
    from_row.filter(|(_, mapped)| mapped == channel).unwrap_or_else(|| (told(channel), mapped(told(channel))))
}

/// The text to write for an id. It is never empty, as a row without a key would not be read.
fn told<I: MappedId>(id: &I) -> &str {
    Some(said(id)).filter(|text| !text.is_empty()).unwrap_or(id.text())
}

/// The native id of a row. Its id alone would not do: the same one may stand in several chats.
fn row_id(id: &str, chat_jid: &str) -> MessageId {
    // The length keeps (`a`, `b:c`) and (`a:b`, `c`) apart, and the colons make every such text a fingerprint.
    let length = chat_jid.len().to_string();
    mapped(&[&length, ":", chat_jid, ":", id].concat())
}
