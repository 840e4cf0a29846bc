//! Tables: what stands below a word that tells, row by row.

use super::{
    Found,
    judge::{Link, Told},
    key::Key,
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
    let place = head.matches(sign).count();
    let cells = place + tail.matches(sign).count() + 1;
    let start = key.range.end + tail.len() + 1;
    let rows = &text[start..super::floor(text, (start + TABLE_BYTES_MAX).min(text.len()))];
    let (mut found, mut at) = (Vec::new(), start);
    for row in rows.split_inclusive('\n') {
        if row.split(sign).count() != cells {
            break;
        }
        found.extend(cell(key, row, sign, place).map(|range| (at + range.start..at + range.end, key.class.kind())));
        at += row.len();
    }
    found
}

/// Whether the word is all of a cell of its row.
fn is_cell(head: &str, tail: &str, sign: char) -> bool {
    let is_plain = |rest: &str| rest.chars().all(|char| char.is_whitespace() || "*_`\"".contains(char));
    let left = head.rsplit(sign).next().unwrap_or(head);
    let right = tail.split(sign).next().unwrap_or(tail);
    (head.contains(sign) || tail.contains(sign)) && is_plain(left) && is_plain(right)
}

fn cell(key: &Key<'_>, row: &str, sign: char, place: usize) -> Option<std::ops::Range<usize>> {
    let cell = row.split(sign).nth(place)?;
    let start = row.split(sign).take(place).map(|cell| cell.len() + sign.len_utf8()).sum::<usize>();
    let blanks = cell.len() - cell.trim_start().len();
    let value = Value::at(cell, blanks)?;
    let told = Told { key, link: Link::Cell, value: &value, window: cell, is_flag: false };
    told.is_secret().then(|| start + value.range().start..start + value.range().end)
}
