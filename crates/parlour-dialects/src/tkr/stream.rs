//! How a growing answer is told: an empty stub, pieces, and the whole text.
//!
//! | flags | content | meaning |
//! |---|---|---|
//! | streaming, turn not complete | none | the author is at work on it |
//! | streaming, turn not complete | some | a further piece of its text |
//! | streaming, nothing about the turn | any | the message so far |
//! | anything else | any | the whole message |

use crate::Frame;

/// `streaming` and `turn_complete`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) streaming: Option<bool>,
    pub(super) turn_complete: Option<bool>,
}

impl Flags {
    pub(super) const NONE: Self = Self { streaming: None, turn_complete: None };
    /// Those of stubs and pieces.
    pub(super) const GROWING: Self = Self { streaming: Some(true), turn_complete: Some(false) };
    /// Those of a message that has begun.
    pub(super) const BEGUN: Self = Self { streaming: Some(true), turn_complete: None };
    /// Those of an answer that is whole.
    pub(super) const WHOLE: Self = Self { streaming: Some(false), turn_complete: Some(true) };

    /// What such a message tells.
    pub(super) fn frame(self, has_content: bool) -> Frame {
        match self {
            Self::GROWING if has_content => Frame::Piece,
            Self::GROWING => Frame::Typing,
            _ => Frame::Message,
        }
    }

    /// Whether the text still grows.
    pub(super) fn is_streaming(self) -> bool {
        matches!(self, Self::GROWING | Self::BEGUN)
    }
}
