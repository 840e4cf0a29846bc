//! The result of decoding, and its inputs.

use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    message::Message,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The meaning of a foreign frame or row for a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// A message: complete, or started if its state is streaming.
    #[default]
    Message,
    /// The author is writing; there is no text yet.
    Typing,
    /// A further part of the text; the body contains only this part.
    Piece,
    /// A step started or ended; `steps` contains only this step.
    Step,
    /// A frame without meaning outside its dialect, such as a heartbeat. The metadata contain all of it.
    Signal,
}

/// One frame or row of a dialect as a native message. In frames other than `Message`, missing fields have default
/// values.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub frame: Frame,
    pub message: Message,
}

impl Item {
    /// A complete message.
    pub fn message(message: Message) -> Self {
        Self { frame: Frame::Message, message }
    }

    /// A frame that only this dialect can interpret.
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

/// The context in which a foreign message is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeContext {
    /// The time of messages without a time of their own.
    pub now: Timestamp,
    /// Whether author prefixes in the text are trusted.
    pub trust: InputTrust,
}

/// Whether a text may name its own author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputTrust {
    /// Input of a connection: prefixes in the text are not interpreted. A surface takes author, kind and time from the
    /// connection and never from the item.
    Live,
    /// A stored history that a person chose to import.
    History,
}

impl DecodeContext {
    /// Decodes a history at this time.
    pub fn history(now: Timestamp) -> Self {
        Self { now, trust: InputTrust::History }
    }

    /// Decodes live input at this time.
    pub fn live(now: Timestamp) -> Self {
        Self { now, trust: InputTrust::Live }
    }
}
