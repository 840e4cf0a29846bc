//! What all dialects are turned into and made from.

use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    message::Message,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a foreign frame or row says about a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// The message itself: whole or, when its state says so, just begun.
    #[default]
    Message,
    /// Its author is at work on it; there is no text yet.
    Typing,
    /// More of its text: the body holds the new piece alone.
    Piece,
    /// One of its steps began or ended: `steps` holds that one alone.
    Step,
    /// Something that means nothing outside its dialect, as a sign of life. It is kept whole in the metadata.
    Signal,
}

/// One frame or row of a dialect, in the words of the domain. Of a frame that is no whole message, the fields that it
/// does not tell have their plain values.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it says about the message.
    pub frame: Frame,
    /// The message, as far as it is told.
    pub message: Message,
}

impl Item {
    /// A whole message.
    pub fn message(message: Message) -> Self {
        Self { frame: Frame::Message, message }
    }

    /// Something that only this dialect understands.
    pub fn signal(dialect: &str, value: Value, at: Timestamp) -> Self {
        let author = Author { author_type: AuthorType::Host, id: None, name: dialect.to_owned() };
        let (id, to) = (MessageId::from_bits(0), ChannelId::from_bits(0).into());
        let mut message = Message::plain(id, ProjectId::from_bits(0), to, author, String::new(), at);
        message.metadata.insert(dialect.to_owned(), value);
        Self { frame: Frame::Signal, message }
    }

    /// The value of a signal of this dialect.
    pub fn as_signal(&self, dialect: &str) -> Option<&Value> {
        (self.frame == Frame::Signal).then(|| self.message.metadata.get(dialect)).flatten()
    }
}
