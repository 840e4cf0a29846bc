//! One level of decoding: what hides a secret in base64, hexadecimal digits, percent signs or escapes goes as a whole.

use std::ops::Range;

use super::{
    check::unbase64,
    scan::{Candidate, Rules, Scope},
};

/// Characters that a run has at least to be worth decoding.
const RUN_LEAST: usize = 16;
/// Percent signs that a run has at least.
const PERCENT_LEAST: usize = 1;

/// The runs of a text that hold a secret.
pub(super) fn find(rules: &Rules, text: &str, scope: Scope<'_>) -> Vec<Candidate> {
    let secrets = Scope { personal: false, ..scope };
    let coded =
        runs(text, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'='), RUN_LEAST);
    let coded = coded.filter_map(|range| {
        let run = &text[range.clone()];
        let first = [unhex(run), unbase64(run)]
            .into_iter()
            .flatten()
            .filter_map(readable)
            .find_map(|inside| hidden(rules, &inside, secrets));
        let (kind, rank) = first.or_else(|| assigned(rules, run, secrets))?;
        Some(Candidate { range, kind, rank })
    });
    let percent = runs(
        text,
        |byte| {
            byte.is_ascii_graphic()
                && !matches!(
                    byte,
                    b'"' | b'\'' | b'<' | b'>' | b'`' | b'(' | b')' | b'&' | b'?' | b'#' | b';' | b'[' | b']'
                )
        },
        4,
    );
    let percent = percent.filter_map(|range| {
        let run = &text[range.clone()];
        let inside = unpercent(run).or_else(|| unescape(run))?;
        let (kind, rank) = hidden(rules, &inside, scope)?;
        // What is found without decoding is taken out by itself, and leaves the rest of an address readable.
        (hidden(rules, &text[range.clone()], scope).is_none()).then_some(Candidate { range, kind, rank })
    });
    coded.chain(percent).collect()
}

fn hidden(rules: &Rules, inside: &str, scope: Scope<'_>) -> Option<(&'static str, usize)> {
    rules.scan(inside, scope, false).into_iter().min_by_key(|one| one.rank).map(|one| (one.kind, one.rank))
}

/// A run such as `auth=YWRt…`: what follows the sign is looked at alone.
fn assigned(rules: &Rules, run: &str, scope: Scope<'_>) -> Option<(&'static str, usize)> {
    let (_, value) = run.trim_end_matches('=').split_once('=')?;
    let value = value.trim_start_matches('=');
    (value.len() >= RUN_LEAST)
        .then(|| unbase64(value))
        .flatten()
        .and_then(readable)
        .and_then(|inside| hidden(rules, &inside, scope))
}

fn runs<'t>(text: &'t str, is_part: impl Fn(u8) -> bool + 't, least: usize) -> impl Iterator<Item = Range<usize>> + 't {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let len = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
            let range = at..at + len;
            at += len.max(1);
            if len >= least {
                return Some(range);
            }
        }
        None
    })
}

/// The bytes as a text that people write, or nothing.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let odd = text.chars().filter(|char| char.is_control() && !"\n\r\t".contains(*char)).count();
    (odd == 0 && text.len() >= 8).then_some(text)
}

fn unhex(run: &str) -> Option<Vec<u8>> {
    let run = run.strip_prefix("0x").unwrap_or(run);
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let is_even = run.len().is_multiple_of(2);
    is_even
        .then(|| run.as_bytes().chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect())
        .flatten()
}

fn unpercent(run: &str) -> Option<String> {
    let digit = |byte: Option<&u8>| {
        byte.and_then(|byte| char::from(*byte).to_digit(16)).and_then(|digit| u8::try_from(digit).ok())
    };
    let bytes = run.as_bytes();
    let (mut inside, mut at, mut count) = (Vec::with_capacity(run.len()), 0, 0);
    while at < bytes.len() {
        match (bytes[at], digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                inside.push(high << 4 | low);
                (at, count) = (at + 3, count + 1);
            }
            (byte, ..) => {
                inside.push(byte);
                at += 1;
            }
        }
    }
    (count >= PERCENT_LEAST).then_some(inside).and_then(readable)
}

/// `\u0041` and `\x41`, as programs write what is not plain.
fn unescape(run: &str) -> Option<String> {
    let mut inside = String::with_capacity(run.len());
    let (mut rest, mut count) = (run, 0);
    while let Some(at) = rest.find('\\') {
        inside.push_str(&rest[..at]);
        let len = match rest.as_bytes().get(at + 1) {
            Some(b'u') => 6,
            Some(b'x') => 4,
            _ => 0,
        };
        let code = rest.get(at + 2..at + len).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code.and_then(char::from_u32) {
            Some(char) => {
                inside.push(char);
                (rest, count) = (&rest[at + len..], count + 1);
            }
            None => {
                inside.push('\\');
                rest = &rest[at + 1..];
            }
        }
    }
    inside.push_str(rest);
    (count > 0).then_some(inside).filter(|inside| inside.len() >= 8)
}
