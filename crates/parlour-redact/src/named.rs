//! Tokens that say what they are: makers put a few short words before what is drawn by lot, as in `acme_live_key_…`.

use super::{
    drawn,
    shape::{self, Makeup},
    stand_in,
};

/// Characters of what is drawn by lot, and of its first piece.
const BODY_LEAST: usize = 16;
const PIECE_LEAST: usize = 12;
const BODY_MAX: usize = 300;
/// Characters of one in small letters and digits, where its prefix says that it is in use.
const LIVE_LEAST: usize = 32;
/// Characters of one word of a prefix.
const WORD_MAX: usize = 12;
/// Changes between sorts of characters, for each hundred of them.
const CHANGES_LEAST: usize = 22;

/// Words of a prefix that only secrets have.
const SECRET: &[&str] = &[
    "sk",
    "rk",
    "pat",
    "key",
    "apikey",
    "token",
    "tok",
    "tkn",
    "secret",
    "pw",
    "passwd",
    "password",
    "priv",
    "private",
    "oauth",
    "sat",
    "uat",
    "jwt",
    "whsec",
    "apitoken",
    "authtoken",
    "seckey",
    "secretkey",
];
/// Words of a prefix that ids may have too.
const LIKELY: &[&str] = &["api", "auth", "live", "prod", "production", "sandbox", "access", "refresh", "bearer", "svc"];
/// Words of a prefix that say that everybody may know it.
const KNOWN: &[&str] =
    &["pk", "pub", "public", "id", "ids", "req", "cs", "hash", "sha", "fp", "run", "commit", "img", "job", "pi"];

/// Whether a run of characters is such a token.
pub(super) fn is_token(value: &str) -> bool {
    let Some(body) = body(value) else { return false };
    let words = &value[..value.len() - body.len()];
    // `exports/crm_prod_20250611T02…`: a path, or the day on which a file was written.
    if words.contains('/') || is_dated(body) {
        return false;
    }
    let has = |list: &[&str]| words.split(['_', '-']).any(|word| list.contains(&word.to_ascii_lowercase().as_str()));
    let makeup = Makeup::of(body);
    let is_both = makeup.upper > 1 && makeup.lower > 1;
    let is_live = has(&["live", "prod", "production"]) && body.len() >= LIVE_LEAST;
    let is_said = has(SECRET) && !body.starts_with("01") || has(LIKELY) && (is_both || is_live);
    is_said && !has(KNOWN) && is_body(body) && !stand_in::is_filler(value) && !shape::is_own_id(value)
}

/// What stands behind the words of the prefix.
fn body(value: &str) -> Option<&str> {
    let mut rest = value;
    while let Some((_, next)) = rest.split_once(['_', '-']).filter(|(word, _)| is_word(word)) {
        rest = next;
    }
    (rest.len() < value.len()).then_some(rest)
}

/// A short word in one case, perhaps with a digit or two.
fn is_word(word: &str) -> bool {
    let makeup = Makeup::of(word);
    (2..=WORD_MAX).contains(&word.len())
        && makeup.digits <= 2
        && makeup.letters() > makeup.digits
        && (makeup.upper == 0 || makeup.lower == 0)
}

/// Begins with a day: `20250611T0200Z`, `2025-06-11`.
fn is_dated(body: &str) -> bool {
    let digits: String = body.chars().filter(|char| *char != '-').take(8).collect();
    let is_between = |from: usize, most: u32| {
        digits.get(from..from + 2).and_then(|two| two.parse::<u32>().ok()).is_some_and(|n| (1..=most).contains(&n))
    };
    digits.starts_with("20") && is_between(4, 12) && is_between(6, 31)
}

fn is_body(body: &str) -> bool {
    let body = body.trim_end_matches('=');
    let piece = body.split(['_', '-']).next().unwrap_or_default();
    let makeup = Makeup::of(body);
    let is_uuid = shape::is_uuid(body);
    if body.contains('=') {
        return false;
    }
    // Few digits may be drawn, and none: then letters of both cases change places as they do in no name.
    let is_uneven =
        makeup.upper > 3 && makeup.lower > 3 && !shape::is_words(body) && drawn::changes(body) * 3 >= body.len();
    (BODY_LEAST..=BODY_MAX).contains(&body.len())
        && (is_uuid || piece.len() >= PIECE_LEAST)
        && (makeup.digits > 1 || is_uneven)
        && makeup.letters() > 1
        && drawn::changes(body) * 100 >= body.len() * CHANGES_LEAST
        && shape::entropy(body) >= 280
}
