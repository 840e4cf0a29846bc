//! Values after the first one: lists, columns of tables, and old and new values of a change.

use std::ops::Range;

use super::{
    super::{
        benign::{has_inner_symbol, has_uneven_words, is_benign_name, looks_like_chosen_password},
        pattern::patterns,
        placeholder,
        shape::{char_boundary_before, is_name_with_number},
        words::{
            CHANGE_VERBS, DESCRIPTIVE_SUFFIXES, NON_VALUES, PLACE_PREPOSITIONS, RENAME_VERBS, SecretClass, USER_LABELS,
        },
    },
    Found,
    classify::{Separator, is_strong},
    label::Label,
    starts_with_compound, text_before,
    value::Value,
    window_after,
};

/// Values that are redacted after the first one of a list, and bytes between two of them.
const LIST_VALUES_MAX: usize = 24;
const LIST_GAP_BYTES_MAX: usize = 48;
/// Bytes of a table head, and bytes below it that are read.
const HEAD_BYTES_MAX: usize = 400;
const TABLE_BYTES_MAX: usize = 2_048;
/// Letters of a plain word that is a password in a table with a column of users.
const PLAIN_CELL_LEAST: usize = 6;
/// Words between a label and its old value.
const CHANGE_WORDS_MAX: usize = 10;
/// Bytes and words before a label that may contain a verb.
const LEAD_BYTES_MAX: usize = 80;
const LEAD_WORDS_MAX: usize = 6;

patterns! {
    FROM = r"(?i)[ \t](?:from|von|vom|de|da|från|fra|van|z|с)[ \t]+";
    TO = r"(?i)^[\x22'`”“’*]{0,2}[ \t]+(?:to|auf|zu|in|à|a|al|en|por|til|till|naar|into|na|на|→|->|=>)[ \t]+";
    ARROW = r"^[\x22'`*]{0,2}[ \t]*(?:→|-{1,2}>|=>|⇒)[ \t]*";
    LIST_GAP = r#"(?i)^[\x22'`*)]{0,3}(?:[ \t]*[,;/|+&·][ \t]*|[ \t]+|[ \t]*\n[ \t]*)(?:(?:and|or|und|oder|et|y|og|och)[ \t]+)?(?:[-*•][ \t]+|[0-9]{1,2}[.)][ \t]+)?[\x22'`*(]{0,3}"#;
}

/// `password: … -> …`: the new value after the old one.
pub(super) fn after_arrow(text: &str, label: &Label<'_>, first: Range<usize>) -> Option<Found> {
    let window = window_after(text, first.end);
    let value = Value::at(window, ARROW.find(window)?.end())?;
    let range = label.accept(Separator::Prose, &value, window)?;
    Some((first.end + range.start..first.end + range.end, label.class.kind()))
}

/// The values of a list that have the shape of the first one: the same length, and symbols at the same positions.
pub(super) fn same_shape(text: &str, first: Range<usize>) -> Vec<Range<usize>> {
    let shape = shape_of(&text[first.clone()]);
    let (mut found, mut at) = (Vec::new(), first.end);
    let has_shape = shape.chars().count() >= 4 && text[first].bytes().any(|byte| byte.is_ascii_digit());
    while has_shape && found.len() < LIST_VALUES_MAX {
        let window = &text[at..char_boundary_before(text, (at + LIST_GAP_BYTES_MAX).min(text.len()))];
        let Some(gap) = LIST_GAP.find(window).filter(|gap| !gap.is_empty()) else { break };
        let (start, end) = (at + gap.end(), at + gap.end() + shape.len());
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        let is_whole = next.is_none_or(|char| !char.is_alphanumeric() && char != '-' && char != '_');
        let Some(value) = text.get(start..end).filter(|_| is_whole) else { break };
        let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
        if shape_of(value) != shape || placeholder::is_placeholder(value) || !has_digit {
            break;
        }
        found.push(start..end);
        at = end;
    }
    found
}

/// The value with equal letters and digits, so that only its length and its symbols are left.
fn shape_of(value: &str) -> String {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ' || byte == b'-');
    value
        .chars()
        .map(|char| match char {
            _ if char.is_ascii_digit() && is_number => '0',
            _ if char.is_ascii_alphanumeric() => 'a',
            _ => char,
        })
        .collect()
}

/// The cells below a label, in a table separated by bars, tabs, semicolons or commas.
pub(super) fn table_column(text: &str, label: &Label<'_>) -> Vec<Found> {
    let before = text_before(text, label.range.start, HEAD_BYTES_MAX);
    let after_end = (label.range.end + HEAD_BYTES_MAX).min(text.len());
    let after = &text[label.range.end..char_boundary_before(text, after_end)];
    let head = before.rsplit('\n').next().unwrap_or_default();
    let Some((tail, _)) = after.split_once('\n') else { return Vec::new() };
    let Some(separator) = ['|', '\t', ';', ','].into_iter().find(|sign| is_whole_cell(head, tail, *sign)) else {
        return Vec::new();
    };
    let mut head_cells = [head, tail].into_iter().flat_map(|cells| cells.split(separator));
    let has_users = label.class == SecretClass::Password && head_cells.any(is_user_cell);
    let column = head.matches(separator).count();
    let columns = column + tail.matches(separator).count() + 1;
    let start = label.range.end + tail.len() + 1;
    let rows = &text[start..char_boundary_before(text, (start + TABLE_BYTES_MAX).min(text.len()))];
    let (mut found, mut at) = (Vec::new(), start);
    for row in rows.split_inclusive('\n') {
        if row.split(separator).count() != columns {
            break;
        }
        let cell = cell_value(label, row, separator, column, has_users);
        found.extend(cell.map(|range| (at + range.start..at + range.end, label.class.kind())));
        at += row.len();
    }
    found
}

/// Whether a cell of the head is a label for users.
fn is_user_cell(cell: &str) -> bool {
    let name = cell.trim_matches([' ', '\t', '*', '_', '`', '"']).to_lowercase();
    USER_LABELS.contains(name.as_str())
}

/// Whether the label fills a whole cell of its row.
fn is_whole_cell(head: &str, tail: &str, separator: char) -> bool {
    let is_plain = |rest: &str| rest.chars().all(|char| char.is_whitespace() || "*_`\"".contains(char));
    let left = head.rsplit(separator).next().unwrap_or(head);
    let right = tail.split(separator).next().unwrap_or(tail);
    (head.contains(separator) || tail.contains(separator)) && is_plain(left) && is_plain(right)
}

fn cell_value(label: &Label<'_>, row: &str, separator: char, column: usize, has_users: bool) -> Option<Range<usize>> {
    let cell = row.split(separator).nth(column)?;
    let start = row.split(separator).take(column).map(|cell| cell.len() + separator.len_utf8()).sum::<usize>();
    let blanks = cell.len() - cell.trim_start().len();
    let value = Value::at(cell, blanks)?;
    let is_plain = has_users
        && value.text.len() >= PLAIN_CELL_LEAST
        && cell.trim() == value.text
        && value.text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !is_remark(value.text);
    let range = label.accept(Separator::TableCell, &value, cell).or_else(|| is_plain.then(|| value.range()))?;
    Some(start + range.start..start + range.end)
}

/// A plain word about a password: `expired`, `unchanged`.
fn is_remark(word: &str) -> bool {
    let lower = word.to_lowercase();
    NON_VALUES.contains(lower.as_str())
        || placeholder::is_placeholder(word)
        || DESCRIPTIVE_SUFFIXES.iter().any(|ending| lower.ends_with(ending))
}

/// `password changed from … to …`: the old and the new value. A plain word has to be quoted.
pub(super) fn changed(text: &str, label: &Label<'_>) -> Vec<Found> {
    let window = window_after(text, label.range.end);
    let line = window.split('\n').next().unwrap_or_default();
    if label.class == SecretClass::Credentials || starts_with_compound(window) {
        return Vec::new();
    }
    // `vom Kassensystem … von … auf …`: the first preposition may say whose password it is.
    let changes = FROM.find_iter(line).take_while(|from| is_one_clause(&line[..from.start()]));
    let mut changes = changes.filter_map(|from| {
        let old = Value::at(window, from.end())?;
        let to = TO.find(old.after(window))?;
        Some((from, Value::at(window, old.range().end + to.end()), old))
    });
    let Some((from, new, old)) = changes.next() else { return Vec::new() };
    // `I changed root on the old box from … to …`: after the name of a service, the new value has to look like a password.
    let looks_typed = |value: &Value<'_>| {
        looks_like_chosen_password(value.text) || has_uneven_words(value.text) || has_inner_symbol(value.text)
    };
    let is_password_change =
        || is_changed(text, label, &line[..from.end()]) && [Some(&old), new.as_ref()].into_iter().all(is_unnamed);
    let is_service = matches!(label.class, SecretClass::Service | SecretClass::LoginPhrase);
    if is_service && (is_renamed(text, label) || !new.as_ref().is_some_and(looks_typed) && !is_password_change()) {
        return Vec::new();
    }
    [Some(old), new]
        .into_iter()
        .flatten()
        .filter(|value| !value.text.contains('='))
        .filter_map(|value| label.accept(Separator::Prose, &value, window))
        .map(|range| (label.range.end + range.start..label.range.end + range.end, label.class.kind()))
        .collect()
}

/// Whether a text is a few words without punctuation.
fn is_one_clause(lead: &str) -> bool {
    lead.split_whitespace().count() < CHANGE_WORDS_MAX && !lead.contains(['(', ')', '<', '>', '=', ':', ',', ';', '|'])
}

/// `I changed the till admin from … to …`: a verb of change, with at most a place between it and the values.
fn is_changed(text: &str, label: &Label<'_>, from: &str) -> bool {
    let words: Vec<&str> = from.split_whitespace().collect();
    let is_direct = words.len() == 1 || words.first().is_some_and(|word| PLACE_PREPOSITIONS.contains(word));
    let has_verb = words.len() > 1 && words[..words.len() - 1].iter().any(|word| CHANGE_VERBS.contains(word));
    has_verb || is_direct && lead_words(text, label).any(|word| CHANGE_VERBS.contains(word.as_str()))
}

/// `renamed root from … to …`.
fn is_renamed(text: &str, label: &Label<'_>) -> bool {
    lead_words(text, label).any(|word| RENAME_VERBS.contains(word.as_str()))
}

/// The words before the label, the nearest first.
fn lead_words(text: &str, label: &Label<'_>) -> impl Iterator<Item = String> {
    let lead = text_before(text, label.range.start, LEAD_BYTES_MAX);
    let words = lead.rsplit(['\n', '.', ';']).next().unwrap_or_default().split_whitespace().rev();
    words.take(LEAD_WORDS_MAX).map(|word| word.to_lowercase()).collect::<Vec<_>>().into_iter()
}

/// Letters with digits or symbols that are no name of a thing.
fn is_unnamed(value: Option<&Value<'_>>) -> bool {
    value.is_some_and(|value| {
        let text = value.text;
        is_strong(text)
            && !is_benign_name(text)
            && !(text.starts_with(|char: char| char.is_ascii_lowercase()) && is_name_with_number(text))
    })
}
