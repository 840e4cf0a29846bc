//! Who logs in and by what, side by side: `demo_viewer / …`, `account qa7 with …`, `preview:…`.
//!
//! No word names the password; what stands before the pair says that somebody is let in, the first looks like a user, and
//! the second like what people type. The more of these hold, the less the others have to.

use regex::{Captures, Match};

use super::{
    shape::{self, Makeup},
    stand_in,
    told::{self, has_code_noun, is_place, is_trade},
    words::{
        AFTERTHOUGHTS, DOORS, DOORS_BEHIND, GIVEN_WITH, HINTS, LABELS, OTHERS, PAIR_LINKS, SENTENCE_WORDS, SITES,
        STOP_WORDS, USER_NAMES,
    },
};

/// Bytes before a pair in which the text says that somebody is let in.
const LEAD_BYTES_MAX: usize = 120;
/// Bytes behind a pair in which it may say so.
const BEHIND_BYTES_MAX: usize = 40;

/// What a value looks like, from a plain word to what hardly anything but a password is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Plain,
    Numbered,
    Mixed,
    Odd,
}

/// A user, a sign between the two and a password.
pub(super) fn is_login(text: &str, found: &Captures<'_>) -> bool {
    let group = |name| found.name(name).map_or("", |group: Match<'_>| group.as_str());
    let (user, sign, value) = (group("u"), group("s"), group("v"));
    let Some(look) = look(value) else { return false };
    let start = found.name("u").map_or(0, |user| user.start());
    let lead = lead(text, start);
    let has = |words: &[&str]| words.iter().any(|word| lead.contains(word));
    let (is_door, is_hint) = (has(DOORS), has(HINTS));
    let is_named = USER_NAMES.contains(&user.to_lowercase().as_str());
    let is_user = is_named || is_user(user);
    let is_same = value.get(..user.len()).is_some_and(|head| head.eq_ignore_ascii_case(user));
    let is_name = is_same && Makeup::of(value).signs == 0 && value.chars().skip(1).any(char::is_uppercase);
    let is_colon = sign.contains(':');
    // A list in code: `('qa', 'Editor-2')`.
    let start = found.name("v").map_or(0, |value| value.start());
    let is_listed = sign.starts_with(',') && text[..start].ends_with(['"', '\'', '`']);
    let is_label = is_colon && LABELS.contains(&user.to_lowercase().as_str());
    if is_listed || is_label || is_name || !is_user && (is_colon || user.starts_with(char::is_uppercase)) {
        return false;
    }
    let is_door = is_door || is_user && is_door_behind(text, found);
    let is_site = is_named && SITES.iter().any(|site| lead.contains(site)) && lead.contains([':', '→', '>'])
        || is_named && lead.contains("users");
    let is_spaced = sign.starts_with(' ') && sign.contains(['/', '|']);
    let is_given = GIVEN_WITH.contains(&sign.trim_matches([' ', ',', '\t']));
    let is_tight = sign.contains(['/', '|', ':']);
    match look {
        Look::Odd if is_spaced => true,
        Look::Odd => is_door || is_hint || is_site || is_named && is_tight,
        // `Sales-2025 / Ops-Weekly-2`: users are hardly ever written like titles.
        Look::Mixed if is_spaced => is_door || is_named || is_hint && !user.starts_with(char::is_uppercase),
        Look::Mixed => is_door || is_site || is_named && is_hint && is_tight,
        Look::Numbered if is_tight => is_site || is_door && is_user || is_named && is_hint && is_spaced,
        Look::Numbered if is_given => is_door && is_user,
        Look::Numbered => is_named && (is_door || is_hint && lead.trim_end().ends_with(':')),
        Look::Plain => is_plain_login(text, found, &lead, is_door && is_named && is_spaced, value),
    }
}

/// `mail + … for the first login`: what is said right behind the pair.
fn is_door_behind(text: &str, found: &Captures<'_>) -> bool {
    let end = found.name("v").map_or(0, |value| value.end());
    let after = &text[end..told::floor(text, (end + BEHIND_BYTES_MAX).min(text.len()))];
    let line = after.split('\n').next().unwrap_or_default().to_lowercase();
    DOORS_BEHIND.iter().any(|word| line.contains(word))
}

/// `login for testers is stage / blaubeere`: a plain word, where a sentence leads to the pair and ends with it.
fn is_plain_login(text: &str, found: &Captures<'_>, lead: &str, is_login: bool, value: &str) -> bool {
    let lead = lead.trim_end_matches([' ', '\t', '"', '\'', '`', '(']);
    let is_linked = PAIR_LINKS.iter().any(|link| lead.ends_with(link));
    let after = text.get(found.name("v").map_or(0, |value| value.end())..).unwrap_or_default();
    let is_end = after.trim_start_matches([' ', '.', ',', ')', '"', '\'', '`', '!']).starts_with('\n')
        || after.is_empty()
        || after.starts_with(['.', ',', ')', '!']);
    is_login
        && is_linked
        && is_end
        && value.bytes().all(|byte| byte.is_ascii_lowercase())
        && !OTHERS.contains(&value)
        && !AFTERTHOUGHTS.contains(value)
        && !SENTENCE_WORDS.contains(value)
        && !STOP_WORDS.contains(value)
}

/// The line up to the pair, and the one above where nothing stands before it.
fn lead(text: &str, end: usize) -> String {
    let from = told::floor(text, end.saturating_sub(LEAD_BYTES_MAX));
    let near = text[from..end].to_lowercase();
    let mut lines = near.rsplit('\n');
    let line = lines.next().unwrap_or_default();
    match line.trim_matches([' ', '\t', '`', '>', '-', '*', '•', '"']) {
        "" => format!("{} {line}", lines.find(|line| !line.trim_matches(['`', ' ']).is_empty()).unwrap_or_default()),
        _ => line.to_owned(),
    }
}

/// `demo_viewer`, `qa-checkout`, `svc.report`, `mara@…`, `qa7`: a name as users have them and sentences have not.
fn is_user(user: &str) -> bool {
    let inner = &user[1..];
    inner.contains(['_', '-', '.', '@']) || user.ends_with(|char: char| char.is_ascii_digit())
}

fn look(value: &str) -> Option<Look> {
    let makeup = Makeup::of(value);
    let is_other = stand_in::is_stand_in(value)
        || stand_in::is_code(value)
        || is_trade(value)
        || has_code_noun(value)
        || told::is_prefixed_id(value)
        || is_place(value)
        || told::is_counted(value)
        || told::is_thing(value) && !(makeup.lower == 0 && makeup.upper > 2)
        || shape::is_uuid(value);
    if is_other || makeup.letters() < 3 {
        return None;
    }
    let is_product = value.trim_end_matches(|char: char| char.is_ascii_digit()).len() + 3 >= value.len()
        && makeup.signs == 0
        && !value.chars().skip(1).any(char::is_uppercase);
    match makeup {
        _ if told::has_inner_sign(value) && makeup.digits + makeup.upper > 0 && value.len() >= 7 => Some(Look::Odd),
        _ if makeup.upper > 0 && makeup.lower > 1 && makeup.digits > 0 && !is_product => Some(Look::Mixed),
        _ if makeup.digits > 0 => Some(Look::Numbered),
        _ if makeup.signs == 0 => Some(Look::Plain),
        _ => None,
    }
}
