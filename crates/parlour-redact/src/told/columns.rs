//! Tables: what stands below a word that tells, row by row.

use super::{
    super::{
        stand_in,
        words::{SAID_ENDINGS, STOP_WORDS, USER_LABELS},
    },
    Found,
    judge::{Link, Told},
    key::{Class, Key},
    value::Value,
};

/// Bytes below a head that are read.
const TABLE_BYTES_MAX: usize = 2_048;
/// Bytes of a head.
const HEAD_BYTES_MAX: usize = 400;

/// The cells below the word, in a table of bars, commas, semicolons or tabs.
pub(super) fn below(text: &str, key: &Key<'_>) -> Vec<Found> {
    let before = &text[super::floor(text, key.range.start.saturating_sub(HEAD_BYTES_MAX))..key.range.start];
    let after = &text[key.range.end..super::floor(text, (key.range.end + HEAD_BYTES_MAX).min(text.len()))];
    let head = before.rsplit('\n').next().unwrap_or_default();
    let Some((tail, _)) = after.split_once('\n') else { return Vec::new() };
    let Some(sign) = ['|', '\t', ';', ','].into_iter().find(|sign| is_cell(head, tail, *sign)) else {
        return Vec::new();
    };
    let has_users =
        key.class == Class::Password && [head, tail].into_iter().flat_map(|cells| cells.split(sign)).any(is_user_cell);
    let place = head.matches(sign).count();
    let cells = place + tail.matches(sign).count() + 1;
    let start = key.range.end + tail.len() + 1;
    let rows = &text[start..super::floor(text, (start + TABLE_BYTES_MAX).min(text.len()))];
    let (mut found, mut at) = (Vec::new(), start);
    for row in rows.split_inclusive('\n') {
        if row.split(sign).count() != cells {
            break;
        }
        found.extend(
            cell(key, row, sign, place, has_users).map(|range| (at + range.start..at + range.end, key.class.kind())),
        );
        at += row.len();
    }
    found
}

/// Whether a cell of the head says who logs in.
fn is_user_cell(cell: &str) -> bool {
    let name = cell.trim_matches([' ', '\t', '*', '_', '`', '"']).to_lowercase();
    USER_LABELS.contains(&name.as_str())
}

/// Whether the word is all of a cell of its row.
fn is_cell(head: &str, tail: &str, sign: char) -> bool {
    let is_plain = |rest: &str| rest.chars().all(|char| char.is_whitespace() || "*_`\"".contains(char));
    let left = head.rsplit(sign).next().unwrap_or(head);
    let right = tail.split(sign).next().unwrap_or(tail);
    (head.contains(sign) || tail.contains(sign)) && is_plain(left) && is_plain(right)
}

/// A plain word that is said of a password: `expired`, `unchanged`.
fn is_said(word: &str) -> bool {
    let lower = word.to_lowercase();
    STOP_WORDS.contains(&lower)
        || stand_in::is_stand_in(word)
        || SAID_ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

/// Letters of a plain word that is a password beside the name of who logs in.
const PLAIN_LEAST: usize = 6;

fn cell(key: &Key<'_>, row: &str, sign: char, place: usize, has_users: bool) -> Option<std::ops::Range<usize>> {
    let cell = row.split(sign).nth(place)?;
    let start = row.split(sign).take(place).map(|cell| cell.len() + sign.len_utf8()).sum::<usize>();
    let blanks = cell.len() - cell.trim_start().len();
    let value = Value::at(cell, blanks)?;
    let told = Told { key, link: Link::Cell, value: &value, window: cell, is_flag: false };
    let is_plain = has_users
        && value.text.len() >= PLAIN_LEAST
        && cell.trim() == value.text
        && value.text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !is_said(value.text);
    (told.is_secret() || is_plain).then(|| start + value.range().start..start + value.range().end)
}
