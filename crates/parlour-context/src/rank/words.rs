//! Word scores: words in common with the query, weighted by rarity (BM25) and carried along the conversation, and words
//! that the best candidates have in common.

use std::collections::HashMap;

use parlour_core::context::Reason;

use super::{
    QueryWeights,
    constants::{CarryRange, LengthProfile, RankConstants},
    neighbours::{ConversationLines, WordCarrier, spread},
};
use crate::{candidate::Candidate, prepared::Prepared};

/// Further words do not change the result measurably.
const TERMS_MAX: usize = 32;

/// The word score of each candidate, in line order; `neighbours` is the weight of carried scores.
pub(super) fn scores(
    asked: &QueryWeights<'_>,
    lines: &ConversationLines,
    looked: &WordIndex<'_>,
    neighbours: f32,
    constants: &RankConstants,
) -> Vec<f32> {
    let pace = looked.pace;
    let mut along = vec![0.0; looked.texts.len()];
    let found = looked.look(&asked.terms, TERMS_MAX);
    if found.is_empty() {
        return along;
    }
    let mut carrier = (neighbours > 0.0).then(|| {
        let with_decays = |reach: &CarryRange, decay: f32| {
            let weight = reach.weight * neighbours;
            (CarryRange { weight, ..reach.clone() }, lines.decays(decay))
        };
        let RankConstants { near, wide, .. } = constants;
        WordCarrier::new([with_decays(near, near.decay), with_decays(wide, pace.decay(wide.decay))])
    });
    let mut add = |found: &[WordHits], along: &mut [f32]| {
        for word in found {
            word.places.iter().for_each(|(at, value)| along[*at as usize] += word.weight * value);
        }
        if let Some(carrier) = &mut carrier {
            carrier.carry(found, along);
        }
    };
    add(&found, &mut along);
    let more = more(asked, looked, &along, pace.between(constants.more, constants.more_uneven));
    add(&more, &mut along);
    let share = constants.passage_uneven * pace.uneven * neighbours;
    if share > 0.0 {
        spread(&mut along, &lines.decays(constants.passage_decay), share);
    }
    along
}

/// The occurrences of a word.
pub(super) struct WordHits {
    /// Weight in the query times rarity.
    pub(super) weight: f32,
    /// Candidate positions with BM25 term weights.
    pub(super) places: Vec<(u32, f32)>,
}

/// The ranking input of a candidate, copied to be contiguous in memory.
pub(super) struct CandidateWords<'a> {
    /// Empty for a message to answer: it contains all its own words.
    pub(super) words: &'a [(u32, u16)],
    pub(super) len: u32,
    pub(super) tokens: u64,
    pub(super) says_when: bool,
    pub(super) is_question: bool,
}

/// The words of all candidates.
pub(super) struct WordIndex<'a> {
    /// In line order.
    pub(super) texts: Vec<CandidateWords<'a>>,
    pub(super) pace: LengthProfile,
    constants: &'a RankConstants,
    /// Mean number of words.
    usual: f32,
    /// The passage of each candidate.
    passages: Vec<u32>,
}

impl<'a> WordIndex<'a> {
    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn of(candidates: &[&'a Candidate], lines: &ConversationLines, constants: &'a RankConstants) -> Self {
        let text = |place: &usize| {
            let candidate = candidates[*place];
            let Prepared { terms, tokens, .. } = &*candidate.prepared;
            let is_current = candidate.reasons.contains(&Reason::Current);
            CandidateWords {
                words: if is_current { &[] } else { &terms.counts },
                len: terms.len,
                tokens: *tokens,
                says_when: terms.says_when,
                is_question: terms.is_question,
            }
        };
        let texts: Vec<CandidateWords<'_>> = lines.order.iter().map(text).collect();
        let total: u64 = texts.iter().map(|text| u64::from(text.len)).sum();
        let usual = (total as f32 / texts.len().max(1) as f32).max(1.0);
        let pace = LengthProfile::of(texts.iter().map(|text| text.tokens), constants);
        Self { texts, pace, constants, usual, passages: lines.passages(constants.passage_len) }
    }

    /// The positions and counts of each word.
    pub(super) fn places(&self, words: &[(u32, f32)]) -> Vec<Vec<(u32, u16)>> {
        let mut places: Vec<Vec<(u32, u16)>> = vec![Vec::new(); words.len()];
        let wanted = WordFilter::of(words);
        for (at, text) in (0_u32..).zip(&self.texts) {
            for (term, count) in text.words.iter().filter(|(term, _)| wanted.may_have(*term)) {
                if let Some(word) = wanted.find(*term) {
                    places[word].push((at, *count));
                }
            }
        }
        places
    }

    /// The rarity of a word with these occurrences.
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

    /// The words that occur, by descending weight.
    pub(super) fn look(&self, words: &[(u32, f32)], words_max: usize) -> Vec<WordHits> {
        let places = self.places(words).into_iter().zip(words).filter(|(places, _)| !places.is_empty());
        let found = places.map(|(places, (_, weight))| self.found(&places, *weight));
        let mut found: Vec<WordHits> = found.filter(|found| found.weight > 0.0).collect();
        found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        found.truncate(words_max);
        found
    }

    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    pub(super) fn found(&self, places: &[(u32, u16)], weight: f32) -> WordHits {
        let RankConstants { k1, b, .. } = *self.constants;
        let counts = |(at, count): &(u32, u16)| {
            let len = self.texts[*at as usize].len as f32;
            let count = f32::from(*count) / (1.0 - b + b * len / self.usual);
            (*at, count * (k1 + 1.0) / (count + k1))
        };
        let weight = weight * self.rarity(places).powf(self.constants.rarity);
        WordHits { weight, places: places.iter().map(counts).collect() }
    }
}

/// Inverse document frequency.
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
fn rarity(all: usize, holding: usize) -> f32 {
    let (all, holding) = (all as f32, holding as f32);
    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
}

/// A hash set of words with a bit filter in front.
struct WordFilter {
    /// Rejects most other words at once.
    sieve: Box<[u64; SIEVE]>,
    /// Open addressing; each slot has a word and its index.
    slots: Vec<(u32, u32)>,
}

const FREE: u32 = u32::MAX;
/// 64-bit words of the filter: about one in a thousand other words passes.
const SIEVE: usize = 1 << 10;

impl WordFilter {
    fn of(words: &[(u32, f32)]) -> Self {
        let mut wanted = Self { sieve: Box::new([0; SIEVE]), slots: Vec::new() };
        // At most a quarter full, so that probing is short.
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

    /// The slot of a word, or the free slot for it.
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

/// Best candidates whose words are used.
const BEST: usize = 5;
/// Words of them that are considered.
const LOOKED_FOR: usize = 64;
/// Words that are added: as many as are carried at once.
const TAKEN: usize = 8;
/// Further occurrences in one candidate are ignored.
const COUNT_ENOUGH: u16 = 2;
/// Added to the length of a text, so that a few words in a short text do not dominate.
const LEN_MORE: f32 = 8.0;

/// Query expansion: words that the best candidates share; `share` is the weight of the best of them.
pub(super) fn more(asked: &QueryWeights<'_>, looked: &WordIndex<'_>, along: &[f32], share: f32) -> Vec<WordHits> {
    let mut words: Vec<(u32, f32)> = words_of(&best(looked, along)).into_iter().collect();
    words.retain(|(term, _)| asked.terms.binary_search_by_key(term, |(term, _)| *term).is_err());
    words.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    words.truncate(LOOKED_FOR);
    words.sort_unstable_by_key(|(term, _)| *term);
    let places = looked.places(&words);
    // A word in a single candidate says nothing about others.
    let mut common: Vec<(f32, usize)> = (0..words.len())
        .filter(|word| places[*word].len() > 1)
        .map(|word| (words[word].1 * looked.rarity(&places[word]), word))
        .collect();
    common.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    common.truncate(TAKEN);
    let most = common.first().map_or(1.0, |(worth, _)| *worth);
    common.into_iter().map(|(worth, word)| looked.found(&places[word], share * worth / most)).collect()
}

/// The words of the best candidates, with their score as a share of the best.
fn best<'a, 'b>(looked: &'b WordIndex<'a>, along: &[f32]) -> Vec<(&'b CandidateWords<'a>, f32)> {
    let mut best: Vec<usize> = Vec::with_capacity(BEST + 1);
    for at in 0..along.len() {
        let is_better = best.len() < BEST || best.last().is_some_and(|last| along[at] > along[*last]);
        if along[at] > 0.0 && is_better && !looked.texts[at].words.is_empty() {
            let place = best.partition_point(|other| along[*other] >= along[at]);
            best.insert(place, at);
            best.truncate(BEST);
        }
    }
    let top = best.first().map_or(1.0, |at| along[*at]);
    best.into_iter().map(|at| (&looked.texts[at], along[at] / top)).collect()
}

#[allow(clippy::cast_precision_loss, reason = "a text has few words")]
fn words_of(best: &[(&CandidateWords<'_>, f32)]) -> HashMap<u32, f32> {
    let mut words = HashMap::new();
    for (text, share) in best {
        for (term, count) in text.words {
            let says = share * f32::from((*count).min(COUNT_ENOUGH)) / (text.len as f32 + LEN_MORE);
            *words.entry(*term).or_default() += says;
        }
    }
    words
}
