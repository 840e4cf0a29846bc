//! The text of an answer: what was written, and how much of it the hub has.

use parlour_core::limits;

/// How much is sent at once.
const PIECE_BYTES_MAX: usize = 16 * 1024;

/// A text that grows at its end and is handed to the hub piece by piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OutgoingText {
    text: String,
    /// How much of it the hub has, in bytes and in characters.
    had_bytes: usize,
    had_chars: u64,
    /// How long the piece is that is on its way. It must not change until it is answered: a longer one at the same
    /// place would overlap what the hub may have already.
    sent_bytes: Option<usize>,
}

/// A piece with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) text: String,
}

impl OutgoingText {
    /// A text of which the hub has everything so far.
    pub(super) fn known(text: &str) -> Self {
        let had_chars = text.chars().count() as u64;
        Self { text: text.to_owned(), had_bytes: text.len(), had_chars, sent_bytes: None }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Whether the hub lacks something.
    pub(super) fn is_pending(&self) -> bool {
        self.had_bytes < self.text.len()
    }

    /// The next piece to send; the same again until it was answered.
    pub(super) fn next_piece(&mut self) -> Option<Piece> {
        if !self.is_pending() {
            return None;
        }
        let rest = &self.text[self.had_bytes..];
        let bytes = *self.sent_bytes.get_or_insert_with(|| rest.floor_char_boundary(PIECE_BYTES_MAX));
        Some(Piece { start: self.had_chars, text: rest[..bytes].to_owned() })
    }

    /// The hub has the piece that was on its way.
    pub(super) fn arrived(&mut self) {
        let bytes = self.sent_bytes.take().unwrap_or(0);
        self.had_chars += self.text[self.had_bytes..self.had_bytes + bytes].chars().count() as u64;
        self.had_bytes += bytes;
    }

    /// Goes on from what the hub has, if that is the start of this text.
    pub(super) fn go_on_from(&mut self, had: &str) -> bool {
        if !self.text.starts_with(had) {
            return false;
        }
        self.had_bytes = had.len();
        self.had_chars = had.chars().count() as u64;
        self.sent_bytes = None;
        true
    }
}

/// Whether a text of so many bytes is too long for a message.
pub(super) fn is_too_long(bytes: usize) -> bool {
    bytes > limits::MESSAGE_BODY_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use parlour_core::stream::GrowingText;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_piece_stays_the_same_until_it_has_arrived() {
        let mut text = OutgoingText::default();
        assert_eq!(text.next_piece(), None);
        text.push("é1");
        let first = text.next_piece();
        text.push("2");
        assert_eq!((text.next_piece(), first), (Some(Piece { start: 0, text: "é1".into() }), text.next_piece()));
        text.arrived();
        assert_eq!(text.next_piece(), Some(Piece { start: 2, text: "2".into() }));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let mut text = OutgoingText::known("x");
        text.push(&"é".repeat(PIECE_BYTES_MAX));
        text.push("y");
        let piece = text.next_piece().expect("a piece");
        assert_eq!((piece.start, piece.text.len()), (1, PIECE_BYTES_MAX));
    }

    #[test]
    fn a_text_goes_on_from_what_the_hub_has_and_from_nothing_else() {
        let mut text = OutgoingText::default();
        text.push("Hello");
        text.next_piece();
        assert!(!text.go_on_from("Help") && !text.go_on_from("Hello world"));
        assert!(text.go_on_from("Hel"));
        assert_eq!(text.next_piece(), Some(Piece { start: 3, text: "lo".into() }));
    }

    proptest! {
        #[test]
        fn the_hub_has_the_same_text_whatever_gets_lost(
            writes in proptest::collection::vec("\\PC{0,6}", 0..20),
            fates in proptest::collection::vec(0_u8..3, 0..60),
        ) {
            let (mut text, mut hub) = (OutgoingText::default(), GrowingText::default());
            let mut fates = fates.into_iter();
            let mut deliver = |text: &mut OutgoingText, fate: Option<u8>| {
                let Some(piece) = text.next_piece() else { return };
                match fate {
                    // The request was lost.
                    Some(0) => {}
                    // The answer was lost.
                    Some(1) => hub.add(Some(piece.start), &piece.text).expect("fits"),
                    _ => {
                        hub.add(Some(piece.start), &piece.text).expect("fits");
                        text.arrived();
                    }
                }
            };
            for write in &writes {
                text.push(write);
                deliver(&mut text, fates.next());
            }
            while text.is_pending() {
                deliver(&mut text, fates.next());
            }
            prop_assert_eq!(hub.as_str(), writes.concat());
        }
    }
}
