//! Words in common with what is asked, weighed by how rare they are, and carried along the conversation.
//!
//! Eight words are looked at in one pass over the candidates: it is the same work as for one.

use parlour_core::context::Reason;

use super::{
    asked::{Asked, TERMS_MAX},
    lines::Lines,
};
use crate::candidate::Candidate;

/// How quickly more of the same word in one text stops counting, and how much long texts are held back (BM25).
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// How much more a rare word counts than a common one.
const RARITY: f32 = 1.5;
/// What the messages beside one say of it: how much, what is left at each step, and when more stops counting.
const NEAR: Reach = Reach { weight: 0.7, forward: 1.3, decay: 0.6, enough: 5.0 };
/// What the whole passage says of it.
const WIDE: Reach = Reach { weight: 0.3, forward: 1.0, decay: 0.95, enough: 1.0 };
/// Words that are looked at together.
const LANES: usize = 8;

/// How far words are carried.
struct Reach {
    weight: f32,
    /// An answer comes after what it answers.
    forward: f32,
    decay: f32,
    enough: f32,
}

/// Where one word occurs: places in the lines, with how much it counts there.
type Found = Vec<(usize, f32)>;

/// What the words say of each candidate.
pub(super) fn scores(asked: &Asked<'_>, lines: &Lines, candidates: &[Candidate], neighbours: f32) -> Vec<f32> {
    let mut found = look(asked, lines, candidates);
    found.truncate(TERMS_MAX);
    let mut along = vec![0.0; candidates.len()];
    for (weight, places) in &found {
        places.iter().for_each(|(at, value)| along[*at] += weight * value);
    }
    if neighbours > 0.0 {
        for reach in [NEAR, WIDE] {
            let decays = lines.decays(reach.decay);
            for words in found.chunks(LANES) {
                carry(words, &decays, &reach, neighbours, &mut along);
            }
        }
    }
    let mut scores = vec![0.0; candidates.len()];
    for (at, place) in lines.order.iter().enumerate() {
        scores[*place] = along[at];
    }
    scores
}

/// The words that occur, what counts most first, each with its weight and where it occurs.
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
fn look(asked: &Asked<'_>, lines: &Lines, candidates: &[Candidate]) -> Vec<(f32, Found)> {
    let all = candidates.len().max(1) as f32;
    let total: u64 = candidates.iter().map(|candidate| u64::from(candidate.prepared.terms.len)).sum();
    let usual = (total as f32 / all).max(1.0);
    let mut found: Vec<Found> = vec![Vec::new(); asked.terms.len()];
    let sieve = Sieve::of(&asked.terms);
    for (at, place) in lines.order.iter().enumerate() {
        // What is to be answered holds all of its own words, and would outshine everything.
        if candidates[*place].reasons.contains(&Reason::Current) {
            continue;
        }
        let terms = &candidates[*place].prepared.terms;
        let held_back = 1.0 - B + B * terms.len as f32 / usual;
        for (term, count) in terms.counts.iter().filter(|(term, _)| sieve.may_have(*term)) {
            if let Ok(word) = asked.terms.binary_search_by_key(term, |(term, _)| *term) {
                let count = f32::from(*count) / held_back;
                found[word].push((at, count * (K1 + 1.0) / (count + K1)));
            }
        }
    }
    let weight = |word: usize, places: usize| {
        let places = places as f32;
        asked.terms[word].1 * (1.0 + (all - places + 0.5) / (places + 0.5)).ln().powf(RARITY)
    };
    let occurring = found.into_iter().enumerate().filter(|(_, places)| !places.is_empty());
    let mut weighed: Vec<(f32, Found)> = occurring.map(|(word, places)| (weight(word, places.len()), places)).collect();
    weighed.retain(|(weight, _)| *weight > 0.0);
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
    weighed
}

/// Adds what each candidate gets from those around it, for a few words at once.
fn carry(words: &[(f32, Found)], decays: &[f32], reach: &Reach, neighbours: f32, along: &mut [f32]) {
    let mut here = vec![[0.0_f32; LANES]; along.len()];
    let mut weights = [0.0_f32; LANES];
    for (lane, (weight, places)) in words.iter().enumerate() {
        weights[lane] = weight * reach.weight * neighbours * (1.0 + reach.enough);
        places.iter().for_each(|(at, value)| here[*at][lane] = *value);
    }
    let mut around = vec![[0.0_f32; LANES]; along.len()];
    let mut carried = [0.0_f32; LANES];
    for at in 0..along.len() {
        for lane in 0..LANES {
            carried[lane] *= decays[at];
            around[at][lane] = carried[lane] * reach.forward;
            carried[lane] += here[at][lane];
        }
    }
    carried = [0.0; LANES];
    for at in (0..along.len()).rev() {
        let mut sum = 0.0;
        for lane in 0..LANES {
            let all = around[at][lane] + carried[lane];
            sum += weights[lane] * all / (all + reach.enough);
            carried[lane] = (carried[lane] + here[at][lane]) * decays[at];
        }
        along[at] += sum;
    }
}

/// Says of most words at once that nobody asked for them.
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
