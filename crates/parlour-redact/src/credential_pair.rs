//! A user and a password side by side: `demo_viewer / …`, `account qa7 with …`, `preview:…`.
//!
//! No label names the password. The evidence is a login phrase before the pair, a first word that looks like a user, and a
//! second word that looks typed; the stronger one of them is, the weaker the others may be.

use regex::{Captures, Match};

use super::{
    benign::{self, has_code_noun, is_region_name, is_technical_term},
    placeholder,
    shape::{self, CharCounts, char_boundary_before},
    words::{
        DEFAULT_USERS, FIELD_NAMES, LOGIN_HINTS, LOGIN_PHRASES, LOGIN_TRAILS, PAIR_LEADS, PAIR_PREPOSITIONS,
        PAIRED_NOUNS, WEB_APPLICATIONS, is_context_word,
    },
};

/// Bytes before a pair that are searched for a login phrase.
const LEAD_BYTES_MAX: usize = 120;
/// Bytes after a pair that are searched for a login phrase.
const BEHIND_BYTES_MAX: usize = 40;

/// How much a value looks like a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// A plain word.
    Plain,
    /// With a digit.
    Numbered,
    /// Both cases and a digit.
    Mixed,
    /// A symbol between letters or digits.
    Symbols,
}

/// Whether a match with the groups `u` (user), `s` (separator) and `v` (value) is a credential pair.
pub(crate) fn is_credential_pair(text: &str, found: &Captures<'_>) -> bool {
    let group = |name| found.name(name).map_or("", |group: Match<'_>| group.as_str());
    let (user, sign, value) = (group("u"), group("s"), group("v"));
    let Some(strength) = strength(value) else { return false };
    let start = found.name("u").map_or(0, |user| user.start());
    let lead = lead(text, start);
    let has = |words: &[&str]| words.iter().any(|word| lead.contains(word));
    let (has_login_phrase, has_hint) = (has(&LOGIN_PHRASES), has(&LOGIN_HINTS));
    let is_named = DEFAULT_USERS.contains(user.to_lowercase().as_str());
    let is_user = is_named || is_user(user);
    let is_same = value.get(..user.len()).is_some_and(|head| head.eq_ignore_ascii_case(user));
    let is_name = is_same && CharCounts::of(value).symbols == 0 && value.chars().skip(1).any(char::is_uppercase);
    let is_colon = sign.contains(':');
    // A list in code: `('qa', 'Editor-2')`.
    let start = found.name("v").map_or(0, |value| value.start());
    let is_listed = sign.starts_with(',') && text[..start].ends_with(['"', '\'', '`']);
    let is_label = is_colon && FIELD_NAMES.contains(user.to_lowercase().as_str());
    if is_listed || is_label || is_name || !is_user && (is_colon || user.starts_with(char::is_uppercase)) {
        return false;
    }
    let has_login_phrase = has_login_phrase || is_user && has_login_trail(text, found);
    let is_web_application =
        is_named && WEB_APPLICATIONS.iter().any(|site| lead.contains(site)) && lead.contains([':', '→', '>'])
            || is_named && lead.contains("users");
    let is_spaced = sign.starts_with(' ') && sign.contains(['/', '|']);
    let is_given = PAIR_PREPOSITIONS.contains(sign.trim_matches([' ', ',', '\t']));
    let is_tight = sign.contains(['/', '|', ':']);
    match strength {
        Strength::Symbols if is_spaced => true,
        Strength::Symbols => has_login_phrase || has_hint || is_web_application || is_named && is_tight,
        // `Sales-2025 / Ops-Weekly-2`: users are hardly ever capitalised.
        Strength::Mixed if is_spaced => {
            has_login_phrase || is_named || has_hint && !user.starts_with(char::is_uppercase)
        }
        Strength::Mixed => has_login_phrase || is_web_application || is_named && has_hint && is_tight,
        Strength::Numbered if is_tight => {
            is_web_application || has_login_phrase && is_user || is_named && has_hint && is_spaced
        }
        Strength::Numbered if is_given => has_login_phrase && is_user,
        Strength::Numbered => is_named && (has_login_phrase || has_hint && lead.trim_end().ends_with(':')),
        Strength::Plain => is_plain_word_pair(text, found, &lead, has_login_phrase && is_named && is_spaced, value),
    }
}

/// `mail + … for the first login`: a login phrase after the pair.
fn has_login_trail(text: &str, found: &Captures<'_>) -> bool {
    let end = found.name("v").map_or(0, |value| value.end());
    let after = &text[end..char_boundary_before(text, (end + BEHIND_BYTES_MAX).min(text.len()))];
    let line = after.split('\n').next().unwrap_or_default().to_lowercase();
    LOGIN_TRAILS.iter().any(|word| line.contains(word))
}

/// `login for testers is stage / blaubeere`: a plain word, where a sentence introduces the pair and ends with it.
fn is_plain_word_pair(text: &str, found: &Captures<'_>, lead: &str, is_credential_pair: bool, value: &str) -> bool {
    let lead = lead.trim_end_matches([' ', '\t', '"', '\'', '`', '(']);
    let is_linked = PAIR_LEADS.iter().any(|link| lead.ends_with(link));
    let after = text.get(found.name("v").map_or(0, |value| value.end())..).unwrap_or_default();
    let is_end = after.trim_start_matches([' ', '.', ',', ')', '"', '\'', '`', '!']).starts_with('\n')
        || after.is_empty()
        || after.starts_with(['.', ',', ')', '!']);
    is_credential_pair
        && is_linked
        && is_end
        && value.bytes().all(|byte| byte.is_ascii_lowercase())
        && !PAIRED_NOUNS.contains(value)
        && !is_context_word(value)
}

/// The line before the pair, and the line above if the pair begins its line.
fn lead(text: &str, end: usize) -> String {
    let from = char_boundary_before(text, end.saturating_sub(LEAD_BYTES_MAX));
    let near = text[from..end].to_lowercase();
    let mut lines = near.rsplit('\n');
    let line = lines.next().unwrap_or_default();
    match line.trim_matches([' ', '\t', '`', '>', '-', '*', '•', '"']) {
        "" => format!("{} {line}", lines.find(|line| !line.trim_matches(['`', ' ']).is_empty()).unwrap_or_default()),
        _ => line.to_owned(),
    }
}

/// `demo_viewer`, `qa-checkout`, `svc.report`, `mara@…`, `qa7`: a name of a user, and no word of a sentence.
fn is_user(user: &str) -> bool {
    let inner = &user[1..];
    inner.contains(['_', '-', '.', '@']) || user.ends_with(|char: char| char.is_ascii_digit())
}

fn strength(value: &str) -> Option<Strength> {
    let counts = CharCounts::of(value);
    let is_other = placeholder::is_placeholder(value)
        || placeholder::is_code(value)
        || is_technical_term(value)
        || has_code_noun(value)
        || benign::is_prefixed_id(value)
        || is_region_name(value)
        || benign::is_numbered_noun(value)
        || benign::is_benign_name(value) && !(counts.lower == 0 && counts.upper > 2)
        || shape::is_uuid(value);
    if is_other || counts.letters() < 3 {
        return None;
    }
    let is_product = value.trim_end_matches(|char: char| char.is_ascii_digit()).len() + 3 >= value.len()
        && counts.symbols == 0
        && !value.chars().skip(1).any(char::is_uppercase);
    match counts {
        _ if benign::has_inner_symbol(value) && counts.digits + counts.upper > 0 && value.len() >= 7 => {
            Some(Strength::Symbols)
        }
        _ if counts.upper > 0 && counts.lower > 1 && counts.digits > 0 && !is_product => Some(Strength::Mixed),
        _ if counts.digits > 0 => Some(Strength::Numbered),
        _ if counts.symbols == 0 => Some(Strength::Plain),
        _ => None,
    }
}
