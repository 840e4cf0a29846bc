//! What says the same as another: exactly, or nearly.
//!
//! A longer text says the same wherever and by whomever it is said again, also with a few words changed; but never when
//! a number or a negation differs, for then it says something else. A short one ("ok", "yes, please") means what it
//! answers: it is a duplicate only of the very same text by the same sender in the same place.

mod kept;

use crate::{candidate::Candidate, terms};

/// Bits in which the fingerprints of nearly equal texts differ at most.
const BITS_MAX: u32 = 3;
/// Words of a text that says something by itself.
const LONG_TERMS_LEAST: u32 = 6;
/// How the words that turn a meaning around end or read.
const NEGATIONS: [&str; 7] = ["no", "not", "never", "none", "nor", "cannot", "without"];

/// A number that is equal for equal words in equal order, and differs in few bits for nearly equal ones; 0 for a text
/// without words. Case, accents and punctuation play no part.
pub fn fingerprint(text: &str) -> u64 {
    let words = terms::sequence(text);
    let mut votes = [0_i32; 64];
    let pairs = words.windows(2).map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1]));
    for feature in words.iter().map(|word| u64::from(*word)).chain(pairs) {
        let bits = spread(feature);
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if bits >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    votes.iter().enumerate().fold(0, |bits, (bit, vote)| bits | u64::from(*vote > 0) << bit)
}

/// For each candidate the one that says the same and is to be shown in its place, if there is one.
///
/// `order` has the places of all candidates, the most important first: of those that say the same, the first of them
/// stays. What must be shown always stays.
pub fn duplicates(candidates: &[Candidate], order: &[usize]) -> Vec<Option<usize>> {
    let mut found = vec![None; candidates.len()];
    let mut kept = kept::Kept::new(candidates.len());
    let of_all = |is_mandatory: bool| {
        order.iter().copied().filter(move |place| candidates[*place].is_mandatory() == is_mandatory)
    };
    for place in of_all(true) {
        kept.keep(candidates[place].prepared.fingerprint, place);
    }
    for place in of_all(false) {
        let here = &candidates[place];
        let print = here.prepared.fingerprint;
        found[place] = kept.first(print, |other| {
            (candidates[other].prepared.fingerprint ^ print).count_ones() <= BITS_MAX
                && says_the_same(here, &candidates[other])
        });
        if found[place].is_none() {
            kept.keep(print, place);
        }
    }
    found
}

/// Whether two with near fingerprints mean the same.
fn says_the_same(one: &Candidate, other: &Candidate) -> bool {
    let (a, b) = (&one.prepared, &other.prepared);
    if one.subject_type != other.subject_type || a.terms.len == 0 && a.text != b.text {
        return false;
    }
    if a.terms.len.min(b.terms.len) < LONG_TERMS_LEAST {
        let place = |candidate: &Candidate| candidate.place.as_ref().map(|place| place.id.clone());
        return a.text == b.text && one.from == other.from && place(one) == place(other);
    }
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    a.text == b.text || digits(&a.text) == digits(&b.text) && negations(&a.text) == negations(&b.text)
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
