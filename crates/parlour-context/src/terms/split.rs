//! Where words begin and end.

use unicode_segmentation::UnicodeSegmentation;

use super::fold::lower;

/// What is longer is no word that anybody asks for; its beginning is.
const WORD_BYTES_MAX: usize = 64;
/// Signs inside a word that put names together.
const JOINTS: [char; 6] = ['_', '.', ':', '\'', '\u{b7}', '\u{2027}'];

/// Calls `take` for each word of a folded text, in small letters: wholes, their parts, signs and pairs of signs.
pub(super) fn words(text: &str, mut take: impl FnMut(&str)) {
    let mut before: Option<(usize, &str)> = None;
    for (start, word) in text.unicode_word_indices() {
        if is_without_blanks(word) {
            take(word);
            if let Some((_, first)) = before.filter(|(end, _)| *end == start) {
                take(&[first, word].concat());
            }
            before = Some((start + word.len(), word));
        } else {
            before = None;
            parts(cut(word), &mut take);
        }
    }
}

/// Calls `take` for each word of a folded text, in small letters, and for nothing else.
pub(super) fn plain(text: &str, mut take: impl FnMut(&str)) {
    text.unicode_words().for_each(|word| take(&lower(cut(word))));
}

/// The whole, and where it was put together, what it was put together from.
fn parts(word: &str, take: &mut impl FnMut(&str)) {
    let whole = lower(word);
    let whole = whole.strip_suffix("'s").unwrap_or(&whole);
    take(whole);
    if !word.contains(JOINTS) && !has_hump(word) {
        return;
    }
    for piece in word.split(JOINTS).filter(|piece| !piece.is_empty()) {
        for part in humps(piece) {
            let part = lower(part);
            // One letter is what is left of an apostrophe or of a shortened name.
            if part != whole && part.len() > 1 {
                take(&part);
            }
        }
    }
}

/// Whether a small letter is followed by a capital one.
fn has_hump(word: &str) -> bool {
    word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// `readHTTPConfig` as `read`, `HTTP`, `Config`.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let bytes = word.as_bytes();
    let is_border = |&at: &usize| {
        let (before, here) = (bytes[at - 1], bytes[at]);
        let ends_capitals = before.is_ascii_uppercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        here.is_ascii_uppercase() && (before.is_ascii_lowercase() || ends_capitals)
    };
    let mut borders: Vec<usize> = (1..bytes.len()).filter(is_border).collect();
    borders.push(word.len());
    let mut start = 0;
    borders.into_iter().map(move |end| &word[std::mem::replace(&mut start, end)..end])
}

/// Chinese, Japanese, Thai and their like write no blanks: each sign comes as a word of its own.
fn is_without_blanks(word: &str) -> bool {
    word.chars().next().is_some_and(|sign| {
        matches!(u32::from(sign),
            0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3041..=0x3096 | 0x30a1..=0x30fa
            | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x323af)
    })
}

fn cut(word: &str) -> &str {
    &word[..word.floor_char_boundary(WORD_BYTES_MAX)]
}
