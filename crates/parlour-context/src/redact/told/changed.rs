//! What was and what is: `password changed from … to …`, both of which are secrets.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    super::words::ITS_PARTS,
    Found,
    judge::{Link, Told},
    key::{Class, Key},
    pattern,
    things::{has_inner_sign, is_unlike_names, looks_chosen},
    value::Value,
    window_after,
};

/// The old value and the new one. A plain word is one where it stands in quotation marks.
pub(super) fn both(text: &str, key: &Key<'_>) -> Vec<Found> {
    static FROM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(r"(?i)^(?:[ \t]+[^\s()<>=:,;|]+){0,9}?[ \t]+(?:from|von|vom|de|da|från|fra|van|z|с)[ \t]+")
    });
    static TO: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(r"(?i)^[\x22'`”“’*]{0,2}[ \t]+(?:to|auf|zu|in|à|a|al|en|por|til|till|naar|into|na|на|→|->|=>)[ \t]+")
    });
    let window = window_after(text, key.range.end);
    // `I changed root on the old box from … to …`: where only what is logged in to is named, the new value must look chosen.
    let is_site = matches!(key.class, Class::Site | Class::Door);
    let is_told = key.class != Class::Credentials;
    let Some(from) = FROM.as_ref().filter(|_| is_told).and_then(|from| from.find(window)) else { return Vec::new() };
    if window.starts_with(' ') && window.split_whitespace().next().is_some_and(|word| ITS_PARTS.contains(word)) {
        return Vec::new();
    }
    let Some(old) = Value::at(window, from.end()) else { return Vec::new() };
    let Some(to) = TO.as_ref().and_then(|to| to.find(old.after(window))) else { return Vec::new() };
    let new = Value::at(window, old.range().end + to.end());
    let is_typed =
        |value: &Value<'_>| looks_chosen(value.text) || is_unlike_names(value.text) || has_inner_sign(value.text);
    if is_site && !new.as_ref().is_some_and(is_typed) {
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

/// `password: … -> …`: what the value became.
pub(super) fn next(text: &str, key: &Key<'_>, first: Range<usize>) -> Option<Found> {
    static ARROW: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^[\x22'`*]{0,2}[ \t]*(?:→|-{1,2}>|=>|⇒)[ \t]*"));
    let window = window_after(text, first.end);
    let arrow = ARROW.as_ref()?.find(window)?;
    let value = Value::at(window, arrow.end())?;
    let told = Told { key, link: Link::Prose, value: &value, window, is_flag: false };
    told.is_secret().then(|| (first.end + value.range().start..first.end + value.range().end, key.class.kind()))
}
