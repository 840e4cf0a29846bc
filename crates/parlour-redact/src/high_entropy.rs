//! Random strings that no label announces: tokens of providers without a rule.
//!
//! Upper case, lower case and digits alternate in them as in no word and no name. Random strings that are public have a word
//! before them that marks them as public, are part of an address, or begin like ids.

use std::ops::Range;

use super::{
    checks::decode_base64,
    placeholder,
    scanner::SecretCandidate,
    shape::{self, CharCounts, char_boundary_before},
    words::{LIKELY_PREFIX_WORDS, PUBLIC_PREFIX_WORDS, PUBLIC_TOKEN_LABELS, SECRET_PREFIX_WORDS},
};

/// Characters of a random string.
const LEN_LEAST: usize = 24;
const LEN_MAX: usize = 180;
/// Characters of a token with a secret prefix; shorter strings are ignored.
pub(crate) const RUN_LEAST: usize = 19;
/// Bytes before the string that are searched for a label.
const LEAD_BYTES_MAX: usize = 40;
/// Changes between character classes for each hundred characters.
const CHANGES_LEAST: usize = 42;

/// Characters of the random part of a prefixed token, and of its first piece.
const BODY_LEAST: usize = 16;
const BODY_PIECE_LEAST: usize = 12;
const BODY_LEN_MAX: usize = 300;
/// Characters of a body in lower case and digits after a prefix such as `live`.
const LIVE_BODY_LEAST: usize = 32;
const PREFIX_WORD_LEN_MAX: usize = 12;
const BODY_CHANGES_LEAST: usize = 22;

/// The random strings (`secret`) and tokens with a secret prefix (`token`) of a text.
pub(crate) fn find(text: &str, priority: usize) -> Vec<SecretCandidate> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let len = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        let range = at..at + len;
        at += len.max(1);
        if (LEN_LEAST..=LEN_MAX).contains(&len) && is_random_string(text, range.clone()) {
            found.push(SecretCandidate { range, kind: "secret", priority });
        } else if len >= RUN_LEAST && is_prefixed_token(&text[range.clone()]) {
            found.push(SecretCandidate { range, kind: "token", priority });
        }
    }
    found
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=')
}

fn is_random_string(text: &str, range: Range<usize>) -> bool {
    let value = &text[range.clone()];
    let counts = CharCounts::of(value);
    counts.upper > 3
        && counts.lower > 3
        && counts.digits > 1
        && is_high_entropy(value)
        && shape::entropy(value) >= 380
        && !shape::is_own_id(value)
        && !placeholder::is_placeholder(value)
        && !is_id(value)
        && !is_public(text, range)
}

/// Whether upper case, lower case and digits alternate all the time.
pub(crate) fn is_high_entropy(value: &str) -> bool {
    let counts = CharCounts::of(value);
    counts.upper > 1 && counts.lower > 1 && counts.digits > 0 && changes(value) * 100 >= value.len() * CHANGES_LEAST
}

/// The number of changes between lower case, upper case, digits and symbols.
pub(crate) fn changes(value: &str) -> usize {
    let class = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    value.as_bytes().windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count()
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

/// Whether a value is readable text in Base64. If that text contains a secret, `encoded` finds it.
fn is_readable(value: &str) -> bool {
    decode_base64(value).is_some_and(|bytes| bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' '))
}

/// Whether the text around a random string marks it as public.
fn is_public(text: &str, range: Range<usize>) -> bool {
    let from = char_boundary_before(text, range.start.saturating_sub(LEAD_BYTES_MAX));
    let lead = text[from..range.start].rsplit('\n').next().unwrap_or_default().to_lowercase();
    let word = lead.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_address = word.contains("://")
        || word.contains('/')
        || word.contains("www.")
        || word.ends_with(['@', '.', '#', '?', '&', '%']);
    let rest = &text.as_bytes()[range.end..];
    let is_name = rest.first().is_some_and(|byte| matches!(byte, b'.' | b'(' | b'@' | b'%' | b':'))
        && rest.get(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || rest.starts_with(b"()"));
    is_address
        || is_name
        || is_base64_row(text, &range)
        || PUBLIC_TOKEN_LABELS.iter().any(|label| has_word(&lead, label))
}

/// One of several rows of Base64, as certificates and images are printed.
fn is_base64_row(text: &str, range: &Range<usize>) -> bool {
    let is_long = |line: &str| line.len() >= 40 && line.bytes().all(is_part) || line.starts_with("-----");
    let before = &text[char_boundary_before(text, range.start.saturating_sub(LEN_MAX))..range.start];
    let after = &text[range.end..char_boundary_before(text, (range.end + LEN_MAX).min(text.len()))];
    let above = before.strip_suffix('\n').and_then(|head| head.rsplit('\n').next());
    let below = after.strip_prefix('\n').and_then(|tail| tail.split('\n').next());
    above.is_some_and(is_long) || below.is_some_and(is_long)
}

/// Whether a word of the text begins with this one; words of four letters or more may also be inside of another word.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(|char: char| char.is_alphanumeric()) || word.len() > 3)
}

/// Whether a string is a token with a secret prefix: `acme_live_key_…`.
fn is_prefixed_token(value: &str) -> bool {
    let Some(body) = token_body(value) else { return false };
    let prefix = &value[..value.len() - body.len()];
    // `exports/crm_prod_20250611T02…`: a path, or the date in the name of a file.
    if prefix.contains('/') || starts_with_date(body) {
        return false;
    }
    let has = |list: &[&str]| prefix.split(['_', '-']).any(|word| list.contains(&word.to_ascii_lowercase().as_str()));
    let counts = CharCounts::of(body);
    let is_both_cases = counts.upper > 1 && counts.lower > 1;
    let is_live = has(&["live", "prod", "production"]) && body.len() >= LIVE_BODY_LEAST;
    let has_secret_prefix =
        has(&SECRET_PREFIX_WORDS) && !body.starts_with("01") || has(&LIKELY_PREFIX_WORDS) && (is_both_cases || is_live);
    has_secret_prefix
        && !has(&PUBLIC_PREFIX_WORDS)
        && is_token_body(body)
        && !placeholder::is_filler(value)
        && !shape::is_own_id(value)
}

/// The part of a token after the words of its prefix.
fn token_body(value: &str) -> Option<&str> {
    let mut rest = value;
    while let Some((_, next)) = rest.split_once(['_', '-']).filter(|(word, _)| is_prefix_word(word)) {
        rest = next;
    }
    (rest.len() < value.len()).then_some(rest)
}

/// A short word in one case, with at most two digits.
fn is_prefix_word(word: &str) -> bool {
    let counts = CharCounts::of(word);
    (2..=PREFIX_WORD_LEN_MAX).contains(&word.len())
        && counts.digits <= 2
        && counts.letters() > counts.digits
        && (counts.upper == 0 || counts.lower == 0)
}

/// `20250611T0200Z`, `2025-06-11`.
fn starts_with_date(body: &str) -> bool {
    let digits: String = body.chars().filter(|char| *char != '-').take(8).collect();
    let is_between = |from: usize, most: u32| {
        digits.get(from..from + 2).and_then(|two| two.parse::<u32>().ok()).is_some_and(|n| (1..=most).contains(&n))
    };
    digits.starts_with("20") && is_between(4, 12) && is_between(6, 31)
}

fn is_token_body(body: &str) -> bool {
    let body = body.trim_end_matches('=');
    let piece = body.split(['_', '-']).next().unwrap_or_default();
    let counts = CharCounts::of(body);
    let is_uuid = shape::is_uuid(body);
    if body.contains('=') {
        return false;
    }
    // A random body may have no digit: then letters of both cases alternate as in no name.
    let is_uneven = counts.upper > 3 && counts.lower > 3 && !shape::is_words(body) && changes(body) * 3 >= body.len();
    (BODY_LEAST..=BODY_LEN_MAX).contains(&body.len())
        && (is_uuid || piece.len() >= BODY_PIECE_LEAST)
        && (counts.digits > 1 || is_uneven)
        && counts.letters() > 1
        && changes(body) * 100 >= body.len() * BODY_CHANGES_LEAST
        && shape::entropy(body) >= 280
}
