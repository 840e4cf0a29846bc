//! Where words occur: one pass over the words of all candidates, however many are looked for.

use parlour_core::context::Reason;

use super::{constants::Constants, lines::Lines};
use crate::candidate::Candidate;

/// A word that occurs: what it counts, and where, with how much it counts there.
pub(super) struct Found {
    /// What it counts, with how rare it is.
    pub(super) weight: f32,
    /// Places in the lines.
    pub(super) places: Vec<(u32, f32)>,
}

/// The candidates as they are looked through.
pub(super) struct Looked<'a> {
    candidates: &'a [Candidate],
    lines: &'a Lines,
    constants: &'a Constants,
    /// Words of a usual candidate.
    usual: f32,
}

impl<'a> Looked<'a> {
    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn of(candidates: &'a [Candidate], lines: &'a Lines, constants: &'a Constants) -> Self {
        let total: u64 = candidates.iter().map(|candidate| u64::from(candidate.prepared.terms.len)).sum();
        let usual = (total as f32 / candidates.len().max(1) as f32).max(1.0);
        Self { candidates, lines, constants, usual }
    }

    /// The candidate in this place of the lines; nothing for what is to be answered: it holds all of its own words, and
    /// would outshine everything.
    pub(super) fn candidate(&self, at: usize) -> Option<&'a Candidate> {
        let candidate = &self.candidates[self.lines.order[at]];
        (!candidate.reasons.contains(&Reason::Current)).then_some(candidate)
    }

    /// For each of these words, which are in ascending order, where it occurs.
    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn places(&self, words: &[(u32, f32)]) -> Vec<Vec<(u32, f32)>> {
        let Constants { k1, b, .. } = *self.constants;
        let mut places: Vec<Vec<(u32, f32)>> = vec![Vec::new(); words.len()];
        let sieve = Sieve::of(words);
        for at in 0..self.lines.order.len() {
            let Some(candidate) = self.candidate(at) else { continue };
            let terms = &candidate.prepared.terms;
            for (term, count) in terms.counts.iter().filter(|(term, _)| sieve.may_have(*term)) {
                if let Ok(word) = words.binary_search_by_key(term, |(term, _)| *term) {
                    let count = f32::from(*count) / (1.0 - b + b * terms.len as f32 / self.usual);
                    places[word].push((u32::try_from(at).unwrap_or(u32::MAX), count * (k1 + 1.0) / (count + k1)));
                }
            }
        }
        places
    }

    /// How much a word counts that occurs in so many places.
    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn rarity(&self, places: usize) -> f32 {
        let (all, places) = (self.candidates.len() as f32, places as f32);
        (1.0 + (all - places + 0.5) / (places + 0.5)).ln()
    }

    /// The words that occur, what counts most first, at most so many.
    pub(super) fn look(&self, words: &[(u32, f32)], words_max: usize) -> Vec<Found> {
        let places = self.places(words).into_iter().zip(words).filter(|(places, _)| !places.is_empty());
        let found = places.map(|(places, (_, weight))| self.found(places, *weight));
        let mut found: Vec<Found> = found.filter(|found| found.weight > 0.0).collect();
        found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        found.truncate(words_max);
        found
    }

    pub(super) fn found(&self, places: Vec<(u32, f32)>, weight: f32) -> Found {
        Found { weight: weight * self.rarity(places.len()).powf(self.constants.rarity), places }
    }
}

/// Says of most words at once that nobody looks for them.
struct Sieve(Vec<u64>);

impl Sieve {
    fn of(terms: &[(u32, f32)]) -> Self {
        let mut bits = vec![0; 1 << 10];
        for (term, _) in terms {
            bits[(term >> 6 & 0x3ff) as usize] |= 1 << (term & 63);
        }
        Self(bits)
    }

    fn may_have(&self, term: u32) -> bool {
        self.0[(term >> 6 & 0x3ff) as usize] >> (term & 63) & 1 == 1
    }
}
