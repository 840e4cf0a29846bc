//! What says the same as another: exactly, or nearly.
//!
//! A longer text says the same wherever and by whomever it is said again, also politely, with a word more, or with a few
//! of many words changed; but never when a number or a negation differs, for then it says something else. A short one ("ok", "yes, please") means what it
//! answers: it is a duplicate only of the very same text by the same sender in the same place.

mod kept;
mod sign;

use std::{
    hash::{DefaultHasher, Hasher},
    sync::LazyLock,
};

pub use self::sign::TextSketch;
use crate::{
    candidate::Candidate,
    terms::{self, Terms},
};

/// Words of a text that says something by itself.
const LONG_TERMS_LEAST: u32 = 6;
/// One word of so many may be exchanged.
const EXCHANGED_OF: usize = 20;
/// Any odd number: it makes another hash of the same.
const NEXT_WAY: u64 = 0x9e37_79b9_7f4a_7c15;
/// Words that are said for politeness, or to say something again.
static COURTESY: LazyLock<Terms> = LazyLock::new(|| {
    Terms::of(
        "please thanks thank hi hello hey everybody everyone folks again fyi reminder sorry ok okay well now cheers",
    )
});
/// How the words that turn a meaning around end or read.
const NEGATIONS: [&str; 7] = ["no", "not", "never", "none", "nor", "cannot", "without"];

/// A number that texts have in common which differ in case and in how their words are spaced, and in nothing else.
pub fn folded(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in text.split_whitespace() {
        word.chars().flat_map(char::to_lowercase).for_each(|sign| hasher.write_u32(sign.into()));
        hasher.write_u8(0);
    }
    hasher.finish()
}

/// Four numbers of 16 bits in one, of which equal texts have all in common and nearly equal ones almost surely two (the
/// least hash of their pairs of words, hashed in four ways); 0 for a text without words. Case, accents and punctuation
/// play no part.
pub fn fingerprint(text: &str) -> u64 {
    let words = terms::sequence(text);
    if words.is_empty() {
        return 0;
    }
    let pair = |before: u32, here: u32| u64::from(before) << 32 | u64::from(here);
    let mut least = [u64::MAX; kept::QUARTERS];
    // The first word makes a pair with nothing, so that one word is something too.
    let pairs = words.windows(2).map(|two| pair(two[0], two[1])).chain([pair(0, words[0])]);
    for feature in pairs {
        let mut hash = spread(feature);
        for least in &mut least {
            *least = (*least).min(hash);
            hash = spread(hash ^ NEXT_WAY);
        }
    }
    least.iter().enumerate().fold(0, |bits, (quarter, least)| bits | (least & 0xffff) << (16 * quarter))
}

/// For each candidate the one that says the same and is to be shown in its place, if there is one.
///
/// `order` has the places of all candidates, the most important first: of those that say the same, the first of them
/// stays. What must be shown always stays.
pub fn duplicates(candidates: &[&Candidate], order: &[usize]) -> Vec<Option<usize>> {
    // All that is needed of most of them, side by side and in their own order: the other one jumps through all memory.
    let needed = |candidate: &&Candidate| (candidate.prepared.fingerprint, candidate.is_mandatory());
    let needed: Vec<(u64, bool)> = candidates.iter().map(needed).collect();
    let mut found = vec![None; candidates.len()];
    let mut kept = kept::Kept::new(candidates);
    for place in order.iter().copied().filter(|place| needed[*place].1) {
        kept.keep(needed[place].0, place);
    }
    for place in order.iter().copied().filter(|place| !needed[*place].1) {
        let print = needed[place].0;
        found[place] = kept.first(print, place, |other| says_the_same(candidates[place], candidates[other]));
        if found[place].is_none() {
            kept.keep(print, place);
        }
    }
    found
}

/// Whether the first, which would be left out, says nothing that the other does not.
fn says_the_same(one: &Candidate, other: &Candidate) -> bool {
    let (a, b) = (&one.prepared, &other.prepared);
    if one.subject_type != other.subject_type || a.terms.len == 0 && a.text != b.text {
        return false;
    }
    if a.terms.len.min(b.terms.len) < LONG_TERMS_LEAST {
        let [here, there] = [one, other].map(|candidate| candidate.conversation.as_ref().map(|place| &place.id));
        return a.text == b.text && one.from == other.from && here == there;
    }
    let [left, right] = [a, b].map(|prepared| prepared.text.bytes().filter(u8::is_ascii_digit));
    a.text == b.text || differ_little(&a.terms, &b.terms) && left.eq(right) && negations(&a.text) == negations(&b.text)
}

/// Whether one text is the other with a little more, or with a few words of many exchanged. One word of few exchanged
/// may turn it around: `passed` for `failed`.
fn differ_little(left_out: &Terms, shown: &Terms) -> bool {
    let word = |terms: &Terms, at: usize| terms.counts.get(at).map(|(term, _)| *term);
    let (mut at, mut lost, mut more) = ([0, 0], 0, 0);
    loop {
        // Both are in ascending order, so that the smaller of two words is one that the other text lacks.
        let (term, is_lost) = match (word(left_out, at[0]), word(shown, at[1])) {
            (None, None) => return true,
            (Some(one), Some(other)) if one == other => {
                at = [at[0] + 1, at[1] + 1];
                continue;
            }
            (Some(one), Some(other)) => (one.min(other), one < other),
            (Some(one), None) => (one, true),
            (None, Some(other)) => (other, false),
        };
        let (place, missing) = if is_lost { (&mut at[0], &mut lost) } else { (&mut at[1], &mut more) };
        *place += 1;
        *missing += usize::from(!COURTESY.has(term));
        if !is_little(lost, more, shown.counts.len()) {
            return false;
        }
    }
}

/// Whether so many words are few that the one lacks and the other lacks, where the other has so many in all. Where it is
/// not for some, it is not for more.
fn is_little(lost: usize, more: usize, all: usize) -> bool {
    (lost == 0 && more * 5 <= all) || (lost.max(more) * EXCHANGED_OF <= all)
}

fn negations(text: &str) -> usize {
    let is_one = |word: &str| {
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase().replace('\u{2019}', "'");
        word.ends_with("n't") || NEGATIONS.contains(&word.as_str())
    };
    text.split_whitespace().filter(|word| is_one(word)).count()
}

/// Spreads a number over all bits (the last steps of MurmurHash3).
fn spread(number: u64) -> u64 {
    let number = (number ^ number >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let number = (number ^ number >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    number ^ number >> 33
}

#[cfg(test)]
mod tests;
