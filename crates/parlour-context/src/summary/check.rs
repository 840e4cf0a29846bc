//! Fact check of a model's summary: its names and numbers must occur in the source.
//!
//! The check is strict, because a refused summary is replaced by verbatim lines. Everything that looks like a name (a
//! capital letter, a URL, an identifier, a quote) or a number must occur in the source. Scripts without capital letters
//! do not show names: there every word must occur, or every character where words have no spaces between them.

use std::collections::BTreeSet;

use parlour_core::limits;
use unicode_normalization::UnicodeNormalization as _;

use super::{
    SourceText,
    words::{is_dense, stemmer},
};
use crate::summary::facts::{self, Number, numbers};

/// Why the text of a model is refused as a summary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfaithful {
    /// It is empty or too long.
    #[error("the summary has {0} characters")]
    Length(usize),
    /// It contains a name or number that does not occur in the source.
    #[error("`{0}` does not occur in the summarised messages")]
    Unknown(String),
    /// It contains an invisible character, or one that changes the text direction.
    #[error("the summary contains an invisible character")]
    Invisible,
}

/// Accepts a model's summary only if its names and numbers occur in the source.
pub fn check(summary: &str, said: &[SourceText<'_>]) -> Result<(), Unfaithful> {
    let chars = summary.chars().count();
    if summary.trim().is_empty() || chars > limits::SUMMARY_CHARS_MAX {
        return Err(Unfaithful::Length(chars));
    }
    if summary.chars().any(is_invisible) {
        return Err(Unfaithful::Invisible);
    }
    let sources = SourceIndex::of(said);
    let summary: String = plain(summary);
    let known = |result: Option<String>| result.map_or(Ok(()), |name| Err(Unfaithful::Unknown(name)));
    known(facts::quotes(&summary).into_iter().find(|quote| !sources.holds(quote)))?;
    known(facts::identifiers(&summary).into_iter().find(|name| !sources.holds(name)))?;
    known(unknown_number(&summary, &sources))?;
    known(unknown_word(&summary, &sources))
}

/// The summarised messages, indexed for lookups.
struct SourceIndex {
    /// Each message in lower case, with its author.
    texts: Vec<String>,
    words: BTreeSet<String>,
    /// The stems of words that also occur in lower case.
    stems: BTreeSet<String>,
    signs: BTreeSet<char>,
    numbers: BTreeSet<Number>,
}

impl SourceIndex {
    fn of(said: &[SourceText<'_>]) -> Self {
        let stemmer = stemmer();
        let (mut words, mut stems, mut signs, mut values) = Default::default();
        let mut texts = Vec::new();
        for one in said {
            let text = plain(&format!("{}: {}\n{}", one.name, one.text, one.id));
            for word in split(&text) {
                BTreeSet::insert(&mut words, word.to_lowercase());
                if word.starts_with(char::is_lowercase) {
                    BTreeSet::insert(&mut stems, stemmer.stem(word).into_owned());
                }
            }
            BTreeSet::extend(&mut signs, text.chars().filter(|sign| is_dense(*sign)));
            let text = one_line(&text);
            for (value, unit) in numbers(&text).into_iter().flat_map(|written| written.readings) {
                BTreeSet::extend(&mut values, [(value.clone(), unit), (value, None)]);
            }
            texts.push(text);
        }
        Self { texts, words, stems, signs, numbers: values }
    }

    /// Whether a text occurs in one message, not as a part of longer words.
    fn holds(&self, text: &str) -> bool {
        let text = one_line(text);
        let extends_previous = |sign: char| sign.is_alphanumeric() || sign == '_';
        let ends = |after: &str| {
            let joint = after.trim_start_matches(['.', '-', '/', '@']);
            !after.starts_with(extends_previous) && (joint.len() == after.len() || !joint.starts_with(extends_previous))
        };
        let begins = |before: &str| !(text.starts_with(extends_previous) && before.ends_with(extends_previous));
        let stands = |source: &String| {
            let mut found = source.match_indices(&text);
            found.any(|(at, found)| begins(&source[..at]) && ends(&source[at + found.len()..]))
        };
        !text.is_empty() && self.texts.iter().any(stands)
    }

    /// Whether the word, its genitive or its plural occurs.
    fn knows(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let shorter = word.strip_suffix('s').filter(|shorter| shorter.chars().count() > 2);
        let is_month = |known: &String| {
            let (short, long) = if known.len() < word.len() { (known, &word) } else { (&word, known) };
            short.len() == 3 && MONTHS_AND_DAYS.contains(&long.as_str()) && long.starts_with(short.as_str())
        };
        self.words.contains(&word)
            || shorter.is_some_and(|shorter| self.words.contains(shorter))
            || self.words.contains(&format!("{word}s"))
            || self.words.iter().any(is_month)
    }
}

fn unknown_number(summary: &str, sources: &SourceIndex) -> Option<String> {
    let lines = summary.lines().map(without_bullet).collect::<Vec<_>>().join("\n").to_lowercase();
    let is_known = |number: &Number| sources.numbers.contains(number);
    let unknown = numbers(&lines).into_iter().find(|written| !written.readings.iter().any(is_known));
    unknown.map(|written| written.text)
}

/// The first word that must occur and does not.
fn unknown_word(summary: &str, sources: &SourceIndex) -> Option<String> {
    let stemmer = stemmer();
    for line in summary.lines().map(without_bullet) {
        let mut begins = true;
        for chunk in line.split_whitespace() {
            for word in split(chunk) {
                let small = word.to_lowercase();
                let is_opener = || OPENERS.contains(&small.as_str()) || sources.stems.contains(&*stemmer.stem(&small));
                let is_fine = match sort_of(word) {
                    Sort::Name => sources.knows(word) || (begins && is_opener()) || matches!(word, "I" | "A"),
                    Sort::Small => true,
                    Sort::Dense => {
                        word.chars().filter(|sign| is_dense(*sign)).all(|sign| sources.signs.contains(&sign))
                    }
                    Sort::Uncased => sources.words.contains(&small),
                };
                if !is_fine {
                    return Some(word.to_owned());
                }
                begins = false;
            }
            begins |= chunk.trim_end_matches(['"', '”', ')', '»']).ends_with(['.', '!', '?', ':', ';', '…']);
        }
    }
    None
}

enum Sort {
    /// It has a capital letter.
    Name,
    /// It has none, or is no word.
    Small,
    /// It is written without spaces.
    Dense,
    /// Its writing has no capital letters.
    Uncased,
}

fn sort_of(word: &str) -> Sort {
    if word.chars().any(is_dense) {
        return Sort::Dense;
    }
    if word.chars().any(char::is_uppercase) {
        return Sort::Name;
    }
    let is_uncased = |sign: char| sign.is_alphabetic() && !sign.is_lowercase();
    if word.chars().any(|sign| is_uncased(sign) || (sign.is_numeric() && !sign.is_ascii_digit())) {
        return Sort::Uncased;
    }
    Sort::Small
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The compatibility form: full-width letters and digits become ordinary ones.
fn plain(text: &str) -> String {
    text.nfkc().map(|sign| if matches!(sign, '’' | '‘') { '\'' } else { sign }).collect()
}

fn one_line(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line without its list marker.
fn without_bullet(line: &str) -> &str {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    let rest = &line[digits..];
    let is_item = (1..=2).contains(&digits) && rest.starts_with(['.', ')']) && rest[1..].starts_with(' ');
    if is_item { &rest[2..] } else { line.trim_start_matches(['-', '*', '•', ' ']) }
}

fn is_invisible(sign: char) -> bool {
    let is_format = matches!(u32::from(sign), 0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0
        | 0xFFF9..=0xFFFB | 0xE_0000..=0xE_0FFF);
    is_format || (sign.is_control() && !matches!(sign, '\n' | '\t' | '\r'))
}

#[rustfmt::skip]
const MONTHS_AND_DAYS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

#[rustfmt::skip]
/// Words that begin sentences and are no names: English, German, French, Spanish.
const OPENERS: &[&str] = &[
    "a",
    "about",
    "after",
    "afterwards",
    "agreed",
    "all",
    "although",
    "an",
    "and",
    "another",
    "as",
    "at",
    "because",
    "before",
    "both",
    "but",
    "by",
    "decided",
    "decision",
    "decisions",
    "discussion",
    "during",
    "each",
    "eventually",
    "everybody",
    "everyone",
    "finally",
    "first",
    "for",
    "from",
    "he",
    "her",
    "his",
    "however",
    "i",
    "if",
    "in",
    "instead",
    "it",
    "its",
    "later",
    "meanwhile",
    "most",
    "next",
    "no",
    "nobody",
    "not",
    "nothing",
    "now",
    "on",
    "once",
    "one",
    "open",
    "or",
    "others",
    "people",
    "question",
    "questions",
    "she",
    "since",
    "so",
    "some",
    "someone",
    "still",
    "summary",
    "that",
    "the",
    "their",
    "then",
    "there",
    "therefore",
    "these",
    "they",
    "this",
    "those",
    "to",
    "topics",
    "until",
    "we",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "why",
    "with",
    "without",
    "you",
    "aber",
    "alle",
    "am",
    "auch",
    "auf",
    "bei",
    "beide",
    "bis",
    "da",
    "dabei",
    "danach",
    "dann",
    "das",
    "dem",
    "den",
    "der",
    "die",
    "dies",
    "diese",
    "ein",
    "eine",
    "er",
    "es",
    "für",
    "im",
    "keine",
    "laut",
    "man",
    "mit",
    "nach",
    "nun",
    "sie",
    "und",
    "von",
    "vor",
    "wegen",
    "weil",
    "wenn",
    "wer",
    "wir",
    "zu",
    "zuerst",
    "zuletzt",
    "zum",
    "après",
    "au",
    "avant",
    "avec",
    "ce",
    "cela",
    "ces",
    "comme",
    "dans",
    "de",
    "des",
    "donc",
    "du",
    "elle",
    "elles",
    "en",
    "ensuite",
    "et",
    "il",
    "ils",
    "la",
    "le",
    "les",
    "mais",
    "on",
    "pour",
    "puis",
    "quand",
    "selon",
    "si",
    "sur",
    "tous",
    "un",
    "une",
    "al",
    "antes",
    "así",
    "con",
    "cuando",
    "del",
    "después",
    "el",
    "ella",
    "ellos",
    "entonces",
    "esta",
    "este",
    "esto",
    "hay",
    "las",
    "lo",
    "los",
    "luego",
    "no",
    "para",
    "pero",
    "por",
    "porque",
    "se",
    "según",
    "sin",
    "su",
    "también",
    "todos",
    "una",
    "y",
    "ya",
];

#[cfg(test)]
mod tests;
