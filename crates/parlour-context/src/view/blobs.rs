//! Blobs: long runs of encoded data become a mark with their size.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{Edit, Edited, compile, links};

/// The smallest length of a base64 run that is a blob.
const RUN_LEAST: usize = 200;
/// The smallest number of consecutive base64 lines that are a blob.
const LINES_LEAST: usize = 4;
/// The smallest length of such a line.
const LINE_LEAST: usize = 40;

/// URLs that contain their data.
pub(super) static DATA: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)\bdata:[a-z0-9.+/-]{0,60}(?:;[a-z0-9=._-]{1,40}){0,4},[A-Za-z0-9+/=_%-]{24,}"));

/// The mark of a blob: `[blob 12 kB]`.
pub(super) fn mark(bytes: usize) -> String {
    if bytes < 1_000 { format!("[blob {bytes} B]") } else { format!("[blob {} kB]", bytes.div_ceil(1_000)) }
}

/// Replaces data URLs, long base64 runs and base64 blocks by marks.
pub(super) fn blobs(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let mut found: Vec<Range<usize>> = DATA.find_iter(text).map(|data| data.range()).collect();
    found.extend(runs(text).filter(|run| run.len() >= RUN_LEAST && is_blob(&text[run.clone()])));
    found.extend(rows(text));
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    found
        .into_iter()
        .map(|range| {
            let new = links::separated(text, range.clone(), &mark(range.len()));
            (range, new)
        })
        .collect()
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-')
}

fn runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    text.as_bytes().chunk_by(|one, next| is_part(*one) == is_part(*next)).filter_map(move |run| {
        let range = from..from + run.len();
        from = range.end;
        run.first().is_some_and(|byte| is_part(*byte)).then_some(range)
    })
}

/// Whether the run is random: digits and letters, and few of the characters that separate words in names and paths.
fn is_blob(run: &str) -> bool {
    let count = |is: fn(&u8) -> bool| run.bytes().filter(is).count();
    let (digits, letters, signs) = (
        count(u8::is_ascii_digit),
        count(u8::is_ascii_alphabetic),
        count(|byte| matches!(byte, b'/' | b'_' | b'-' | b'=')),
    );
    digits * 50 > run.len() && letters * 8 > run.len() && signs * 14 < run.len()
}

/// Blocks of base64 lines, as in keys and certificates.
fn rows(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut end, mut count, mut at) = (0, 0, 0, 0);
    for line in text.split_inclusive('\n') {
        let row = line.trim_end_matches('\n');
        let is_hex = row.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_row = row.bytes().all(is_part)
            && (row.len() >= LINE_LEAST && !is_hex && is_blob(row)
                || count >= LINES_LEAST
                    && !row.is_empty()
                    && row.len() < LINE_LEAST
                    && row.bytes().any(|byte| byte.is_ascii_digit() || byte == b'='));
        if is_row {
            if count == 0 {
                start = at;
            }
            (count, end) = (count + 1, at + row.len());
        }
        let ends = !is_row || row.len() < LINE_LEAST;
        if ends {
            if count >= LINES_LEAST {
                found.push(start..end);
            }
            count = 0;
        }
        at += line.len();
    }
    if count >= LINES_LEAST {
        found.push(start..end);
    }
    found
}
