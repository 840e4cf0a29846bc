//! What is plainly no secret, whatever stands near it: the lines of a public key, and what another column is compared with.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{floor, pattern};

/// Bytes before a value in which the beginning of its block, or the column that it is compared with, stands.
const BLOCK_BYTES_MAX: usize = 4_000;
const COLUMN_BYTES_MAX: usize = 120;
/// Parts of the names of columns that do hold secrets.
const HOLDING: &[&str] = &["pass", "pwd", "secret", "token", "key", "pin", "code", "credential", "auth"];

/// Whether what stands here is no secret.
pub(super) fn is_plainly_none(text: &str, range: &Range<usize>) -> bool {
    is_in_public_block(text, range) || is_of_another_column(text, range)
}

fn before(text: &str, at: usize, bytes_max: usize) -> &str {
    &text[floor(text, at.saturating_sub(bytes_max))..at]
}

/// `-----BEGIN PUBLIC KEY-----` and what follows, up to its end.
fn is_in_public_block(text: &str, range: &Range<usize>) -> bool {
    let before = before(text, range.start, BLOCK_BYTES_MAX);
    let Some((_, block)) = before.rsplit_once("-----BEGIN ") else { return false };
    let label = block.split("-----").next().unwrap_or_default();
    !block.contains("-----END") && (label.contains("PUBLIC KEY") || label.contains("CERTIFICATE"))
}

/// `… p.token IS NULL AND u.status = 'active'`.
fn is_of_another_column(text: &str, range: &Range<usize>) -> bool {
    static COLUMN: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(r"(?i)\b(?:where|and|or|on|having)\s+([\w.]{1,60})\s*(?:=|<>|!=|like)\s*['\x22]?$"));
    let before = before(text, range.start, COLUMN_BYTES_MAX);
    let column = COLUMN.as_ref().and_then(|column| column.captures(before)).and_then(|groups| groups.get(1));
    let Some(column) = column.map(|column| column.as_str().to_lowercase()) else { return false };
    let name = column.rsplit('.').next().unwrap_or_default();
    !HOLDING.iter().any(|part| name.contains(part))
}
