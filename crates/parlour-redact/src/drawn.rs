//! What is drawn by lot and stands alone: a token of a maker whom no table knows.
//!
//! Letters of both cases and digits change places in it all the time, as they do in no word and in no name. What is drawn by
//! lot and secret to nobody has a word in front of it that says so, stands in an address, or begins as ids do.

use std::ops::Range;

use super::{
    check::unbase64,
    named,
    scan::Candidate,
    shape::{self, Makeup},
    stand_in,
};

/// Characters of such a token.
pub(super) const LEN_LEAST: usize = 24;
const LEN_MAX: usize = 180;
/// Characters of one that says what it is.
pub(super) const NAMED_LEAST: usize = 19;
/// Bytes before it that are read.
const LEAD_BYTES_MAX: usize = 40;
/// Changes between sorts of characters, for each hundred of them.
const CHANGES_LEAST: usize = 42;
/// What is said of things that look so and are known to everybody.
const KNOWN: &[&str] = &[
    "sha",
    "hash",
    "digest",
    "integrity",
    "checksum",
    "fingerprint",
    "commit",
    "etag",
    "cursor",
    "next",
    "public",
    "pub ",
    "pubkey",
    "ssh-",
    "id",
    "ref",
    "rev",
    "cid",
    "address",
    "addr",
    "recipient",
    "image",
    "img",
    "file",
    "doc",
    "video",
    "trace",
    "span",
    "request",
    "nonce",
    "build",
    "version",
    "snapshot",
    "modulus",
    "\"n\"",
    "\"x\"",
    "\"y\"",
    "iv",
    "base64",
    "blob",
    "h1:",
    "data:",
    "sum",
    "certificate",
    "cert",
    "peer",
    "node",
    "model",
    "run ",
    "job",
    "block",
    "tx",
    "encoded",
    "begin",
    "kid",
    "page",
    "thumb",
    "enc[",
    "tag:",
];

/// The tokens of a text, whoever made them.
pub(super) fn find(text: &str, rank: usize) -> Vec<Candidate> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let len = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        let range = at..at + len;
        at += len.max(1);
        if (LEN_LEAST..=LEN_MAX).contains(&len) && is_token(text, range.clone()) {
            found.push(Candidate { range, kind: "secret", rank });
        } else if len >= NAMED_LEAST && named::is_token(&text[range.clone()]) {
            found.push(Candidate { range, kind: "token", rank });
        }
    }
    found
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=')
}

fn is_token(text: &str, range: Range<usize>) -> bool {
    let value = &text[range.clone()];
    let makeup = Makeup::of(value);
    makeup.upper > 3
        && makeup.lower > 3
        && makeup.digits > 1
        && is_drawn(value)
        && shape::entropy(value) >= 380
        && !shape::is_own_id(value)
        && !stand_in::is_stand_in(value)
        && !is_id(value)
        && !is_known(text, range)
}

/// Whether letters of both cases and digits change places all the time.
pub(super) fn is_drawn(value: &str) -> bool {
    let makeup = Makeup::of(value);
    makeup.upper > 1 && makeup.lower > 1 && makeup.digits > 0 && changes(value) * 100 >= value.len() * CHANGES_LEAST
}

/// How often lower-case letters, upper-case letters, digits and signs follow each other.
pub(super) fn changes(value: &str) -> usize {
    let sort = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    value.as_bytes().windows(2).filter(|pair| sort(&pair[0]) != sort(&pair[1])).count()
}

/// `chatcmpl-…`, `toolu_…`, `AAAA…`, a path, an assignment.
fn is_id(value: &str) -> bool {
    let head: String = value.chars().take_while(char::is_ascii_lowercase).collect();
    let is_prefixed = head.len() > 1 && value[head.len()..].starts_with(['_', '-']);
    let inner = value.trim_end_matches('=');
    is_prefixed
        || ["sha1-", "sha256-", "sha384-", "sha512-"].iter().any(|head| value.starts_with(head))
        || value.contains("+0x")
        || value.starts_with("eyJ") && is_readable(value.get(..24).unwrap_or(value))
        || is_readable(value)
        || ["AAAA", "0x", "Qm", "bafy", "iVBOR", "/9j/", "R0lGOD", "MII", "UEs", "JVBER"]
            .iter()
            .any(|head| value.starts_with(head))
        || inner.contains('=')
        || value.starts_with('/')
        || value.contains("//")
        || value.split('/').count() > 6
}

/// What is a text in base64 is not drawn by lot; if the text holds a secret, it is found by decoding.
fn is_readable(value: &str) -> bool {
    unbase64(value).is_some_and(|bytes| bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' '))
}

/// Whether what stands before or behind it says what it is.
fn is_known(text: &str, range: Range<usize>) -> bool {
    let from = super::told::floor(text, range.start.saturating_sub(LEAD_BYTES_MAX));
    let lead = text[from..range.start].rsplit('\n').next().unwrap_or_default().to_lowercase();
    let word = lead.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_address = word.contains("://")
        || word.contains('/')
        || word.contains("www.")
        || word.ends_with(['@', '.', '#', '?', '&', '%']);
    let rest = &text.as_bytes()[range.end..];
    let is_name = rest.first().is_some_and(|byte| matches!(byte, b'.' | b'(' | b'@' | b'%' | b':'))
        && rest.get(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || rest.starts_with(b"()"));
    is_address || is_name || is_row(text, &range) || KNOWN.iter().any(|known| has_word(&lead, known))
}

/// One of several rows of base64, as certificates and pictures are printed.
fn is_row(text: &str, range: &Range<usize>) -> bool {
    let is_long = |line: &str| line.len() >= 40 && line.bytes().all(is_part) || line.starts_with("-----");
    let before = &text[super::told::floor(text, range.start.saturating_sub(LEN_MAX))..range.start];
    let after = &text[range.end..super::told::floor(text, (range.end + LEN_MAX).min(text.len()))];
    let above = before.strip_suffix('\n').and_then(|head| head.rsplit('\n').next());
    let below = after.strip_prefix('\n').and_then(|tail| tail.split('\n').next());
    above.is_some_and(is_long) || below.is_some_and(is_long)
}

/// Whether a word begins with this in the text.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(|char: char| char.is_alphanumeric()) || word.len() > 3)
}
