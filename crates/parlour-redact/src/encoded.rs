//! Encoded secrets: one level of Base64, Base32, hexadecimal, percent encoding or escapes, and reversed or ROT13 text where
//! the text says so. The whole encoded run is redacted.

use std::ops::Range;

use super::{
    checks::decode_base64,
    labelled,
    scanner::{Scanner, Scope, SecretCandidate},
    shape::{CharCounts, char_boundary_before},
    words::{ENCODING_WORDS, REVERSED_WORDS, SECRET_WORDS},
};

/// Characters of a run that is decoded.
const RUN_LEAST: usize = 16;
/// Percent-encoded bytes of a run that is decoded.
const PERCENT_LEAST: usize = 1;

/// Bytes on each side of a run that are searched for words about encoding.
const NEAR_BYTES_MAX: usize = 80;
const ROT13_WORDS: &[&str] = &["rot13", "ROT13", "rot-13", "rot 13"];
/// The priority of values that are only announced as encoded.
const ANNOUNCED_PRIORITY: usize = 10_000;

/// The encoded runs of a text that contain a secret.
pub(super) fn find(scanner: &Scanner, text: &str, scope: Scope<'_>) -> Vec<SecretCandidate> {
    let secrets = Scope { personal: false, ..scope };
    let coded =
        runs(text, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'='), RUN_LEAST);
    let turns = Transformations::of(text);
    let coded = coded.filter_map(|range| {
        let run = &text[range.clone()];
        let inside: Vec<String> = [decode_hex(run), decode_base64(run), decode_base32(run)]
            .into_iter()
            .flatten()
            .filter_map(readable)
            .collect();
        let first = inside.iter().find_map(|inside| hidden(scanner, inside, secrets));
        let (kind, priority) = first
            .or_else(|| assigned(scanner, run, secrets))
            .or_else(|| turns.turned(scanner, run, secrets))
            .or_else(|| announced(text, range.clone(), &inside, &ENCODING_WORDS))?;
        Some(SecretCandidate { range, kind, priority })
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
        let inside = decode_percent(run).or_else(|| decode_escapes(run))?;
        let is_whole = run.matches(['\\', '%']).count() * 2 > inside.len();
        let nearby =
            || announced(text, range.clone(), std::slice::from_ref(&inside), &SECRET_WORDS).filter(|_| is_whole);
        let (kind, priority) = hidden(scanner, &inside, scope).or_else(nearby)?;
        // A secret that is found without decoding is redacted alone, and the rest of the URL stays readable.
        (hidden(scanner, &text[range.clone()], scope).is_none()).then_some(SecretCandidate { range, kind, priority })
    });
    coded.chain(percent).collect()
}

fn hidden(scanner: &Scanner, inside: &str, scope: Scope<'_>) -> Option<(&'static str, usize)> {
    scanner.scan_decoded(inside, scope).into_iter().min_by_key(|one| one.priority).map(|one| (one.kind, one.priority))
}

/// `auth=YWRt…`: only the value after the equals sign is decoded.
fn assigned(scanner: &Scanner, run: &str, scope: Scope<'_>) -> Option<(&'static str, usize)> {
    let (_, value) = run.trim_end_matches('=').split_once('=')?;
    let value = value.trim_start_matches('=');
    (value.len() >= RUN_LEAST)
        .then(|| decode_base64(value))
        .flatten()
        .and_then(readable)
        .and_then(|inside| hidden(scanner, &inside, scope))
}

/// `here is the login in base64: …`: a credential pair or a password, where the text says that it is encoded.
fn announced(text: &str, range: Range<usize>, inside: &[String], words: &[&str]) -> Option<(&'static str, usize)> {
    let is_secret = inside.iter().any(|inside| {
        let (user, password) = inside.split_once(':').unwrap_or(("", inside));
        let counts = CharCounts::of(password);
        let is_mixed = counts.upper > 0 && counts.lower > 0 && counts.digits + counts.symbols > 0;
        let is_word =
            !inside.contains(char::is_whitespace) && !password.contains(['{', '/', '"']) && inside.len() <= 80;
        is_word && labelled::is_strong(password) && (is_mixed || !user.is_empty())
    });
    (is_secret && is_mentioned(text, range, words)).then_some(("password", ANNOUNCED_PRIORITY))
}

/// Transformations that the text mentions: reversed, or ROT13.
struct Transformations {
    is_back: bool,
    is_moved: bool,
}

impl Transformations {
    fn of(text: &str) -> Self {
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        Self { is_back: says(&REVERSED_WORDS), is_moved: says(ROT13_WORDS) }
    }

    fn turned(&self, scanner: &Scanner, run: &str, scope: Scope<'_>) -> Option<(&'static str, usize)> {
        let back = self.is_back.then(|| run.chars().rev().collect::<String>());
        let straight = self.is_moved.then(|| run.chars().map(moved).collect::<String>());
        [back, straight].into_iter().flatten().find_map(|inside| hidden(scanner, &inside, scope))
    }
}

fn moved(char: char) -> char {
    let turn = |first: u8| char::from((char as u8 - first + 13) % 26 + first);
    match char {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        _ => char,
    }
}

/// Whether one of the words is near the run.
fn is_mentioned(text: &str, range: Range<usize>, words: &[&str]) -> bool {
    let before = &text[char_boundary_before(text, range.start.saturating_sub(NEAR_BYTES_MAX))..range.start];
    let after = &text[range.end..char_boundary_before(text, (range.end + NEAR_BYTES_MAX).min(text.len()))];
    [before, after].into_iter().map(str::to_lowercase).any(|near| words.iter().any(|word| near.contains(word)))
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

/// The bytes as readable text.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let odd = text.chars().filter(|char| char.is_control() && !"\n\r\t".contains(*char)).count();
    (odd == 0 && text.len() >= 8).then_some(text)
}

fn decode_hex(run: &str) -> Option<Vec<u8>> {
    let run = run.strip_prefix("0x").unwrap_or(run);
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let is_even = run.len().is_multiple_of(2);
    is_even
        .then(|| run.as_bytes().chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect())
        .flatten()
}

fn decode_base32(run: &str) -> Option<Vec<u8>> {
    let run = run.trim_end_matches('=');
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(run.len() * 5 / 8), 0_u32, 0_u32);
    for byte in run.bytes() {
        let five = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'2'..=b'7' => byte - b'2' + 26,
            _ => return None,
        };
        (bits, count) = (bits << 5 | u32::from(five), count + 5);
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

fn decode_percent(run: &str) -> Option<String> {
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

/// Decodes `\u0041` and `\x41`.
fn decode_escapes(run: &str) -> Option<String> {
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
