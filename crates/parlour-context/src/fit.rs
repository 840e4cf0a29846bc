//! Which candidate is shown at which length, so that all of it fits.

mod choosing;
mod costs;
mod shares;
#[cfg(test)]
mod tests;

use std::cmp::{Ordering, Reverse};

use parlour_core::context::{LeftOut, Level, Quotas, Reason};

use self::choosing::Choosing;
pub(crate) use self::choosing::{firsts, is_share};
use crate::candidate::Candidate;

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is shown at this length.
    Shown(Level),
    /// It is not.
    LeftOut(LeftOut),
}

/// What is to be fitted.
pub struct Fitting<'a> {
    /// The candidates.
    pub candidates: &'a [Candidate],
    /// How much each matters.
    pub scores: &'a [f32],
    /// The duplicates among them.
    pub duplicates: &'a [Option<usize>],
    /// Tokens that there are for all of them.
    pub room: u64,
    /// All of them, the most important first, as [`order`] puts them.
    pub order: &'a [usize],
    /// What stays as it was shown before, in this order: it comes before everything that need not be shown, as far as
    /// there is room for it.
    pub kept: &'a [(usize, Level)],
    /// How much one source may fill where others want the room.
    pub quotas: &'a Quotas,
    /// What one of them costs at a length, everything counted that is written because of it; nothing where it does not
    /// have this length. It is asked of few, and once for each length of them.
    pub cost: &'a dyn Fn(usize, Level) -> Option<u64>,
}

/// What was decided, and what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// What became of each candidate.
    pub decisions: Vec<Decision>,
    /// What those cost that are shown; never more than the room.
    pub used: u64,
}

/// Decides on each candidate. What must be shown comes first and is shortened rather than left out; then what matters
/// most for what it costs. The costs of what is shown are never more than the room together.
///
/// Nothing that matters not at all is shown, save what must be, and no source fills more than its quota, save with what
/// must be shown or stays, and with room that nobody else wants. When not all fits that must be shown, nothing else is
/// shown, and of the former what matters most. The order of the candidates plays no part.
pub fn fit(fitting: &Fitting<'_>) -> Vec<Decision> {
    fit_and_count(fitting).decisions
}

/// Decides on each candidate as [`fit`] does, and says what it costs.
pub fn fit_and_count(fitting: &Fitting<'_>) -> Fitted {
    let mut choosing = Choosing::new(fitting);
    if choosing.show_mandatory() {
        choosing.show_kept();
        choosing.show_others();
        choosing.show_held_back();
    }
    choosing.decided()
}

/// The places of all candidates, the most important first: what is to be answered, what blocks, then by score. Ties go by
/// section, the newer first, and by id, so that it does not depend on the order of the candidates.
pub fn order(candidates: &[Candidate], scores: &[f32]) -> Vec<usize> {
    let key = |(index, candidate): (usize, &Candidate)| {
        let is_current = candidate.reasons.contains(&Reason::Current);
        (Reverse(is_current), Reverse(candidate.is_mandatory()), score(scores, index), index)
    };
    let mut keys: Vec<_> = candidates.iter().enumerate().map(key).collect();
    keys.sort_unstable_by(|left, right| {
        let first = (left.0, left.1).cmp(&(right.0, right.1));
        let by_score = || right.2.total_cmp(&left.2);
        first
            .then_with(by_score)
            .then_with(|| compare(&candidates[left.3], &candidates[right.3]).then(left.3.cmp(&right.3)))
    });
    keys.into_iter().map(|(_, _, _, index)| index).collect()
}

fn compare(one: &Candidate, other: &Candidate) -> Ordering {
    let tie = |candidate: &Candidate| (candidate.section, Reverse(candidate.seq));
    let place = |candidate: &Candidate| candidate.place.as_ref().map(|place| place.id.to_string());
    tie(one)
        .cmp(&tie(other))
        .then_with(|| one.id.cmp(&other.id))
        .then_with(|| one.subject_type.cmp(&other.subject_type))
        .then_with(|| place(one).cmp(&place(other)))
        .then_with(|| one.prepared.text.cmp(&other.prepared.text))
}

/// A score as it counts here: what is no number is nothing.
fn score(scores: &[f32], index: usize) -> f32 {
    scores.get(index).copied().filter(|score| *score > 0.0).unwrap_or(0.0)
}
