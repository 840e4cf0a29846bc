//! The conversations as lines: who stands beside whom.

use std::collections::HashMap;
use std::sync::Arc;

use parlour_core::context::SubjectType;

use crate::candidate::{Candidate, ConversationRef};

/// Messages that are further apart say nothing of each other.
const GAP_MAX: u64 = 64;

/// All candidates, one conversation after the other, each in its own order.
pub(super) struct Lines {
    /// The candidates in that order, by their places.
    pub(super) order: Vec<usize>,
    /// How far each stands from the one before it; nothing where a line begins.
    pub(super) gaps: Vec<Option<u32>>,
}

impl Lines {
    /// Sorts the candidates into lines. What was not said anywhere stands alone.
    pub(super) fn of(candidates: &[&Candidate]) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut keys: Vec<(usize, u64, usize)> = Vec::with_capacity(candidates.len());
        // Most stand where the one before them stands.
        let mut last: Option<(&Arc<ConversationRef>, usize)> = None;
        for (place, candidate) in candidates.iter().enumerate() {
            // A summary stands beside no message: what it says of all of them lifts none.
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
            // Between two lines the numbers mean nothing, and may fall.
            let distance = here.1.saturating_sub(before.1);
            let is_near = before.0 == here.0 && here.0 != usize::MAX && distance <= GAP_MAX;
            is_near.then_some(u32::try_from(distance).unwrap_or(u32::MAX))
        };
        let gaps = (0..keys.len()).map(|at| at.checked_sub(1).and_then(|before| gap(&keys[before], &keys[at])));
        Self { gaps: gaps.collect(), order: keys.iter().map(|key| key.2).collect() }
    }

    /// For each candidate the number of its passage, in ascending order: each has at most so many candidates of one line.
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

    /// What is left of a sign on the way from each candidate to the one before it, when each step leaves `decay` of it.
    pub(super) fn decays(&self, decay: f32) -> Vec<f32> {
        let one = |gap: &Option<u32>| match gap {
            Some(1) => decay,
            Some(steps) => decay.powi(i32::try_from(*steps).unwrap_or(i32::MAX)),
            None => 0.0,
        };
        self.gaps.iter().map(one).collect()
    }
}
