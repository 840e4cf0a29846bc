//! UTF-8 that comes in pieces.

use std::str;

/// Decodes bytes as they come and joins characters that were split.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The beginning of a character whose other bytes have not come yet: at most three bytes.
    begun: Vec<u8>,
}

impl Decoder {
    /// The characters that are whole now. Bytes that can be none become U+FFFD.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let bytes = [self.begun.as_slice(), bytes].concat();
        self.begun.clear();
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while let Err(error) = str::from_utf8(rest) {
            let (valid, other) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            let Some(wrong_len) = error.error_len() else {
                self.begun = other.to_vec();
                return text;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = &other[wrong_len..];
        }
        text.push_str(&String::from_utf8_lossy(rest));
        text
    }

    /// What is left when nothing follows: a character that was cut off.
    pub(super) fn finish(&mut self) -> &'static str {
        if self.begun.is_empty() { "" } else { "\u{FFFD}" }
    }
}
