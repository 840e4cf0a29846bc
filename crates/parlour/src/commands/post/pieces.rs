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
    /// Takes bytes and gives the text that can be sent now; it may be empty.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<String, NotText> {
        self.held.extend_from_slice(bytes);
        let text = match std::str::from_utf8(&self.held) {
            Ok(text) => text,
            // The rest of a character is still to come.
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&self.held[..error.valid_up_to()]).expect("valid up to there")
            }
            Err(error) => return Err(NotText { at: self.taken + error.valid_up_to() + 1 }),
        };
        let text = text.trim_end().to_owned();
        self.held.drain(..text.len());
        self.taken += text.len();
        Ok(text)
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

    #[test]
    fn half_a_character_waits_for_its_other_half() {
        let mut pieces = Pieces::default();
        assert_eq!(pieces.take(b"a\xC3").as_deref(), Ok("a"));
        assert_eq!(pieces.take(b"\xA9").as_deref(), Ok("é"));
        assert_eq!(pieces.finish(), Ok(()));
    }

    #[test]
    fn white_space_waits_until_something_follows() {
        let mut pieces = Pieces::default();
        assert_eq!(pieces.take(b"a \n\n").as_deref(), Ok("a"));
        assert_eq!(pieces.take(b"\tb\n").as_deref(), Ok(" \n\n\tb"));
        assert_eq!((pieces.held_bytes(), pieces.finish()), (1, Ok(())));
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_place() {
        let mut pieces = Pieces::default();
        pieces.take(b"ab").expect("text");
        let error = pieces.take(b"c\xFFd").expect_err("no text");
        assert_eq!(error.to_string(), "the input is not UTF-8 text at byte 4");
        let mut pieces = Pieces::default();
        pieces.take(b"a\xC3").expect("text so far");
        assert_eq!(pieces.finish(), Err(NotText { at: 2 }));
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_text(text in "\\PC{0,40}|[ \\n\\té日🏠a]{0,40}", cut in 1_usize..7) {
            let mut pieces = Pieces::default();
            let mut got = String::new();
            for bytes in text.as_bytes().chunks(cut) {
                got += &pieces.take(bytes).expect("text");
            }
            prop_assert_eq!(pieces.finish(), Ok(()));
            prop_assert_eq!(got, text.trim_end());
        }
    }
}
