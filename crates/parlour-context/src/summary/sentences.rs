//! The sentences of one text: split, and analysed once for each text.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Range,
};

use crate::summary::{
    extract::share,
    words::{leaning, opens, requests, stemmer, times, topic, words},
};

/// Sentences of one message that are analysed; the rest of a longer message is ignored.
const PIECES_MAX: usize = 24;
/// Characters of one sentence; a longer one is cut at a word boundary.
const PIECE_CHARS_MAX: usize = 240;

/// Abbreviations: a dot after them does not end a sentence.
const SHORT_FORMS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "jr", "vs", "e.g", "i.e", "approx", "z.b", "bzw", "nr", "ca", "usw", "sr",
    "sra",
];

/// Filler words at the start of a sentence, before a comma or stop; longer ones first.
const OPENERS: &[&str] = &[
    "by the way",
    "excuse me",
    "of course",
    "all right",
    "thank you",
    "you know",
    "actually",
    "alright",
    "anyway",
    "i mean",
    "hello",
    "great",
    "i see",
    "right",
    "sorry",
    "thanks",
    "good",
    "okay",
    "sure",
    "well",
    "yeah",
    "also",
    "hmm",
    "but",
    "hey",
    "yep",
    "yes",
    "and",
    "now",
    "ach",
    "nun",
    "naja",
    "nein",
    "bueno",
    "bien",
    "alors",
    "pues",
    "ah",
    "hi",
    "ja",
    "no",
    "na",
    "oh",
    "ok",
    "so",
    "uh",
    "um",
];

/// The sentences of a text, in order; with `trims` without filler words at their start.
pub(super) fn pieces(text: &str, trims: bool) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && pieces.len() < PIECES_MAX {
        let (sentence, after) = rest.split_at(sentence_end(rest));
        let sentence = sentence.trim();
        let shown = if trims { without_opener(sentence) } else { sentence };
        if says_something(shown) {
            pieces.push(shown);
        }
        rest = after.trim_start();
    }
    pieces
}

/// Whether the text has a word: links and file placeholders such as `<file_photo>` do not count.
fn says_something(text: &str) -> bool {
    let is_link = |word: &str| word.contains("://") || word.starts_with("www.");
    let is_file = |word: &str| word.starts_with('<') && word.trim_end_matches(['.', ',', '!', '?']).ends_with('>');
    let words = text.split_whitespace().filter(|word| !is_link(word) && !is_file(word));
    words.flat_map(str::chars).any(char::is_alphanumeric)
}

/// The longest beginning of at most so many characters that ends between two words and cuts no mark `[…]` in two.
pub(super) fn cut(text: &str, chars_max: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(chars_max) else { return text };
    let head = &text[..end];
    let ends_word = text[end..].starts_with(char::is_whitespace);
    let word_end = if ends_word { end } else { head.rfind(char::is_whitespace).unwrap_or(end) };
    let head = &text[..word_end];
    let open = head.rfind('[').filter(|&open| !head[open..].contains(']'));
    // Before the mark there may be nothing: then nothing is shown of it.
    let head = open.map_or(head, |open| &head[..open]);
    head.trim_end()
}

/// The end of the first sentence in bytes; never 0 for a text that is not empty.
fn sentence_end(text: &str) -> usize {
    let mut signs = text.char_indices().peekable();
    let mut chars = 0;
    while let Some((at, sign)) = signs.next() {
        chars += 1;
        if sign == '\n' {
            return at + 1;
        }
        if chars > PIECE_CHARS_MAX {
            let head = cut(text, PIECE_CHARS_MAX);
            return if head.is_empty() { at } else { head.len() };
        }
        let next = signs.peek().map(|&(_, next)| next);
        if ends_sentence(&text[..at], sign, next) {
            return at + sign.len_utf8();
        }
    }
    text.len()
}

fn ends_sentence(before: &str, sign: char, next: Option<char>) -> bool {
    if matches!(sign, '。' | '！' | '？') {
        return next.is_none_or(|next| !is_end(next));
    }
    let is_spaced = next.is_none_or(char::is_whitespace);
    let is_closed = matches!(sign, '"' | '”' | '’' | ')') && before.ends_with(is_end);
    is_spaced && (is_closed || (is_end(sign) && !(sign == '.' && ends_short(before))))
}

fn is_end(sign: char) -> bool {
    matches!(sign, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '।')
}

/// Whether a text ends in a short form, or in a number of an order as at the start of a list.
fn ends_short(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches(['(', '"', '“']);
    let is_number = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_start = before.len() == word.len();
    (is_number && is_start) || SHORT_FORMS.iter().any(|short| word.eq_ignore_ascii_case(short))
}

/// A sentence without the words that only open it, unless it has no others.
fn without_opener(sentence: &str) -> &str {
    let mut rest = sentence;
    while let Some(shorter) = after_opener(rest) {
        rest = shorter;
    }
    if rest.chars().any(char::is_alphanumeric) { rest } else { sentence }
}

fn after_opener(text: &str) -> Option<&str> {
    let starts = |opener: &&&str| text.get(..opener.len()).is_some_and(|head| head.eq_ignore_ascii_case(opener));
    // An opener may be the beginning of a longer word, which is none: all are tried.
    OPENERS.iter().filter(starts).find_map(|opener| {
        let after = text[opener.len()..].trim_start();
        let is_mark = |sign: char| matches!(sign, ',' | '.' | '!' | '?' | ';' | '-' | '–' | '—' | '…');
        after.starts_with(is_mark).then(|| after.trim_start_matches(|sign: char| is_mark(sign) || sign.is_whitespace()))
    })
}

/// The analysed sentences of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSentences(Box<[Sentence]>);

/// One analysed sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    /// The byte range in the text.
    pub(super) range: Range<usize>,
    pub(super) chars: usize,
    /// The number of words.
    pub(super) words: usize,
    /// The hashed topics, each once.
    pub(super) topics: Box<[u64]>,
    /// The dependence on the text around it, in thousandths.
    pub(super) leans: i64,
    /// The weight of names, times and requests in it, in thousandths.
    pub(super) names: i64,
}

impl TextSentences {
    /// Analyses a text; with `trims` without filler words at the start of sentences.
    pub fn of(text: &str, trims: bool) -> Self {
        let stemmer = stemmer();
        let begin = text.as_ptr() as usize;
        let piece = |piece: &str| {
            let words = words(piece);
            let topics: BTreeSet<String> = words.iter().filter_map(|word| topic(word, &stemmer)).collect();
            let start = piece.as_ptr() as usize - begin;
            Sentence {
                range: start..start + piece.len(),
                chars: piece.chars().count(),
                leans: leans(&words, topics.len()),
                names: names(piece, &words),
                words: words.len(),
                topics: topics.iter().map(|topic| number(topic)).collect(),
            }
        };
        Self(pieces(text, trims).into_iter().map(piece).collect())
    }

    /// The approximate memory size.
    pub fn bytes(&self) -> usize {
        let topics: usize = self.0.iter().map(|piece| piece.topics.len()).sum();
        size_of::<Sentence>() * self.0.len() + size_of::<u64>() * topics
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Sentence> {
        self.0.iter()
    }
}

/// The hash of a topic. Two topics with the same hash, which is very rare, count as one.
fn number(topic: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    topic.hash(&mut hasher);
    hasher.finish()
}

fn leans(words: &[String], topics: usize) -> i64 {
    let opens = if opens(words) { 45 } else { 0 };
    (160 * share(leaning(words).min(5), 5) + 70 * share(topics, words.len())) / 1_000 + opens
}

fn names(text: &str, words: &[String]) -> i64 {
    let is_name = |word: &str| {
        let mut signs = word.chars();
        signs.next().is_some_and(char::is_uppercase) && signs.next().is_some_and(char::is_alphanumeric)
    };
    let names = text.split_whitespace().skip(1).filter(|word| is_name(word)).count();
    let request = if requests(words) { 15 } else { 0 };
    let time = if times(words) { 20 } else { 0 };
    50 * share(names.min(2), 2) / 1_000 + request + time
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        pieces(text, true)
    }

    #[test]
    fn sentences_are_split_and_filler_words_removed() {
        assert_eq!(texts("Well, the build is red. Oh! Who broke it?"), ["the build is red.", "Oh!", "Who broke it?"]);
        assert_eq!(texts("Yes, sure, I will do it."), ["I will do it."]);
        assert_eq!(texts("Wellington is far."), ["Wellington is far."]);
        assert_eq!(pieces("Well, no.", false), ["Well, no."]);
    }

    #[test]
    fn abbreviations_and_numbers_end_no_sentence() {
        assert_eq!(texts("Ask Dr. Holm about v1.2 first."), ["Ask Dr. Holm about v1.2 first."]);
        assert_eq!(texts("1. Stop the queue"), ["1. Stop the queue"]);
        assert_eq!(texts("明天见。带上钥匙！"), ["明天见。", "带上钥匙！"]);
    }

    #[test]
    fn lines_are_split_and_blank_lines_dropped() {
        assert_eq!(texts("one\n\n  two  \n---\n"), ["one", "two"]);
        assert!(texts(" \n … \n").is_empty());
    }

    #[test]
    fn links_emoji_and_file_placeholders_are_no_sentences() {
        assert!(texts("<file_photo>\nhttps://example.org/a?b=1\n😂😂 ❤️").is_empty());
        assert!(texts("<file_photo>").is_empty() && texts("👍").is_empty() && texts("www.example.org").is_empty());
        assert_eq!(texts("😀 see <file_photo> at 5 😀"), ["😀 see <file_photo> at 5 😀"]);
        assert_eq!(texts("tickets: https://example.org/t"), ["tickets: https://example.org/t"]);
    }

    #[test]
    fn a_long_line_is_cut_at_a_word_and_never_in_a_mark() {
        let long = "word ".repeat(200);
        assert!(texts(&long).iter().all(|text| text.chars().count() <= PIECE_CHARS_MAX && text.ends_with("word")));
        assert_eq!(cut("my key [aws-key 12] is lost", 14), "my key");
        assert_eq!(cut("[aws-key 12] is lost", 9), "");
        assert_eq!(cut("abcdef", 3), "abc");
        assert_eq!(texts(&"x".repeat(1_000)).concat().len(), 1_000);
    }
}
