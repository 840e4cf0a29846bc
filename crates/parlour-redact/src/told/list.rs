//! More of the same: codes and keys often stand in a row, and only the first has a word in front of it.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{super::stand_in, pattern};

/// Values that are taken out behind the first.
const VALUES_MAX: usize = 24;
/// Bytes between two values of a row.
const GAP_BYTES_MAX: usize = 48;

/// The values behind the first one that have its shape: as long, with signs at the same places.
pub(super) fn rest(text: &str, first: Range<usize>) -> Vec<Range<usize>> {
    static GAP: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?i)^[\x22'`*)]{0,3}(?:[ \t]*[,;/|+&·][ \t]*|[ \t]+|[ \t]*\n[ \t]*)(?:(?:and|or|und|oder|et|y|og|och)[ \t]+)?(?:[-*•][ \t]+|[0-9]{1,2}[.)][ \t]+)?[\x22'`*(]{0,3}"#,
        )
    });
    let shape = shape(&text[first.clone()]);
    let (mut found, mut at) = (Vec::new(), first.end);
    let has_shape = shape.chars().count() >= 4 && text[first].bytes().any(|byte| byte.is_ascii_digit());
    while has_shape && found.len() < VALUES_MAX {
        let window = &text[at..super::floor(text, (at + GAP_BYTES_MAX).min(text.len()))];
        let Some(gap) = GAP.as_ref().and_then(|gap| gap.find(window)).filter(|gap| !gap.is_empty()) else { break };
        let (start, end) = (at + gap.end(), at + gap.end() + shape.len());
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        let is_whole = next.is_none_or(|char| !char.is_alphanumeric() && char != '-' && char != '_');
        let Some(value) = text.get(start..end).filter(|_| is_whole) else { break };
        if self::shape(value) != shape
            || stand_in::is_stand_in(value)
            || !value.bytes().any(|byte| byte.is_ascii_digit())
        {
            break;
        }
        found.push(start..end);
        at = end;
    }
    found
}

/// The value with every letter and digit the same: what is left are its length and its signs.
fn shape(value: &str) -> String {
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
