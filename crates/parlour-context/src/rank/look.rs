//! Where words occur: one pass over the words of all candidates, however many are looked for.

use parlour_core::context::Reason;

use super::{constants::Constants, lines::Lines, pace::Pace};
use crate::{candidate::Candidate, prepared::Prepared};

/// A word that occurs: what it counts, and where, with how much it counts there.
pub(super) struct Found {
    /// What it counts, with how rare it is.
    pub(super) weight: f32,
    /// Places in the lines.
    pub(super) places: Vec<(u32, f32)>,
}

/// What is looked at of a candidate: what lies apart in memory is fetched once.
pub(super) struct Text<'a> {
    /// Its words; none for what is to be answered: it holds all of its own words, and would outshine everything.
    pub(super) words: &'a [(u32, u16)],
    /// How many words it has in all.
    pub(super) len: u32,
    /// What it costs.
    pub(super) tokens: u64,
    /// Whether one of its words says when.
    pub(super) says_when: bool,
    /// Whether it ends in a question.
    pub(super) is_question: bool,
}

/// The candidates as they are looked through.
pub(super) struct Looked<'a> {
    /// The candidates in the order of the lines.
    pub(super) texts: Vec<Text<'a>>,
    /// How the talk goes.
    pub(super) pace: Pace,
    constants: &'a Constants,
    /// Words of a usual candidate.
    usual: f32,
    /// For each candidate its passage.
    passages: Vec<u32>,
}

impl<'a> Looked<'a> {
    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn of(candidates: &[&'a Candidate], lines: &Lines, constants: &'a Constants) -> Self {
        let text = |place: &usize| {
            let candidate = candidates[*place];
            let Prepared { terms, tokens, .. } = &*candidate.prepared;
            let is_current = candidate.reasons.contains(&Reason::Current);
            Text {
                words: if is_current { &[] } else { &terms.counts },
                len: terms.len,
                tokens: *tokens,
                says_when: terms.says_when,
                is_question: terms.is_question,
            }
        };
        let texts: Vec<Text<'_>> = lines.order.iter().map(text).collect();
        let total: u64 = texts.iter().map(|text| u64::from(text.len)).sum();
        let usual = (total as f32 / texts.len().max(1) as f32).max(1.0);
        let pace = Pace::of(texts.iter().map(|text| text.tokens), constants);
        Self { texts, pace, constants, usual, passages: lines.passages(constants.passage_len) }
    }

    /// For each of these words where it occurs, and how often there.
    pub(super) fn places(&self, words: &[(u32, f32)]) -> Vec<Vec<(u32, u16)>> {
        let mut places: Vec<Vec<(u32, u16)>> = vec![Vec::new(); words.len()];
        let wanted = Wanted::of(words);
        for (at, text) in (0_u32..).zip(&self.texts) {
            for (term, count) in text.words.iter().filter(|(term, _)| wanted.may_have(*term)) {
                if let Some(word) = wanted.find(*term) {
                    places[word].push((at, *count));
                }
            }
        }
        places
    }

    /// How much a word counts that occurs in these places.
    pub(super) fn rarity(&self, places: &[(u32, u16)]) -> f32 {
        let of_texts = rarity(self.texts.len(), places.len());
        if self.pace.uneven == 0.0 {
            return of_texts;
        }
        let (mut holding, mut last) = (0, 0);
        for (at, _) in places {
            let passage = self.passages[*at as usize];
            holding += usize::from(passage != last);
            last = passage;
        }
        let all = self.passages.last().map_or(0, |last| *last as usize);
        self.pace.between(of_texts, rarity(all, holding))
    }

    /// The words that occur, what counts most first, at most so many.
    pub(super) fn look(&self, words: &[(u32, f32)], words_max: usize) -> Vec<Found> {
        let places = self.places(words).into_iter().zip(words).filter(|(places, _)| !places.is_empty());
        let found = places.map(|(places, (_, weight))| self.found(&places, *weight));
        let mut found: Vec<Found> = found.filter(|found| found.weight > 0.0).collect();
        found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        found.truncate(words_max);
        found
    }

    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn found(&self, places: &[(u32, u16)], weight: f32) -> Found {
        let Constants { k1, b, .. } = *self.constants;
        let counts = |(at, count): &(u32, u16)| {
            let len = self.texts[*at as usize].len as f32;
            let count = f32::from(*count) / (1.0 - b + b * len / self.usual);
            (*at, count * (k1 + 1.0) / (count + k1))
        };
        let weight = weight * self.rarity(places).powf(self.constants.rarity);
        Found { weight, places: places.iter().map(counts).collect() }
    }
}

/// How rare it is to be among so many of all.
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
fn rarity(all: usize, holding: usize) -> f32 {
    let (all, holding) = (all as f32, holding as f32);
    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
}

/// The words that are looked for, by their numbers.
struct Wanted {
    /// Says of most words at once that nobody looks for them.
    sieve: Box<[u64; SIEVE]>,
    /// Each word with its place, at the first free slot from where its number points to.
    slots: Vec<(u32, u32)>,
}

const FREE: u32 = u32::MAX;
/// Sets of 64 words in the sieve: of those that nobody looks for, one in a thousand passes.
const SIEVE: usize = 1 << 10;

impl Wanted {
    fn of(words: &[(u32, f32)]) -> Self {
        let mut wanted = Self { sieve: Box::new([0; SIEVE]), slots: Vec::new() };
        // At most a quarter is taken, so that the way to a word is short.
        wanted.slots.resize((words.len() * 4).next_power_of_two(), (0, FREE));
        for (place, (term, _)) in (0_u32..).zip(words) {
            wanted.sieve[(term >> 6) as usize % SIEVE] |= 1 << (term & 63);
            let slot = wanted.slot(*term);
            wanted.slots[slot] = (*term, place);
        }
        wanted
    }

    #[inline]
    fn may_have(&self, term: u32) -> bool {
        self.sieve[(term >> 6) as usize % SIEVE] >> (term & 63) & 1 == 1
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
