//! Duplicates: texts that say exactly or nearly the same.
//!
//! A longer text is a duplicate wherever and by whomever it is repeated, also with courtesies, one more word, or a few
//! of many words changed; but never if a number or a negation differs. A short text ("ok", "yes, please") depends on
//! what it answers: it is a duplicate only of the identical text by the same sender in the same conversation.

#[cfg(test)]
mod tests;

use std::{
    hash::{DefaultHasher, Hasher},
    sync::LazyLock,
};

use crate::{
    candidate::Candidate,
    terms::{self, Terms},
};

/// Words of a text that is meaningful by itself.
const LONG_TERMS_LEAST: u32 = 6;
/// One word in this many may be exchanged.
const EXCHANGED_OF: usize = 20;
/// Any odd number, to derive further hashes.
const NEXT_WAY: u64 = 0x9e37_79b9_7f4a_7c15;
/// Words of politeness and repetition, which may differ.
static COURTESY: LazyLock<Terms> = LazyLock::new(|| {
    Terms::of(
        "please thanks thank hi hello hey everybody everyone folks again fyi reminder sorry ok okay well now cheers",
    )
});
const NEGATIONS: [&str; 7] = ["no", "not", "never", "none", "nor", "cannot", "without"];

/// A hash that ignores case and white space.
pub fn folded(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in text.split_whitespace() {
        word.chars().flat_map(char::to_lowercase).for_each(|sign| hasher.write_u32(sign.into()));
        hasher.write_u8(0);
    }
    hasher.finish()
}

/// A MinHash over word pairs: four 16-bit values in one number. Equal texts share all of them, nearly equal texts
/// almost always two. 0 for a text without words; ignores case, accents and punctuation.
pub fn fingerprint(text: &str) -> u64 {
    let words = terms::sequence(text);
    if words.is_empty() {
        return 0;
    }
    let pair = |before: u32, here: u32| u64::from(before) << 32 | u64::from(here);
    let mut least = [u64::MAX; QUARTERS];
    // The first word forms a pair with nothing, so that a single word has a hash too.
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

/// For each candidate the duplicate that is shown instead, if there is one.
///
/// `order` has the candidate indexes by importance: the first of several duplicates stays, and mandatory candidates
/// always stay.
pub fn duplicates(candidates: &[&Candidate], order: &[usize]) -> Vec<Option<usize>> {
    // Copied to be contiguous in memory.
    let needed = |candidate: &&Candidate| (candidate.prepared.fingerprint, candidate.is_mandatory());
    let needed: Vec<(u64, bool)> = candidates.iter().map(needed).collect();
    let mut found = vec![None; candidates.len()];
    let mut kept = KeptTexts::new(candidates);
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

/// Whether the first text, which would be omitted, says nothing that the other does not.
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

/// Whether one text adds only a little, or exchanges a few of many words. One exchanged word of few may reverse the
/// meaning: `passed` for `failed`.
fn differ_little(left_out: &Terms, shown: &Terms) -> bool {
    let word = |terms: &Terms, at: usize| terms.counts.get(at).map(|(term, _)| *term);
    let (mut at, mut lost, mut more) = ([0, 0], 0, 0);
    loop {
        // Both are sorted, so the smaller word is missing in the other text.
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

/// Whether these numbers of missing words are small for a text of `all` words. Monotonic in both numbers.
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

/// The finalizer of MurmurHash3.
fn spread(number: u64) -> u64 {
    let number = (number ^ number >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let number = (number ^ number >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    number ^ number >> 33
}

/// 64-bit words of the bit set.
const PARTS: usize = 2;

static COURTESY_WORDS: LazyLock<[u64; PARTS]> = LazyLock::new(|| bits(&COURTESY));

/// A sketch of a text that rejects most non-duplicates without comparing words. Chats of bots contain many similar
/// texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextSketch {
    /// A hash of all digits in order.
    digits: u32,
    /// The number of distinct words.
    terms: u32,
    /// A bit for each word; words may share one.
    words: [u64; PARTS],
    /// Whether only an identical text is a duplicate.
    is_short: bool,
}

impl TextSketch {
    pub(crate) fn of(text: &str, terms: &Terms) -> Self {
        let digits = text.bytes().filter(u8::is_ascii_digit);
        let digits = digits.fold(1, |hash, digit| spread(hash ^ u64::from(digit)));
        #[allow(clippy::cast_possible_truncation, reason = "all bits are alike: half of them are enough")]
        let digits = digits as u32;
        Self {
            digits,
            terms: u32::try_from(terms.counts.len()).unwrap_or(u32::MAX),
            words: bits(terms),
            is_short: terms.len < LONG_TERMS_LEAST,
        }
    }

    /// Whether the text of this sketch may be a duplicate of the shown one.
    fn may_be_same(&self, shown: &Self) -> bool {
        if self.digits != shown.digits {
            return false;
        }
        if self.is_short || shown.is_short {
            return self == shown;
        }
        // Each bit that only one of them has is at least one missing word.
        let only = |one: &[u64; PARTS], other: &[u64; PARTS]| -> [u64; PARTS] {
            std::array::from_fn(|part| one[part] & !other[part] & !COURTESY_WORDS[part])
        };
        let (lost, all) = (only(&self.words, &shown.words), shown.terms as usize);
        // A cheap check first.
        if lost != [0; PARTS] && !is_little(1, 0, all) {
            return false;
        }
        is_little(count(&lost), count(&only(&shown.words, &self.words)), all)
    }
}

fn count(bits: &[u64; PARTS]) -> usize {
    bits.iter().map(|bits| bits.count_ones() as usize).sum()
}

fn bits(terms: &Terms) -> [u64; PARTS] {
    let mut bits = [0; PARTS];
    for (term, _) in &terms.counts {
        bits[(term / u64::BITS) as usize % PARTS] |= 1 << (term % u64::BITS);
    }
    bits
}

/// 16-bit quarters of a fingerprint.
const QUARTERS: usize = 4;
/// Entries of one quarter that are checked; bounds the cost.
const LOOKS_MAX: usize = 64;
/// Quarters that duplicates share at least. A single one is often chance.
const COMMON_LEAST: usize = 2;
const NOTHING: u32 = u32::MAX;

/// The kept candidates: for each value of each quarter a linked list, the newest first.
struct KeptTexts<'a> {
    candidates: &'a [&'a Candidate],
    heads: Vec<u32>,
    entries: Vec<KeptText>,
}

/// Contains everything that rejects most entries, so that a check reads one block of memory.
struct KeptText {
    print: u64,
    /// Loaded on first use.
    sign: Option<TextSketch>,
    place: u32,
    /// The last candidate that was compared with this one.
    asked_for: u32,
    next: [u32; QUARTERS],
}

impl<'a> KeptTexts<'a> {
    fn new(candidates: &'a [&'a Candidate]) -> Self {
        Self { candidates, heads: vec![NOTHING; QUARTERS << 16], entries: Vec::with_capacity(candidates.len()) }
    }

    /// A text without words is never found.
    fn keep(&mut self, print: u64, place: usize) {
        let (Ok(place), Ok(number)) = (u32::try_from(place), u32::try_from(self.entries.len())) else { return };
        let next = std::array::from_fn(|quarter| std::mem::replace(&mut self.heads[head(print, quarter)], number));
        self.entries.push(KeptText { print, sign: None, place, asked_for: NOTHING, next });
    }

    /// The first kept candidate that shares enough quarters and that `fits` accepts; each is checked once.
    fn first(&mut self, print: u64, place: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let asking = u32::try_from(place).ok()?;
        let sign = |place: usize| self.candidates[place].prepared.sketch;
        let mut own = None;
        for quarter in 0..QUARTERS {
            let mut at = self.heads[head(print, quarter)];
            for _ in 0..LOOKS_MAX {
                let Some(entry) = self.entries.get_mut(at as usize) else { break };
                at = entry.next[quarter];
                if !have_common_quarters(entry.print, print) || entry.asked_for == asking {
                    continue;
                }
                entry.asked_for = asking;
                let other = entry.place as usize;
                let kept = entry.sign.get_or_insert_with(|| sign(other));
                if own.get_or_insert_with(|| sign(place)).may_be_same(kept) && fits(other) {
                    return Some(other);
                }
            }
        }
        None
    }
}

fn have_common_quarters(one: u64, other: u64) -> bool {
    let differing = one ^ other;
    let is_same = |quarter: usize| usize::from(differing >> (16 * quarter) & 0xffff == 0);
    is_same(0) + is_same(1) + is_same(2) + is_same(3) >= COMMON_LEAST
}

#[allow(clippy::cast_possible_truncation, reason = "16 bits are taken")]
fn head(print: u64, quarter: usize) -> usize {
    quarter << 16 | (print >> (16 * quarter)) as usize & 0xffff
}
