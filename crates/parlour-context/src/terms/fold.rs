//! Ways of writing the same word become one.

use std::borrow::Cow;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::forms::word_of;

/// Endings of shorter words carry their meaning.
const STEM_LETTERS_LEAST: usize = 3;

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// The text with widths and ligatures resolved and accents off. Its case stays: it shows where names are put together.
///
/// Only the accents of Latin, Greek and Cyrillic go: the marks of other writings are letters.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let is_accent = |sign: &char| ('\u{300}'..='\u{36f}').contains(sign);
    Cow::Owned(text.nfkd().filter(|sign| !is_accent(sign)).nfc().map(plain_quote).collect())
}

/// The word in small letters.
pub(super) fn lower(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let folded = word.chars().flat_map(char::to_lowercase).map(|sign| if sign == 'ς' { 'σ' } else { sign });
    folded.collect::<String>().replace('ß', "ss")
}

/// The word without its English ending, or whose form it is. Other words are left as they are or lose the same letters wherever they occur.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    if word.len() < STEM_LETTERS_LEAST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    ENGLISH.stem(word_of(word))
}

fn plain_quote(sign: char) -> char {
    if sign == '\u{2019}' { '\'' } else { sign }
}
