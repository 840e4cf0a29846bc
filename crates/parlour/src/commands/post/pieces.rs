//! Bytes as they come, made into text that can be sent.

use std::fmt;

/// Cuts bytes into text: between characters, and without white space at the end that may turn out to be the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    /// How many bytes were read before those that are held back.
    taken: usize,
    held: Vec<u8>,
}

/// Bytes that are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotText {
    /// Where the first of them stands, counted from 1.
    at: usize,
}

impl Pieces {
    /// Takes bytes and gives the text that can be sent now, which may be empty; and whether what follows is no text.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (String, Result<(), NotText>) {
        self.held.extend_from_slice(bytes);
        let (valid, is_text) = match std::str::from_utf8(&self.held) {
            Ok(_) => (self.held.len(), true),
            // Without a length the rest of a character is still to come.
            Err(error) => (error.valid_up_to(), error.error_len().is_none()),
        };
        let text = std::str::from_utf8(&self.held[..valid]).expect("valid up to there").trim_end().to_owned();
        let outcome = if is_text { Ok(()) } else { Err(NotText { at: self.taken + valid + 1 }) };
        self.held.drain(..text.len());
        self.taken += text.len();
        (text, outcome)
    }

    /// How many bytes are held back.
    pub(super) fn held_bytes(&self) -> usize {
        self.held.len()
    }

    /// Nothing more comes: half a character at the end is no text, white space there is left out.
    pub(super) fn finish(self) -> Result<(), NotText> {
        match std::str::from_utf8(&self.held) {
            Ok(_) => Ok(()),
            Err(error) => Err(NotText { at: self.taken + error.valid_up_to() + 1 }),
        }
    }
}

impl fmt::Display for NotText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the input is not UTF-8 text at byte {}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text for bytes that are sound.
    fn text(pieces: &mut Pieces, bytes: &[u8]) -> String {
        let (text, outcome) = pieces.take(bytes);
        outcome.expect("text");
        text
    }

    #[test]
    fn half_a_character_waits_for_its_other_half() {
        let mut pieces = Pieces::default();
        assert_eq!((text(&mut pieces, b"a\xC3"), text(&mut pieces, b"\xA9")), ("a".into(), "é".into()));
        assert_eq!(pieces.finish(), Ok(()));
    }

    #[test]
    fn white_space_waits_until_something_follows() {
        let mut pieces = Pieces::default();
        assert_eq!((text(&mut pieces, b"a \n\n"), text(&mut pieces, b"\tb\n")), ("a".into(), " \n\n\tb".into()));
        assert_eq!((pieces.held_bytes(), pieces.finish()), (1, Ok(())));
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_place_and_what_stands_before_is_kept() {
        let mut pieces = Pieces::default();
        text(&mut pieces, b"ab");
        let (before, outcome) = pieces.take(b"c\xFFd");
        assert_eq!((before.as_str(), outcome), ("c", Err(NotText { at: 4 })));
        assert_eq!(NotText { at: 4 }.to_string(), "the input is not UTF-8 text at byte 4");
    }

    #[test]
    fn half_a_character_at_the_end_is_no_text() {
        let mut pieces = Pieces::default();
        text(&mut pieces, b"a\xC3");
        assert_eq!(pieces.finish(), Err(NotText { at: 2 }));
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_text(whole in "\\PC{0,40}|[ \\n\\té日🏠a]{0,40}", cut in 1_usize..7) {
            let mut pieces = Pieces::default();
            let got: String = whole.as_bytes().chunks(cut).map(|bytes| text(&mut pieces, bytes)).collect();
            prop_assert_eq!(pieces.finish(), Ok(()));
            prop_assert_eq!(got, whole.trim_end());
        }
    }
}
