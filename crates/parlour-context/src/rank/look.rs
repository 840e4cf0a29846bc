//! Where words occur: one pass over the words of all candidates, however many are looked for.

use parlour_core::context::Reason;

use super::{constants::Constants, lines::Lines};
use crate::{candidate::Candidate, terms::Terms};

/// A word that occurs: what it counts, and where, with how much it counts there.
pub(super) struct Found {
    /// What it counts, with how rare it is.
    pub(super) weight: f32,
    /// Places in the lines.
    pub(super) places: Vec<(u32, f32)>,
}

/// The candidates as they are looked through.
pub(super) struct Looked<'a> {
    /// The words of the candidates in the order of the lines; nothing for what is to be answered: it holds all of its own
    /// words, and would outshine everything.
    pub(super) texts: Vec<Option<&'a Terms>>,
    constants: &'a Constants,
    /// Words of a usual candidate.
    usual: f32,
}

impl<'a> Looked<'a> {
    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn of(candidates: &'a [Candidate], lines: &Lines, constants: &'a Constants) -> Self {
        let mut total = 0_u64;
        let mut text = |place: &usize| {
            let candidate = &candidates[*place];
            total += u64::from(candidate.prepared.terms.len);
            (!candidate.reasons.contains(&Reason::Current)).then_some(&candidate.prepared.terms)
        };
        let texts: Vec<Option<&Terms>> = lines.order.iter().map(&mut text).collect();
        let usual = (total as f32 / candidates.len().max(1) as f32).max(1.0);
        Self { texts, constants, usual }
    }

    /// For each of these words where it occurs.
    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn places(&self, words: &[(u32, f32)]) -> Vec<Vec<(u32, f32)>> {
        let Constants { k1, b, .. } = *self.constants;
        let mut places: Vec<Vec<(u32, f32)>> = vec![Vec::new(); words.len()];
        let wanted = Wanted::of(words);
        for (at, terms) in (0_u32..).zip(&self.texts) {
            let Some(terms) = terms else { continue };
            for (term, count) in terms.counts.iter().filter(|(term, _)| wanted.may_have(*term)) {
                if let Some(word) = wanted.find(*term) {
                    let count = f32::from(*count) / (1.0 - b + b * terms.len as f32 / self.usual);
                    places[word].push((at, count * (k1 + 1.0) / (count + k1)));
                }
            }
        }
        places
    }

    /// How much a word counts that occurs in so many places.
    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn rarity(&self, places: usize) -> f32 {
        let (all, places) = (self.texts.len() as f32, places as f32);
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

/// The words that are looked for, by their numbers.
struct Wanted {
    /// Says of most words at once that nobody looks for them.
    sieve: Vec<u64>,
    /// Each word with its place, at the first free slot from where its number points to.
    slots: Vec<(u32, u32)>,
}

const FREE: u32 = u32::MAX;

impl Wanted {
    fn of(words: &[(u32, f32)]) -> Self {
        let mut wanted = Self { sieve: vec![0; 1 << 10], slots: Vec::new() };
        // At most a quarter is taken, so that the way to a word is short.
        wanted.slots.resize((words.len() * 4).next_power_of_two(), (0, FREE));
        for (place, (term, _)) in (0_u32..).zip(words) {
            wanted.sieve[(term >> 6 & 0x3ff) as usize] |= 1 << (term & 63);
            let slot = wanted.slot(*term);
            wanted.slots[slot] = (*term, place);
        }
        wanted
    }

    #[inline]
    fn may_have(&self, term: u32) -> bool {
        self.sieve[(term >> 6 & 0x3ff) as usize] >> (term & 63) & 1 == 1
    }

    #[inline]
    fn find(&self, term: u32) -> Option<usize> {
        let (_, place) = self.slots[self.slot(term)];
        (place != FREE).then_some(place as usize)
    }

    /// The slot of a word, or the free one where it would stand.
    #[inline]
    fn slot(&self, term: u32) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = term as usize & last;
        while self.slots[slot].1 != FREE && self.slots[slot].0 != term {
            slot = (slot + 1) & last;
        }
        slot
    }
}
