//! Neighbouring messages: conversations as lines of candidates, and scores that are carried along them.

use std::{collections::HashMap, sync::Arc};

use parlour_core::context::SubjectType;

use super::{constants::CarryRange, words::WordHits};
use crate::candidate::{Candidate, ConversationRef};

/// Messages further apart do not influence each other.
const GAP_MAX: u64 = 64;

/// All candidates, one conversation after the other, by sequence number.
pub(super) struct ConversationLines {
    /// Candidate indexes in line order.
    pub(super) order: Vec<usize>,
    /// The distance to the previous candidate; `None` at the start of a conversation.
    pub(super) gaps: Vec<Option<u32>>,
}

impl ConversationLines {
    /// Candidates without a conversation stand alone.
    pub(super) fn of(candidates: &[&Candidate]) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut keys: Vec<(usize, u64, usize)> = Vec::with_capacity(candidates.len());
        // Most candidates belong to the conversation of their predecessor.
        let mut last: Option<(&Arc<ConversationRef>, usize)> = None;
        for (place, candidate) in candidates.iter().enumerate() {
            // A summary has no neighbours: it must not raise the messages around it.
            let said = candidate.conversation.as_ref().filter(|_| candidate.subject_type != SubjectType::Summary);
            let line = match (said, last) {
                (None, _) => usize::MAX,
                (Some(here), Some((before, number))) if Arc::ptr_eq(here, before) => number,
                (Some(here), _) => {
                    let next = numbers.len();
                    let number = *numbers.entry(here.id.as_str()).or_insert(next);
                    last = Some((here, number));
                    number
                }
            };
            keys.push((line, candidate.seq, place));
        }
        keys.sort_unstable();
        let gap = |before: &(usize, u64, usize), here: &(usize, u64, usize)| {
            // Across conversations sequence numbers are not comparable.
            let distance = here.1.saturating_sub(before.1);
            let is_near = before.0 == here.0 && here.0 != usize::MAX && distance <= GAP_MAX;
            is_near.then_some(u32::try_from(distance).unwrap_or(u32::MAX))
        };
        let gaps = (0..keys.len()).map(|at| at.checked_sub(1).and_then(|before| gap(&keys[before], &keys[at])));
        Self { gaps: gaps.collect(), order: keys.iter().map(|key| key.2).collect() }
    }

    /// The passage number of each candidate; a passage has at most `passage_len` candidates of one conversation.
    pub(super) fn passages(&self, passage_len: u32) -> Vec<u32> {
        let (mut number, mut len) = (0, 0);
        let one = |gap: &Option<u32>| {
            if gap.is_none() || len == passage_len {
                (number, len) = (number + 1, 0);
            }
            len += 1;
            number
        };
        self.gaps.iter().map(one).collect()
    }

    /// What remains of a score between each candidate and its predecessor, at `decay` per step.
    pub(super) fn decays(&self, decay: f32) -> Vec<f32> {
        let one = |gap: &Option<u32>| match gap {
            Some(1) => decay,
            Some(steps) => decay.powi(i32::try_from(*steps).unwrap_or(i32::MAX)),
            None => 0.0,
        };
        self.gaps.iter().map(one).collect()
    }
}

/// Words that are carried in one pass.
const LANES: usize = 8;

type Lanes = [f32; LANES];

/// Carries word scores along the lines; its buffers are reused.
pub(super) struct WordCarrier {
    reaches: [(CarryRange, Vec<f32>); 2],
    here: Vec<Lanes>,
    before: Vec<[Lanes; 2]>,
}

impl WordCarrier {
    pub(super) fn new(reaches: [(CarryRange, Vec<f32>); 2]) -> Self {
        let count = reaches[0].1.len();
        Self { reaches, here: vec![[0.0; LANES]; count], before: vec![[[0.0; LANES]; 2]; count] }
    }

    /// Adds to each candidate what its neighbours contribute.
    pub(super) fn carry(&mut self, found: &[WordHits], along: &mut [f32]) {
        for words in found.chunks(LANES) {
            let mut weights = [0.0; LANES];
            for (lane, word) in words.iter().enumerate() {
                weights[lane] = word.weight;
                word.places.iter().for_each(|(at, value)| self.here[*at as usize][lane] = *value);
            }
            self.forward();
            self.backward(&weights, along);
            for (lane, word) in words.iter().enumerate() {
                word.places.iter().for_each(|(at, _)| self.here[*at as usize][lane] = 0.0);
            }
        }
    }

    fn forward(&mut self) {
        let [(near, near_decays), (wide, wide_decays)] = &self.reaches;
        let mut carried = [[0.0_f32; LANES]; 2];
        for (at, here) in self.here.iter().enumerate() {
            let (near_decay, wide_decay) = (near_decays[at], wide_decays[at]);
            for lane in 0..LANES {
                carried[0][lane] *= near_decay;
                carried[1][lane] *= wide_decay;
                self.before[at][0][lane] = carried[0][lane] * near.forward;
                self.before[at][1][lane] = carried[1][lane] * wide.forward;
                carried[0][lane] += here[lane];
                carried[1][lane] += here[lane];
            }
        }
    }

    fn backward(&self, weights: &Lanes, along: &mut [f32]) {
        let [(near, near_decays), (wide, wide_decays)] = &self.reaches;
        let (near_weight, wide_weight) = (near.weight * (1.0 + near.enough), wide.weight * (1.0 + wide.enough));
        let mut carried = [[0.0_f32; LANES]; 2];
        for (at, score) in along.iter_mut().enumerate().rev() {
            let (near_decay, wide_decay) = (near_decays[at], wide_decays[at]);
            let (here, before) = (&self.here[at], &self.before[at]);
            let mut says = [0.0_f32; LANES];
            for lane in 0..LANES {
                let (beside, around) = (before[0][lane] + carried[0][lane], before[1][lane] + carried[1][lane]);
                let beside = near_weight * beside / (beside + near.enough);
                says[lane] = weights[lane] * (beside + wide_weight * around / (around + wide.enough));
                carried[0][lane] = (carried[0][lane] + here[lane]) * near_decay;
                carried[1][lane] = (carried[1][lane] + here[lane]) * wide_decay;
            }
            *score += says.iter().sum::<f32>();
        }
    }
}

/// Adds to each score a share of the scores around it, at most `share` of the best score.
pub(super) fn spread(along: &mut [f32], decays: &[f32], share: f32) {
    let mut around = vec![0.0; along.len()];
    let mut carried = 0.0;
    for at in 0..along.len() {
        carried *= decays[at];
        around[at] = carried;
        carried += along[at];
    }
    carried = 0.0;
    for at in (0..along.len()).rev() {
        around[at] += carried;
        carried = (carried + along[at]) * decays[at];
    }
    let most = |scores: &[f32]| scores.iter().copied().fold(0.0, f32::max);
    let (best, most_around) = (most(along), most(&around));
    if most_around > 0.0 {
        along.iter_mut().zip(&around).for_each(|(score, around)| *score += share * best * around / most_around);
    }
}
