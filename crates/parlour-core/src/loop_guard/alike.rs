//! When two texts say nearly the same: compared by their words, without regard to whom they address.

use super::GuardFacts;
use crate::{limits, message::Message, name::Name};

/// What a text says, reduced to what can be compared: every three letters in a row of its words, sorted.
///
/// Three letters work for texts of one word, for long ones, and for scripts that put no blanks between words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gist {
    triples: Vec<u64>,
    body_bytes: usize,
}

impl Gist {
    /// The gist of a message. One without words that carries something else has none: it is not its text that counts.
    pub(super) fn of(message: &Message, names: &NameWords) -> Option<Self> {
        let triples = triples(&words(&message.body, names));
        let carries = message.content.is_some() || !message.artifacts.is_empty() || !message.attachments.is_empty();
        let body_bytes = message.body.len();
        (!triples.is_empty() || !carries).then_some(Self { triples, body_bytes })
    }

    /// Whether at least three quarters of what both have together stands in both; of long texts only the beginning is
    /// looked at, and their lengths.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let shared = shared(&self.triples, &other.triples);
        let together = self.triples.len() + other.triples.len() - shared;
        let (short, long) = (self.body_bytes.min(other.body_bytes), self.body_bytes.max(other.body_bytes));
        shared * 4 >= together * 3 && (long <= limits::GUARD_TEXT_CHARS_MAX || short * 4 >= long * 3)
    }
}

/// The names that texts may address, longest first. `@Coder thanks` and `@Clerk thanks` say the same.
pub(super) struct NameWords(Vec<String>);

impl NameWords {
    pub(super) fn new(facts: &GuardFacts<'_>) -> Self {
        let authors = facts.window.iter().chain([facts.message]).map(|message| message.from.name.as_str());
        let candidates = facts.names.iter().map(|(_, name)| name.as_str());
        let mut names: Vec<String> = authors.chain(candidates).map(Name::fold).collect();
        names.sort_unstable_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        names.dedup();
        Self(names)
    }

    /// The text after a name that starts it, or after its first word.
    fn skip<'a>(&self, tail: &'a str) -> &'a str {
        let known = self.0.iter().find_map(|name| tail.strip_prefix(name.as_str()));
        known.unwrap_or_else(|| tail.trim_start_matches(|sign: char| sign.is_alphanumeric() || "-_".contains(sign)))
    }
}

/// The words of a text in folded form with single blanks between them: no names after an `@`, no marks.
fn words(body: &str, names: &NameWords) -> String {
    let head: String = body.chars().take(limits::GUARD_TEXT_CHARS_MAX).collect();
    let fold = Name::fold(&head);
    let mut words = String::with_capacity(fold.len());
    let mut rest = fold.as_str();
    while let Some(sign) = rest.chars().next() {
        rest = &rest[sign.len_utf8()..];
        if sign.is_alphanumeric() {
            words.push(sign);
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
        if sign == '@' {
            rest = names.skip(rest);
        }
    }
    words.trim().to_owned()
}

/// Every three letters in a row, with a blank before and after the text, so that short words have some too.
fn triples(words: &str) -> Vec<u64> {
    if words.is_empty() {
        return Vec::new();
    }
    let signs: Vec<u64> = format!(" {words} ").chars().map(|sign| u64::from(u32::from(sign))).collect();
    // A letter has 21 bits, so three of them fit without loss.
    let mut triples: Vec<u64> = signs.windows(3).map(|three| three[0] << 42 | three[1] << 21 | three[2]).collect();
    triples.sort_unstable();
    triples
}

/// How many elements two sorted lists have in common, repeated ones counted.
fn shared(left: &[u64], right: &[u64]) -> usize {
    let (mut at, mut other, mut count) = (0, 0, 0);
    while let (Some(one), Some(two)) = (left.get(at), right.get(other)) {
        count += usize::from(one == two);
        at += usize::from(one <= two);
        other += usize::from(two <= one);
    }
    count
}

#[cfg(test)]
mod tests;
