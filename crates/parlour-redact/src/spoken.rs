//! Closer looks at what sentences tell: what is opened by a number or a word, and what is answered.

use regex::Captures;

use super::{
    drawn, personal,
    rule::taken,
    shape::{self, Makeup},
    stand_in,
    told::{self, floor},
    words::{
        AFTERTHOUGHTS, GOING_ON, JUDGING, NAMING, NAMING_CODES, NUMBERING, OPENED_BY_CODE, OPENED_DEVICES, OPENING,
        PLAIN_ANSWERS, REFERRING, SAID_ENDINGS, SENTENCE_WORDS, STOP_WORDS,
    },
};

/// Bytes around a number in which the text says what it opens.
const AROUND_BYTES_MAX: usize = 120;
/// Letters of a plain word that is meant as a password.
const PLAIN_LEAST: usize = 6;
/// Words behind a key that may say what it is.
const BEHIND_WORDS_MAX: usize = 4;
/// Characters of a key that somebody asked for.
const ANSWER_LEAST: usize = 20;

fn value<'t>(text: &'t str, found: &Captures<'_>) -> &'t str {
    text.get(taken(found)).unwrap_or_default()
}

/// The line of a match, as far as it is near, in lower case.
fn line_around(text: &str, found: &Captures<'_>) -> String {
    let range = taken(found);
    let before = &text[floor(text, range.start.saturating_sub(AROUND_BYTES_MAX))..range.start];
    let after = &text[range.end..floor(text, (range.end + AROUND_BYTES_MAX).min(text.len()))];
    let (before, after) = (before.rsplit('\n').next(), after.split('\n').next());
    [before.unwrap_or_default(), " ", after.unwrap_or_default()].concat().to_lowercase()
}

/// The word before a match, in lower case.
fn word_before(text: &str, found: &Captures<'_>) -> String {
    let start = found.get(0).map_or(0, |whole| whole.start());
    let lead = &text[floor(text, start.saturating_sub(AROUND_BYTES_MAX))..start];
    let is_sign = |char: char| !char.is_alphanumeric();
    lead.trim_end_matches(is_sign).rsplit(is_sign).next().unwrap_or_default().to_lowercase()
}

/// A number that opens something: the line says what, and the number is no name of an error, a country or an article.
pub(super) fn is_opening_code(text: &str, found: &Captures<'_>) -> bool {
    let line = line_around(text, found);
    is_no_naming_code(text, found) && OPENED_BY_CODE.iter().any(|word| has_word(&line, word))
}

/// `the tablets unlock with 2741`: the line says that something is opened, and what.
pub(super) fn is_opened_with(text: &str, found: &Captures<'_>) -> bool {
    let line = line_around(text, found);
    let is_said = OPENING.iter().any(|word| line.contains(word));
    is_said
        && is_no_naming_code(text, found)
        && OPENED_BY_CODE.iter().chain(OPENED_DEVICES).any(|word| has_word(&line, word))
}

/// Whether a word begins so. Languages that join words without a sign have letters of their own, or their own rows.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| !word.is_ascii() || !line[..at].ends_with(char::is_alphabetic))
}

/// `zip code`, `country code`: a code that names something.
pub(super) fn is_no_naming_code(text: &str, found: &Captures<'_>) -> bool {
    let whole = found.get(0).map_or("", |whole| whole.as_str()).to_lowercase();
    let mut said = whole.split(|char: char| !char.is_alphanumeric());
    let is_other = said.any(|word| ["status", "error", "exit", "errors", "range", "between"].contains(&word));
    !is_other && is_followed(text, found) && !NAMING_CODES.contains(&word_before(text, found).as_str())
}

/// Nothing stands behind a number that it could count, or a word that goes on with the sentence.
pub(super) fn is_followed(text: &str, found: &Captures<'_>) -> bool {
    let after = text.get(taken(found).end..).unwrap_or_default().trim_start_matches([' ', '\t', '#', '*']);
    let next = after.split(|char: char| !char.is_alphanumeric() && char != '%').next().unwrap_or_default();
    next.is_empty() || GOING_ON.contains(&next.to_lowercase().as_str())
}

/// What something is opened with: no program, no option, no file and no plain word.
pub(super) fn is_opening_word(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let makeup = Makeup::of(value);
    let is_mixed = makeup.digits > 0 && makeup.letters() > 2
        || told::has_inner_sign(value)
        || makeup.signs > 0 && value.ends_with('!');
    is_mixed
        && !value.starts_with(['-', '/', '~', '.', '$', '@', '#'])
        && !value.contains("://")
        && !told::is_trade(value)
        && !told::is_version(value)
        && !told::has_code_noun(value)
        && !personal::is_file(value)
        && !stand_in::is_stand_in(value)
        && !stand_in::is_code(value)
        && !is_program(value)
}

/// `7zip`, `gpg2`, `openssl-3`: small letters with one digit.
fn is_program(value: &str) -> bool {
    let makeup = Makeup::of(value);
    makeup.upper == 0 && makeup.digits <= 1 && value.len() < 10 && makeup.signs <= 1
}

/// A plain word that names nothing that is said of passwords and networks.
pub(super) fn is_plain_word(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let lower = value.to_lowercase();
    value.chars().count() >= PLAIN_LEAST
        && lower
            .split(['-', '_', ' '])
            .all(|word| !STOP_WORDS.contains(word) && !SENTENCE_WORDS.contains(word) && !AFTERTHOUGHTS.contains(word))
        && (Makeup::of(value).digits > 0 || !SAID_ENDINGS.iter().any(|ending| lower.ends_with(ending)))
        && !JUDGING.contains(&lower.as_str())
        && !stand_in::is_stand_in(value)
        && !stand_in::is_code(value)
}

/// A key that somebody asked for: drawn by lot, and neither the question nor the answer says that everybody may know it.
pub(super) fn is_answered_key(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let makeup = Makeup::of(value);
    let whole = found.get(0).map_or("", |whole| whole.as_str());
    let said =
        [&word_before(text, found), " ", &whole[..whole.len().saturating_sub(value.len())]].concat().to_lowercase();
    let after = text.get(taken(found).end..).unwrap_or_default();
    let behind =
        after.split(['\n', ',', '.', ';']).next().unwrap_or_default().split_whitespace().take(BEHIND_WORDS_MAX);
    let is_said_behind = behind.map(str::to_lowercase).any(|word| PLAIN_ANSWERS.contains(&word.as_str()));
    let is_plain =
        is_said_behind || said.split(|char: char| !char.is_alphanumeric()).any(|word| PLAIN_ANSWERS.contains(&word));
    value.len() >= ANSWER_LEAST
        && makeup.digits > 2
        && makeup.letters() > 2
        && (shape::is_random(value) && drawn::changes(value) * 5 >= value.len())
        && !is_plain
        && !shape::is_uuid(value)
        && !is_sorted_id(value)
        && !shape::is_own_id(value)
        && !stand_in::is_stand_in(value)
}

/// Ids that begin with the time at which they were made.
fn is_sorted_id(value: &str) -> bool {
    value.len() == 26 && value.starts_with('0') && Makeup::of(value).lower == 0
}

/// `set passwd …`: what a line of a device ends with, and no word that its help has.
pub(super) fn is_set_word(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    Makeup::of(value).all() > 5 && !stand_in::is_stand_in(value) && !stand_in::is_code(value)
}

/// What a section for keys holds: drawn by lot, and no path or name.
pub(super) fn is_key_value(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let is_path = value.contains('/') && Makeup::of(value).upper == 0;
    super::check::is_mixed(text, found)
        && !is_path
        && !shape::is_name_with_number(value)
        && !stand_in::is_stand_in(value)
}

/// A number that no word right before it counts or names.
pub(super) fn is_unnumbered(text: &str, found: &Captures<'_>) -> bool {
    let range = taken(found);
    let lead = &text[floor(text, range.start.saturating_sub(AROUND_BYTES_MAX))..range.start];
    let last = lead.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(|char: char| !char.is_alphanumeric());
    !NUMBERING.contains(&last) && !NAMING.contains(&last) && is_followed(text, found)
}

/// `door is 4711`, and no number of what is told about the door.
pub(super) fn is_door_number(text: &str, found: &Captures<'_>) -> bool {
    let range = taken(found);
    let lead = &text[floor(text, range.start.saturating_sub(AROUND_BYTES_MAX))..range.start];
    let last = lead.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let is_told_about = REFERRING.contains(&last.trim_matches(|char: char| !char.is_alphanumeric()));
    !is_told_about && super::check::is_no_measure(text, found)
}

/// `username tech secret …`, and no `username and password …`.
pub(super) fn is_device_user(text: &str, found: &Captures<'_>) -> bool {
    let whole = found.get(0).map_or("", |whole| whole.as_str());
    let user = whole.split_whitespace().nth(1).unwrap_or_default().to_lowercase();
    let is_joined = ["and", "or", "und", "oder", "et", "y", "plus", "&", "/", "for", "is"].contains(&user.as_str());
    !is_joined && super::check::is_no_stand_in(text, found)
}
