//! What a row means, save the text of the message and its notes.

use parlour_core::{
    Timestamp,
    message::{Kind, Message},
};

use super::{NAME, NOWHERE, place::ConversationKey, sender, time};
use crate::{foreign_author::foreign_author, foreign_id::said};

/// What the columns of a row mean.
pub(super) struct RowMeaning<'a> {
    pub(super) place: ConversationKey<'a>,
    pub(super) sender: &'a str,
    /// Empty where the row has none.
    pub(super) sender_name: &'a str,
    pub(super) kind: Kind,
    /// The time as it is spelled, and the moment that it tells.
    pub(super) timestamp: &'a str,
    pub(super) at: Timestamp,
}

impl<'a> RowMeaning<'a> {
    /// The message, with this text.
    pub(super) fn into_message(self, body: String) -> Message {
        let Self { place, sender, sender_name, kind, at, .. } = self;
        let author = foreign_author(NAME, sender::author_type(sender, kind), sender, sender_name);
        let mut message = Message::plain(place.message, NOWHERE.clone(), place.channel.into(), author, body, at);
        message.kind = kind;
        message
    }

    /// What no field of the message gives back, by the names under which it is kept: the key, and an unusual spelling of
    /// the time.
    pub(super) fn unsaid(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        let ConversationKey { id, chat_jid, channel, .. } = &self.place;
        let chat_jid = (said(channel) != *chat_jid).then_some(("chat_jid", *chat_jid));
        let timestamp = (!time::is_usual(self.timestamp, self.at)).then_some(("timestamp", self.timestamp));
        chat_jid.into_iter().chain([("id", *id)]).chain(timestamp)
    }
}
