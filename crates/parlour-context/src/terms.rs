//! The words of a text for ranking: folded, stemmed and counted.
//!
//! A word is represented by a 32-bit hash. A collision can only rank a text slightly higher or lower.

#[cfg(test)]
mod tests;

use std::{borrow::Cow, sync::LazyLock};

use parlour_core::limits;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Words about time.
static TIMES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let words = "yesterday today tomorrow tonight week weekend month year day morning evening night ago last next recently \
                 january february march april june july august september october november december monday tuesday \
                 wednesday thursday friday saturday sunday summer winter spring autumn fall hour minute soon";
    let mut hashes: Vec<u32> = words.split(' ').map(|word| hash(&stem(word))).collect();
    hashes.sort_unstable();
    hashes
});

/// The words of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The hash of each word and its number of occurrences, in ascending order of the hashes.
    pub counts: Vec<(u32, u16)>,
    /// The number of all words.
    pub len: u32,
    /// Whether one of them is about time: `yesterday`, `Friday`, `ago`.
    pub says_when: bool,
    /// Whether the text ends with a question mark.
    pub is_question: bool,
}

impl Terms {
    /// Splits a text into words: folded (case, accents, widths), stemmed for English, irregular forms replaced by their
    /// base form, stop words removed. Scripts without spaces become characters and pairs of characters; identifiers
    /// such as `readConfig` or `log_path` count as a whole and in parts.
    ///
    /// Reads at most `CONTEXT_ITEM_CHARS_MAX` characters; the run time is linear.
    pub fn of(text: &str) -> Self {
        let folded = fold(bounded(text));
        let mut hashes = Vec::new();
        split_words(&folded, |word| {
            if !is_stop_word(word) {
                hashes.push(hash(&stem(word)));
            }
        });
        let is_question = text.trim_end().ends_with(['?', '？']);
        Self { is_question, ..Self::counted(hashes) }
    }

    /// Whether the word with this hash occurs.
    pub fn has(&self, term: u32) -> bool {
        self.counts.binary_search_by_key(&term, |(term, _)| *term).is_ok()
    }

    fn counted(mut hashes: Vec<u32>) -> Self {
        let len = u32::try_from(hashes.len()).unwrap_or(u32::MAX);
        hashes.sort_unstable();
        let mut counts: Vec<(u32, u16)> = Vec::new();
        for hash in hashes {
            match counts.last_mut() {
                Some((last, count)) if *last == hash => *count = count.saturating_add(1),
                _ => counts.push((hash, 1)),
            }
        }
        counts.shrink_to_fit();
        let says_when = counts.iter().any(|(term, _)| TIMES.binary_search(term).is_ok());
        Self { counts, len, says_when, is_question: false }
    }
}

/// The folded words of a text in order, for [`crate::dedupe`].
pub(crate) fn sequence(text: &str) -> Vec<u32> {
    let mut hashes = Vec::new();
    plain_words(&fold(bounded(text)), |word| hashes.push(hash(word)));
    hashes
}

fn bounded(text: &str) -> &str {
    let end = text.char_indices().nth(limits::CONTEXT_ITEM_CHARS_MAX).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

/// FNV-1a with the upper bits folded in.
fn hash(word: &str) -> u32 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    #[allow(clippy::cast_possible_truncation, reason = "the upper half has been folded in")]
    let short = (hash ^ (hash >> 32)) as u32;
    short
}

/// Shorter words are not stemmed.
const STEM_LETTERS_LEAST: usize = 3;

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Resolves widths and ligatures and removes accents. Case is kept, because it shows the parts of identifiers.
///
/// Only accents of Latin, Greek and Cyrillic are removed: the marks of other scripts are letters.
fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let is_accent = |sign: &char| ('\u{300}'..='\u{36f}').contains(sign);
    Cow::Owned(text.nfkd().filter(|sign| !is_accent(sign)).nfc().map(plain_quote).collect())
}

fn lower(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let folded = word.chars().flat_map(char::to_lowercase).map(|sign| if sign == 'ς' { 'σ' } else { sign });
    folded.collect::<String>().replace('ß', "ss")
}

/// The English stem of the word or of its base form.
fn stem(word: &str) -> Cow<'_, str> {
    if word.len() < STEM_LETTERS_LEAST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    ENGLISH.stem(base_form(word))
}

fn plain_quote(sign: char) -> char {
    if sign == '\u{2019}' { '\'' } else { sign }
}

/// Longer words are cut.
const WORD_BYTES_MAX: usize = 64;
/// Separators inside identifiers.
const JOINTS: [char; 6] = ['_', '.', ':', '\'', '\u{b7}', '\u{2027}'];

/// Calls `take` for each lower-case word of a folded text: whole words, parts of identifiers, characters and pairs of
/// characters.
fn split_words(text: &str, mut take: impl FnMut(&str)) {
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
            parts(cut_word(word), &mut take);
        }
    }
}

/// Calls `take` for each lower-case word of a folded text.
fn plain_words(text: &str, mut take: impl FnMut(&str)) {
    text.unicode_words().for_each(|word| take(&lower(cut_word(word))));
}

/// The whole identifier and its parts.
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
            // A single letter is the rest of an apostrophe or an abbreviation.
            if part != whole && part.len() > 1 {
                take(&part);
            }
        }
    }
}

fn has_hump(word: &str) -> bool {
    word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

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

/// Scripts without spaces, in which each character is a word.
fn is_without_blanks(word: &str) -> bool {
    word.chars().next().is_some_and(|sign| {
        matches!(u32::from(sign),
            0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3041..=0x3096 | 0x30a1..=0x30fa
            | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x323af)
    })
}

fn cut_word(word: &str) -> &str {
    &word[..word.floor_char_boundary(WORD_BYTES_MAX)]
}

/// In ascending order. Question words (`who`, `when`) are included: answers rarely contain them.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "did", "do", "does", "doing", "don't", "for", "from", "had", "has", "have", "having", "he", "her", "hers",
    "him", "his", "how", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "it", "it's", "its", "just",
    "me", "my", "of", "on", "or", "our", "ours", "she", "should", "so", "than", "that", "that's", "the", "their",
    "theirs", "them", "then", "there", "these", "they", "this", "those", "to", "too", "us", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "with", "would", "you", "your", "yours",
];

fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Base forms with their irregular forms. Forms that are common words themselves (`bit`, `rose`, `led`) are left out.
const IRREGULAR_WORDS: &str = "\
    arise arose arisen, awake awoke awoken, bear borne, beat beaten, become became, begin began begun, \
    bend bent, bite bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought, \
    build built, burn burnt, buy bought, catch caught, child children, choose chose chosen, come came, \
    creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, \
    eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, \
    fly flew flown, foot feet, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven, \
    freeze froze frozen, get got gotten, give gave given, go went gone goes, goose geese, grow grew grown, \
    half halves, hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt, knife knives, \
    know knew known, lay laid, leap leapt, learn learnt, leave left, lend lent, lose lost, make made, \
    man men, mean meant, meet met, mistake mistook mistaken, mouse mice, overcome overcame, pay paid, \
    person people, prove proven, rebuild rebuilt, rewrite rewrote rewritten, ride rode ridden, \
    ring rang rung, rise risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, \
    sew sewn, shake shook shaken, shelf shelves, shine shone, shoot shot, show shown, shrink shrank shrunk, \
    sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken, speed sped, \
    spend spent, spin spun, stand stood, steal stole stolen, stick stuck, sting stung, strike struck, \
    string strung, strive strove striven, swear swore sworn, sweep swept, swell swollen, swim swam swum, \
    swing swung, take took taken, teach taught, tear tore torn, tell told, think thought, \
    throw threw thrown, tooth teeth, undergo underwent undergone, understand understood, \
    undertake undertook undertaken, wake woke woken, wear wore worn, weave wove woven, weep wept, \
    wife wives, win won, withdraw withdrew withdrawn, wolf wolves, woman women, write wrote written";

/// Each form with its base form, in ascending order.
static FORMS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let of_word = |entry: &'static str| {
        let (word, forms) = entry.split_once(' ').expect("a word is followed by its forms");
        forms.split(' ').map(move |form| (form, word))
    };
    let mut forms: Vec<_> = IRREGULAR_WORDS.split(", ").flat_map(of_word).collect();
    forms.sort_unstable();
    forms
});

/// The base form of a lower-case word, or the word itself.
fn base_form(form: &str) -> &str {
    FORMS.binary_search_by_key(&form, |(form, _)| *form).map_or(form, |at| FORMS[at].1)
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_lower_case() {
        assert!(STOP_WORDS.is_sorted());
        assert!(STOP_WORDS.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'')));
    }

    #[test]
    fn no_form_belongs_to_two_words_and_no_word_is_a_form() {
        assert!(FORMS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(FORMS.iter().all(|(_, word)| base_form(word) == *word));
    }
}
