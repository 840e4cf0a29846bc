//! Streams: the growing text of an answer that its producer still writes.

use serde::{Deserialize, Serialize};

use crate::{
    Code, Refusal,
    id::{ConversationId, MessageId},
    limits,
    step::Step,
};

/// The state of a stream: the whole text so far, for readers that join later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StreamSnapshot {
    /// The message that is being written.
    pub message_id: MessageId,
    /// The conversation.
    pub conversation_id: ConversationId,
    /// Its text so far.
    pub text: String,
    /// The steps so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// A further piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Chunk {
    /// The message that is being written.
    pub message_id: MessageId,
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The number of characters (Unicode code points) before the chunk.
    pub start: u64,
    /// The piece.
    pub text: String,
}

/// A growing text that tracks its length in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrowingText {
    text: String,
    chars: u64,
}

impl GrowingText {
    /// A text that starts with this.
    pub fn new(text: String) -> Self {
        let chars = count_chars(&text);
        Self { text, chars }
    }

    /// The text so far.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its length in characters (Unicode code points): the start of the next chunk.
    pub fn chars(&self) -> u64 {
        self.chars
    }

    /// Adds a piece at its place.
    ///
    /// Without a start, the chunk is appended. A chunk that is already there with the same text is a repetition and
    /// changes nothing. Any other start is refused (`ChunkMisplaced`), and so is a text that grows too long.
    pub fn add(&mut self, start: Option<u64>, piece: &str) -> Result<(), Refusal> {
        match start {
            Some(start) if start != self.chars => self.check_repetition(start, piece),
            _ => self.push(piece),
        }
    }

    fn push(&mut self, piece: &str) -> Result<(), Refusal> {
        let (bytes, most) = (self.text.len() + piece.len(), limits::MESSAGE_BODY_BYTES_MAX);
        if bytes > most {
            let detail = format!("the text would have {bytes} bytes; at most {most} are allowed");
            return Err(Refusal::out_of_bounds(detail).at("text"));
        }
        self.text.push_str(piece);
        self.chars += count_chars(piece);
        Ok(())
    }

    fn check_repetition(&self, start: u64, piece: &str) -> Result<(), Refusal> {
        let is_there = usize::try_from(start)
            .ok()
            .filter(|_| start < self.chars)
            .and_then(|start| self.text.char_indices().nth(start))
            .is_some_and(|(at, _)| self.text[at..].starts_with(piece));
        if is_there {
            return Ok(());
        }
        let detail = format!("the text has {} characters; the next chunk must start at {}", self.chars, self.chars);
        Err(Refusal::new(Code::ChunkMisplaced, detail).at("start"))
    }
}

fn count_chars(text: &str) -> u64 {
    text.chars().count() as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_follow_each_other() {
        let mut text = GrowingText::new("Hé".into());
        assert_eq!(text.add(Some(2), "llo"), Ok(()));
        assert_eq!(text.add(None, " 👋"), Ok(()));
        assert_eq!((text.as_str(), text.chars()), ("Héllo 👋", 7));
    }

    #[test]
    fn a_repeated_piece_changes_nothing() {
        let mut text = GrowingText::new("Hello".into());
        assert_eq!(text.add(Some(2), "llo"), Ok(()));
        assert_eq!(text.add(Some(0), "He"), Ok(()));
        assert_eq!(text.as_str(), "Hello");
    }

    #[test]
    fn overlaps_and_holes_are_refused() {
        let mut text = GrowingText::new("Hello".into());
        for (start, piece) in [(2, "llo!"), (1, "a"), (6, "x"), (u64::MAX, "x")] {
            let refusal = text.add(Some(start), piece).expect_err(piece);
            assert_eq!(refusal.code, Code::ChunkMisplaced, "{start} {piece}");
        }
        assert_eq!(text.as_str(), "Hello");
    }

    #[test]
    fn a_streamed_text_has_a_size_limit() {
        let mut text = GrowingText::new("x".repeat(limits::MESSAGE_BODY_BYTES_MAX - 1));
        assert_eq!(text.add(None, "é").expect_err("too long").code, Code::OutOfBounds);
        assert_eq!(text.add(None, "e"), Ok(()));
    }

    proptest! {
        #[test]
        fn any_division_into_pieces_gives_the_same_text(pieces in proptest::collection::vec("\\PC{0,8}", 0..12)) {
            let mut text = GrowingText::default();
            for piece in &pieces {
                let start = text.chars();
                prop_assert_eq!(text.add(Some(start), piece), Ok(()));
                prop_assert_eq!(text.add(Some(start), piece).is_ok(), true);
            }
            prop_assert_eq!(text.as_str(), pieces.concat());
        }
    }
}
