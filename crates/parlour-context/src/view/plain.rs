//! A text in normal form, with nothing in it that is not seen.

use parlour_core::limits;
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use super::signs::{is_invisible, is_needed};

/// Marks that one letter carries; what stands on top of them is decoration.
const COMBINING_MAX: usize = 4;
/// How far back a text that must be cut is cut between two words, so that no word is halved.
const WORD_CHARS_MAX: usize = 1_024;

/// A text in normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NormalizedText {
    /// In normal form (NFC), lines ended by `\n`, no invisible signs; not longer than what is looked at.
    pub text: String,
    /// Invisible and direction-changing signs that were taken out.
    pub invisible: u64,
    /// Bytes of the text that were not looked at.
    pub left_out_bytes: usize,
}

impl NormalizedText {
    /// Brings a text into normal form. Where it is too long it is cut between two words.
    pub fn of(text: &str) -> Self {
        let end = text.char_indices().nth(limits::CONTEXT_ITEM_CHARS_MAX).map_or(text.len(), |(at, _)| at);
        let (head, mut left_out_bytes) = (&text[..end], text.len() - end);
        if head.bytes().all(|byte| (b' '..0x7f).contains(&byte) || byte == b'\n') {
            let kept = if left_out_bytes > 0 { between_words(head) } else { head.len() };
            return Self {
                text: head[..kept].to_owned(),
                invisible: 0,
                left_out_bytes: left_out_bytes + head.len() - kept,
            };
        }
        let (seen, invisible) = seen(head);
        let mut text = composed(&seen);
        if let Some((over, _)) = text.char_indices().nth(limits::CONTEXT_ITEM_CHARS_MAX) {
            left_out_bytes += text.len() - over;
            text.truncate(over);
        }
        if left_out_bytes > 0 {
            let kept = between_words(&text);
            left_out_bytes += text.len() - kept;
            text.truncate(kept);
        }
        Self { text, invisible, left_out_bytes }
    }
}

/// The end of the last whole word, where one is near.
fn between_words(text: &str) -> usize {
    let near = text.char_indices().rev().take(WORD_CHARS_MAX).find(|(_, sign)| sign.is_whitespace());
    let hard = || text.trim_end_matches(['\u{200c}', '\u{200d}']).len();
    near.map_or_else(hard, |(at, _)| at)
}

/// What is seen of a text, and how many signs are not.
fn seen(text: &str) -> (String, u64) {
    let mut seen = String::with_capacity(text.len());
    let mut invisible = 0;
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\r' if signs.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => seen.push('\n'),
            '\t' => seen.push(' '),
            _ if is_invisible(sign) && !is_needed(sign, seen.chars().next_back(), signs.peek().copied()) => {
                invisible += 1
            }
            _ => seen.push(sign),
        }
    }
    (seen, invisible)
}

/// The normal form, with few marks on each letter.
fn composed(text: &str) -> String {
    let mut marks = 0;
    let is_kept = |sign: &char| {
        marks = if is_combining_mark(*sign) { marks + 1 } else { 0 };
        marks <= COMBINING_MAX
    };
    text.nfc().filter(is_kept).collect()
}
