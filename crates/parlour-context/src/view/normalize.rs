//! Normalisation: NFC, `\n` as the only line end, no invisible characters except where a script or an emoji needs them.

use parlour_core::limits;
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// Combining marks on one letter; further ones are dropped.
const COMBINING_MAX: usize = 4;
/// The distance that a cut moves back to a word boundary, at most.
const WORD_CHARS_MAX: usize = 1_024;

/// A text in normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NormalizedText {
    /// The text in NFC, with `\n` as line end and without invisible characters, at most `CONTEXT_ITEM_CHARS_MAX` long.
    pub text: String,
    /// The number of removed invisible and direction-changing characters.
    pub invisible: u64,
    /// The number of omitted bytes at the end.
    pub left_out_bytes: usize,
}

impl NormalizedText {
    /// Normalises a text. A text that is too long is cut at a word boundary.
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

/// The end of the last whole word, if it is near.
fn between_words(text: &str) -> usize {
    let near = text.char_indices().rev().take(WORD_CHARS_MAX).find(|(_, sign)| sign.is_whitespace());
    let hard = || text.trim_end_matches(['\u{200c}', '\u{200d}']).len();
    near.map_or_else(hard, |(at, _)| at)
}

/// The visible characters of a text, and the number of invisible ones.
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

/// The NFC form with a bounded number of combining marks on each letter.
fn composed(text: &str) -> String {
    let mut marks = 0;
    let is_kept = |sign: &char| {
        marks = if is_combining_mark(*sign) { marks + 1 } else { 0 };
        marks <= COMBINING_MAX
    };
    text.nfc().filter(is_kept).collect()
}

/// Whether a character is invisible or changes the text direction.
fn is_invisible(sign: char) -> bool {
    sign.is_control()
        || matches!(sign,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether an invisible character is needed between these two: it joins the parts of an emoji, or shapes letters of a
/// script that uses joiners.
fn is_needed(sign: char, before: Option<char>, after: Option<char>) -> bool {
    let both = |is: fn(char) -> bool| before.is_some_and(is) && after.is_some_and(is);
    match sign {
        '\u{200d}' => {
            before.is_some_and(|sign| is_emoji(sign) || sign == '\u{fe0f}') && after.is_some_and(is_emoji)
                || both(is_joining)
        }
        '\u{200c}' => both(is_joining),
        '\u{fe0e}' | '\u{fe0f}' => {
            let is_key = |sign: char| sign.is_ascii_digit() || sign == '#' || sign == '*';
            before.is_some_and(is_emoji) || before.is_some_and(is_key) && after == Some('\u{20e3}')
        }
        _ => false,
    }
}

fn is_emoji(sign: char) -> bool {
    matches!(sign, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn is_joining(sign: char) -> bool {
    matches!(sign, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17b3}' | '\u{1820}'..='\u{18af}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && sign != '\u{61c}'
}
