//! Checks of matches in sentences: numbers and words that open something, and answers to questions.

use regex::Captures;

use super::{
    benign,
    checks::{self, value},
    high_entropy, personal, placeholder,
    rules::redacted_range,
    shape::{self, CharCounts, char_boundary_before},
    words::{
        DESCRIPTIVE_SUFFIXES, LOCKED_DEVICES, LOCKED_THINGS, NAMED_NOUNS, NUMBER_QUALIFIERS, PASSWORD_REMARKS,
        PUBLIC_CODE_QUALIFIERS, PUBLIC_KEY_QUALIFIERS, REFERENCE_VERBS, SENTENCE_CONTINUATIONS, UNLOCK_WORDS,
        is_context_word,
    },
};

/// Bytes around a match that are searched for what it opens.
const AROUND_BYTES_MAX: usize = 120;
/// Letters of a plain word that is a password.
const PLAIN_LEAST: usize = 6;
/// Words after a key that may say that it is public.
const BEHIND_WORDS_MAX: usize = 4;
/// Characters of a key that answers a question.
const ANSWER_LEAST: usize = 20;

/// The line around a match, in lower case.
fn line_around(text: &str, found: &Captures<'_>) -> String {
    let range = redacted_range(found);
    let before = &text[char_boundary_before(text, range.start.saturating_sub(AROUND_BYTES_MAX))..range.start];
    let after = &text[range.end..char_boundary_before(text, (range.end + AROUND_BYTES_MAX).min(text.len()))];
    let (before, after) = (before.rsplit('\n').next(), after.split('\n').next());
    [before.unwrap_or_default(), " ", after.unwrap_or_default()].concat().to_lowercase()
}

/// The word before a match, in lower case.
fn word_before(text: &str, found: &Captures<'_>) -> String {
    let start = found.get(0).map_or(0, |whole| whole.start());
    let lead = &text[char_boundary_before(text, start.saturating_sub(AROUND_BYTES_MAX))..start];
    let is_sign = |char: char| !char.is_alphanumeric();
    lead.trim_end_matches(is_sign).rsplit(is_sign).next().unwrap_or_default().to_lowercase()
}

/// A number that opens something that the line names, and no error, country or article code.
pub(crate) fn opens_lock(text: &str, found: &Captures<'_>) -> bool {
    let line = line_around(text, found);
    is_not_public_code(text, found) && LOCKED_THINGS.iter().any(|word| has_word(&line, word))
}

/// `the tablets unlock with 2741`: the line names a lock or device, and contains a word for opening it.
pub(crate) fn is_unlock_number(text: &str, found: &Captures<'_>) -> bool {
    let line = line_around(text, found);
    let is_unlock_text = UNLOCK_WORDS.iter().any(|word| line.contains(word));
    is_unlock_text
        && is_not_public_code(text, found)
        && LOCKED_THINGS.iter().chain(LOCKED_DEVICES.iter()).any(|word| has_word(&line, word))
}

/// Whether a word of the line begins with this one. Words that are not ASCII may be part of a compound.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| !word.is_ascii() || !line[..at].ends_with(char::is_alphabetic))
}

/// No public code such as `zip code` or `country code`.
pub(crate) fn is_not_public_code(text: &str, found: &Captures<'_>) -> bool {
    let whole = found.get(0).map_or("", |whole| whole.as_str()).to_lowercase();
    let mut said = whole.split(|char: char| !char.is_alphanumeric());
    let is_other = said.any(|word| ["status", "error", "exit", "errors", "range", "between"].contains(&word));
    !is_other
        && ends_or_continues_sentence(text, found)
        && !PUBLIC_CODE_QUALIFIERS.contains(word_before(text, found).as_str())
}

/// The sentence ends after the number or continues: the number counts nothing.
pub(crate) fn ends_or_continues_sentence(text: &str, found: &Captures<'_>) -> bool {
    let after = text.get(redacted_range(found).end..).unwrap_or_default().trim_start_matches([' ', '\t', '#', '*']);
    let next = after.split(|char: char| !char.is_alphanumeric() && char != '%').next().unwrap_or_default();
    next.is_empty() || SENTENCE_CONTINUATIONS.contains(next.to_lowercase().as_str())
}

/// The password of an archive: no program, option, file or plain word.
pub(crate) fn is_archive_password(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    let is_mixed = counts.digits > 0 && counts.letters() > 2
        || benign::has_inner_symbol(value)
        || counts.symbols > 0 && value.ends_with('!');
    is_mixed
        && !value.starts_with(['-', '/', '~', '.', '$', '@', '#'])
        && !value.contains("://")
        && !benign::is_technical_term(value)
        && !benign::is_version(value)
        && !benign::has_code_noun(value)
        && !personal::is_file(value)
        && !placeholder::is_placeholder(value)
        && !placeholder::is_code(value)
        && !is_program(value)
}

/// `7zip`, `gpg2`, `openssl-3`.
fn is_program(value: &str) -> bool {
    let counts = CharCounts::of(value);
    counts.upper == 0 && counts.digits <= 1 && value.len() < 10 && counts.symbols <= 1
}

/// A plain word that is no remark on passwords or networks.
pub(crate) fn is_plain_word(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let lower = value.to_lowercase();
    value.chars().count() >= PLAIN_LEAST
        && lower.split(['-', '_', ' ']).all(|word| !is_context_word(word))
        && (CharCounts::of(value).digits > 0 || !DESCRIPTIVE_SUFFIXES.iter().any(|ending| lower.ends_with(ending)))
        && !PASSWORD_REMARKS.contains(lower.as_str())
        && !placeholder::is_placeholder(value)
        && !placeholder::is_code(value)
}

/// A key that answers a question: random, and neither the question nor the answer calls it public.
pub(crate) fn is_answered_key(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    let whole = found.get(0).map_or("", |whole| whole.as_str());
    let said =
        [&word_before(text, found), " ", &whole[..whole.len().saturating_sub(value.len())]].concat().to_lowercase();
    let after = text.get(redacted_range(found).end..).unwrap_or_default();
    let behind =
        after.split(['\n', ',', '.', ';']).next().unwrap_or_default().split_whitespace().take(BEHIND_WORDS_MAX);
    let is_public_after = behind.map(str::to_lowercase).any(|word| PUBLIC_KEY_QUALIFIERS.contains(word.as_str()));
    let is_plain = is_public_after
        || said.split(|char: char| !char.is_alphanumeric()).any(|word| PUBLIC_KEY_QUALIFIERS.contains(word));
    value.len() >= ANSWER_LEAST
        && counts.digits > 2
        && counts.letters() > 2
        && (shape::is_random(value) && high_entropy::changes(value) * 5 >= value.len())
        && !is_plain
        && !shape::is_uuid(value)
        && !is_sorted_id(value)
        && !shape::is_own_id(value)
        && !placeholder::is_placeholder(value)
}

/// A ULID.
fn is_sorted_id(value: &str) -> bool {
    value.len() == 26 && value.starts_with('0') && CharCounts::of(value).lower == 0
}

/// `set passwd …`: a value of a device configuration, and no short word.
pub(crate) fn is_set_word(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    CharCounts::of(value).all() > 5 && !placeholder::is_placeholder(value) && !placeholder::is_code(value)
}

/// The key of a section for encryption: mixed, and no path or name.
pub(crate) fn is_key_value(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let is_path = value.contains('/') && CharCounts::of(value).upper == 0;
    checks::is_mixed(text, found)
        && !is_path
        && !shape::is_name_with_number(value)
        && !placeholder::is_placeholder(value)
}

/// A number without a word before it that names or dates it.
pub(crate) fn is_not_numbering(text: &str, found: &Captures<'_>) -> bool {
    let range = redacted_range(found);
    let lead = &text[char_boundary_before(text, range.start.saturating_sub(AROUND_BYTES_MAX))..range.start];
    let last = lead.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(|char: char| !char.is_alphanumeric());
    !NUMBER_QUALIFIERS.contains(last) && !NAMED_NOUNS.contains(last) && ends_or_continues_sentence(text, found)
}

/// `door is 4711`, and no ticket about the door.
pub(crate) fn is_door_number(text: &str, found: &Captures<'_>) -> bool {
    let range = redacted_range(found);
    let lead = &text[char_boundary_before(text, range.start.saturating_sub(AROUND_BYTES_MAX))..range.start];
    let last = lead.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let is_ticket = REFERENCE_VERBS.contains(last.trim_matches(|char: char| !char.is_alphanumeric()));
    !is_ticket && checks::is_not_measurement(text, found)
}

/// `username tech secret …`, and no `username and password …`.
pub(crate) fn is_device_user(text: &str, found: &Captures<'_>) -> bool {
    let whole = found.get(0).map_or("", |whole| whole.as_str());
    let user = whole.split_whitespace().nth(1).unwrap_or_default().to_lowercase();
    let is_joined = ["and", "or", "und", "oder", "et", "y", "plus", "&", "/", "for", "is"].contains(&user.as_str());
    !is_joined && checks::is_not_placeholder(text, found)
}
