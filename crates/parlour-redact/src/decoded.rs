//! One level of decoding: what hides a secret in base64, hexadecimal digits, percent signs or escapes goes as a whole.

use std::ops::Range;

use super::{
    check::unbase64,
    scan::{Candidate, Rules, Scope},
    shape::Makeup,
    told,
};

/// Characters that a run has at least to be worth decoding.
const RUN_LEAST: usize = 16;
/// Percent signs that a run has at least.
const PERCENT_LEAST: usize = 1;

/// Bytes to each side of a run in which the text may say that it is in code.
const NEAR_BYTES_MAX: usize = 80;
/// What people say of a text in code.
const CODES: &[&str] = &["base64", "b64", "base 64", "decode", "encoded", "atob", "in hex", "hex:", "xxd", "base32"];
/// What people say of a secret.
const SECRETS: &[&str] =
    &["password", "passwort", "pw", "secret", "token", "key", "creds", "login", "contraseña", "пароль"];
const BACKWARDS: &[&str] = &["backward", "revers", "rückwärts", "à l'envers", "al revés", "| rev", "[::-1]"];
const MOVED: &[&str] = &["rot13", "ROT13", "rot-13", "rot 13"];
/// Where what is only announced stands among the rules.
const ANNOUNCED: usize = 10_000;

/// The runs of a text that hold a secret.
pub(super) fn find(rules: &Rules, text: &str, scope: Scope<'_>) -> Vec<Candidate> {
    let secrets = Scope { personal: false, ..scope };
    let coded =
        runs(text, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'='), RUN_LEAST);
    let turns = Turns::of(text);
    let coded = coded.filter_map(|range| {
        let run = &text[range.clone()];
        let inside: Vec<String> =
            [unhex(run), unbase64(run), unbase32(run)].into_iter().flatten().filter_map(readable).collect();
        let first = inside.iter().find_map(|inside| hidden(rules, inside, secrets));
        let (kind, rank) = first
            .or_else(|| assigned(rules, run, secrets))
            .or_else(|| turns.turned(rules, run, secrets))
            .or_else(|| announced(text, range.clone(), &inside, CODES))?;
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
        let is_whole = run.matches(['\\', '%']).count() * 2 > inside.len();
        let spoken = || announced(text, range.clone(), std::slice::from_ref(&inside), SECRETS).filter(|_| is_whole);
        let (kind, rank) = hidden(rules, &inside, scope).or_else(spoken)?;
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

/// `here is the login in base64: …`: a pair or a password by itself, where the text says that it is in code.
fn announced(text: &str, range: Range<usize>, inside: &[String], words: &[&str]) -> Option<(&'static str, usize)> {
    let is_secret = inside.iter().any(|inside| {
        let (user, password) = inside.split_once(':').unwrap_or(("", inside));
        let makeup = Makeup::of(password);
        let is_mixed = makeup.upper > 0 && makeup.lower > 0 && makeup.digits + makeup.signs > 0;
        let is_word =
            !inside.contains(char::is_whitespace) && !password.contains(['{', '/', '"']) && inside.len() <= 80;
        is_word && told::is_strong(password) && (is_mixed || !user.is_empty())
    });
    (is_secret && is_said(text, range, words)).then_some(("password", ANNOUNCED))
}

/// What the text says was done to a token: turned around, or moved by thirteen letters.
struct Turns {
    is_back: bool,
    is_moved: bool,
}

impl Turns {
    fn of(text: &str) -> Self {
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        Self { is_back: says(BACKWARDS), is_moved: says(MOVED) }
    }

    fn turned(&self, rules: &Rules, run: &str, scope: Scope<'_>) -> Option<(&'static str, usize)> {
        let back = self.is_back.then(|| run.chars().rev().collect::<String>());
        let straight = self.is_moved.then(|| run.chars().map(moved).collect::<String>());
        [back, straight].into_iter().flatten().find_map(|inside| hidden(rules, &inside, scope))
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

/// Whether one of the words stands near.
fn is_said(text: &str, range: Range<usize>, words: &[&str]) -> bool {
    let before = &text[told::floor(text, range.start.saturating_sub(NEAR_BYTES_MAX))..range.start];
    let after = &text[range.end..told::floor(text, (range.end + NEAR_BYTES_MAX).min(text.len()))];
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

fn unbase32(run: &str) -> Option<Vec<u8>> {
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
