//! What is kept, found by its fingerprint: two that say nearly the same have two of its four quarters in common.

use super::TextSketch;
use crate::candidate::Candidate;

/// Quarters of a fingerprint, of 16 bits each.
pub(super) const QUARTERS: usize = 4;
/// Candidates of one quarter that are looked at: what is the same is among the first of them, and the cost is bounded.
const LOOKS_MAX: usize = 64;
/// Quarters that two have in common which may say the same. One alone is often chance: a pair of words that many use.
const COMMON_LEAST: usize = 2;
const NOTHING: u32 = u32::MAX;

/// The kept candidates: for each value of each quarter a chain of them, the newest first.
pub(super) struct Kept<'a> {
    candidates: &'a [&'a Candidate],
    heads: Vec<u32>,
    entries: Vec<Entry>,
}

/// One that is kept, with all that most of those in a chain are passed over by: whoever looks at it fetches one piece of
/// memory.
struct Entry {
    print: u64,
    /// Fetched when it is first looked at: of most it is never needed.
    sign: Option<TextSketch>,
    place: u32,
    /// The last for which it was asked whether this one fits.
    asked_for: u32,
    /// The next in the chain of each quarter.
    next: [u32; QUARTERS],
}

impl<'a> Kept<'a> {
    /// Keeps none of these candidates yet.
    pub(super) fn new(candidates: &'a [&'a Candidate]) -> Self {
        Self { candidates, heads: vec![NOTHING; QUARTERS << 16], entries: Vec::with_capacity(candidates.len()) }
    }

    /// Keeps a candidate. What has no words is found by nobody.
    pub(super) fn keep(&mut self, print: u64, place: usize) {
        let (Ok(place), Ok(number)) = (u32::try_from(place), u32::try_from(self.entries.len())) else { return };
        let next = std::array::from_fn(|quarter| std::mem::replace(&mut self.heads[head(print, quarter)], number));
        self.entries.push(Entry { print, sign: None, place, asked_for: NOTHING, next });
    }

    /// The first that is kept and fits, of those with enough quarters in common. Of each it is asked once.
    pub(super) fn first(&mut self, print: u64, place: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let asking = u32::try_from(place).ok()?;
        let sign = |place: usize| self.candidates[place].prepared.sketch;
        let mut own = None;
        for quarter in 0..QUARTERS {
            let mut at = self.heads[head(print, quarter)];
            for _ in 0..LOOKS_MAX {
                let Some(entry) = self.entries.get_mut(at as usize) else { break };
                at = entry.next[quarter];
                if !common(entry.print, print) || entry.asked_for == asking {
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

/// Whether enough quarters of two fingerprints are the same.
fn common(one: u64, other: u64) -> bool {
    let differing = one ^ other;
    let is_same = |quarter: usize| usize::from(differing >> (16 * quarter) & 0xffff == 0);
    is_same(0) + is_same(1) + is_same(2) + is_same(3) >= COMMON_LEAST
}

#[allow(clippy::cast_possible_truncation, reason = "16 bits are taken")]
fn head(print: u64, quarter: usize) -> usize {
    quarter << 16 | (print >> (16 * quarter)) as usize & 0xffff
}
