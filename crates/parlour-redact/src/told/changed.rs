//! What was and what is: `password changed from … to …`, both of which are secrets.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    super::{
        shape::is_name_with_number,
        words::{ITS_PARTS, MOVING_VERBS, PLACE_WORDS, SETTING_VERBS},
    },
    Found, floor,
    judge::{Link, Told, is_strong},
    key::{Class, Key},
    pattern,
    things::{has_inner_sign, is_thing, is_unlike_names, looks_chosen},
    value::Value,
    window_after,
};

/// The old value and the new one. A plain word is one where it stands in quotation marks.
pub(super) fn both(text: &str, key: &Key<'_>) -> Vec<Found> {
    static FROM: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(r"(?i)[ \t](?:from|von|vom|de|da|från|fra|van|z|с)[ \t]+"));
    static TO: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(r"(?i)^[\x22'`”“’*]{0,2}[ \t]+(?:to|auf|zu|in|à|a|al|en|por|til|till|naar|into|na|на|→|->|=>)[ \t]+")
    });
    let window = window_after(text, key.range.end);
    // `I changed root on the old box from … to …`: where only what is logged in to is named, the new value must look chosen.
    let is_site = matches!(key.class, Class::Site | Class::Door);
    let is_told = key.class != Class::Credentials;
    let line = window.split('\n').next().unwrap_or_default();
    if window.starts_with(' ') && window.split_whitespace().next().is_some_and(|word| ITS_PARTS.contains(word)) {
        return Vec::new();
    }
    // `vom Kassensystem … von … auf …`: the first word may say whose password it is.
    let changes = FROM.as_ref().filter(|_| is_told).into_iter().flat_map(|from| from.find_iter(line));
    let mut changes = changes.take_while(|from| is_said_until(&line[..from.start()])).filter_map(|from| {
        let old = Value::at(window, from.end())?;
        let to = TO.as_ref()?.find(old.after(window))?;
        Some((from, Value::at(window, old.range().end + to.end()), old))
    });
    let Some((from, new, old)) = changes.next() else { return Vec::new() };
    let is_typed =
        |value: &Value<'_>| looks_chosen(value.text) || is_unlike_names(value.text) || has_inner_sign(value.text);
    let is_set =
        || is_set_anew(text, key, &line[..from.end()]) && [Some(&old), new.as_ref()].into_iter().all(is_unnamed);
    if is_site && (is_moved(text, key) || !new.as_ref().is_some_and(is_typed) && !is_set()) {
        return Vec::new();
    }
    [Some(old), new]
        .into_iter()
        .flatten()
        .filter(|value| !value.text.contains('='))
        .filter(|value| Told { key, link: Link::Prose, value, window, is_flag: false }.is_secret())
        .map(|value| (key.range.end + value.range().start..key.range.end + value.range().end, key.class.kind()))
        .collect()
}

/// Whether a name and what was done with it stand in one part of a sentence: a few words and no sign.
fn is_said_until(lead: &str) -> bool {
    lead.split_whitespace().count() < SAID_WORDS_MAX && !lead.contains(['(', ')', '<', '>', '=', ':', ',', ';', '|'])
}

/// Words between a name and what it was.
const SAID_WORDS_MAX: usize = 10;

/// `I changed the till admin from … to …`: the verb says that a password was set, and only where stands between.
fn is_set_anew(text: &str, key: &Key<'_>, from: &str) -> bool {
    let words: Vec<&str> = from.split_whitespace().collect();
    let is_direct = words.len() == 1 || words.first().is_some_and(|word| PLACE_WORDS.contains(word));
    let is_gone = words.len() > 1 && words[..words.len() - 1].iter().any(|word| SETTING_VERBS.contains(word));
    is_gone || is_direct && lead_words(text, key).any(|word| SETTING_VERBS.contains(&word.as_str()))
}

/// `renamed root from … to …`: something else became of it.
fn is_moved(text: &str, key: &Key<'_>) -> bool {
    lead_words(text, key).any(|word| MOVING_VERBS.contains(&word.as_str()))
}

/// The words right before the name, the nearest first.
fn lead_words(text: &str, key: &Key<'_>) -> impl Iterator<Item = String> {
    let lead = &text[floor(text, key.range.start.saturating_sub(LEAD_BYTES_MAX))..key.range.start];
    let words = lead.rsplit(['\n', '.', ';']).next().unwrap_or_default().split_whitespace().rev();
    words.take(LEAD_WORDS_MAX).map(|word| word.to_lowercase()).collect::<Vec<_>>().into_iter()
}

/// Letters with digits or signs, and no name that something has.
fn is_unnamed(value: Option<&Value<'_>>) -> bool {
    value.is_some_and(|value| {
        let text = value.text;
        is_strong(text)
            && !is_thing(text)
            && !(text.starts_with(|char: char| char.is_ascii_lowercase()) && is_name_with_number(text))
    })
}

/// Bytes and words before a name that are looked at.
const LEAD_BYTES_MAX: usize = 80;
const LEAD_WORDS_MAX: usize = 6;

/// `password: … -> …`: what the value became.
pub(super) fn next(text: &str, key: &Key<'_>, first: Range<usize>) -> Option<Found> {
    static ARROW: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^[\x22'`*]{0,2}[ \t]*(?:→|-{1,2}>|=>|⇒)[ \t]*"));
    let window = window_after(text, first.end);
    let arrow = ARROW.as_ref()?.find(window)?;
    let value = Value::at(window, arrow.end())?;
    let told = Told { key, link: Link::Prose, value: &value, window, is_flag: false };
    told.is_secret().then(|| (first.end + value.range().start..first.end + value.range().end, key.class.kind()))
}
