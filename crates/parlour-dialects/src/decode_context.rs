//! The context of decoding: time and trust.

use parlour_core::Timestamp;

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
