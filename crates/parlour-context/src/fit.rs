//! Which candidate is shown at which length, so that all of it fits.

mod choosing;
mod costs;
mod field;
mod fitted;
mod gradual;
mod shares;
#[cfg(test)]
mod tests;

use std::cmp::{Ordering, Reverse};

use parlour_core::context::{Level, OmissionReason, Reason};

use self::choosing::Choosing;
pub use self::{field::Field, fitted::Fitted};
use crate::candidate::Candidate;

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is shown at this length.
    Shown(Level),
    /// It is not.
    OmissionReason(OmissionReason),
}

/// How candidates are to be fitted.
pub struct Fitting<'a> {
    /// Tokens that there are for all of them.
    pub room: u64,
    /// What stays as it was shown before, in this order: it comes before everything that need not be shown, as far as
    /// there is room for it.
    pub kept: &'a [(usize, Level)],
    /// What one of them costs at a length, everything counted that is written because of it; nothing where it does not
    /// have this length. It is asked of few, but of them again and again.
    pub cost: &'a dyn Fn(usize, Level) -> Option<u64>,
}

/// Decides on each candidate. What must be shown comes first and is shortened rather than left out; then what matters
/// most for what it costs. The costs of what is shown are never more than the room together.
///
/// Nothing that matters not at all is shown, save what must be, and no source fills more than its quota, save with what
/// must be shown or stays, and with room that nobody else wants. When not all fits that must be shown, nothing else is
/// shown, and of the former what matters most. The order of the candidates plays no part.
pub fn fit<'a>(field: &'a Field<'a>, fitting: &Fitting<'_>) -> Fitted<'a> {
    let mut choosing = Choosing::new(field, fitting);
    if choosing.show_mandatory() {
        choosing.show_kept();
        choosing.show_others();
        choosing.show_held_back();
    }
    choosing.finish()
}

/// The places of all candidates, the most important first: what is to be answered, what blocks, then by score. Ties go by
/// section, the newer first, and by id, so that it does not depend on the order of the candidates.
pub fn order(candidates: &[&Candidate], scores: &[f32]) -> Vec<usize> {
    let key = |(index, candidate): (usize, &&Candidate)| {
        let is_current = candidate.reasons.contains(&Reason::Current);
        // Scores are no less than 0, so that their bits are in their order.
        let score = u64::from(!score(scores, index).to_bits());
        let group = u64::from(!is_current) << 1 | u64::from(!candidate.is_mandatory());
        (group << 32 | score, index)
    };
    let mut keys: Vec<(u64, usize)> = candidates.iter().enumerate().map(key).collect();
    keys.sort_unstable_by(|left, right| {
        let tie = || compare(candidates[left.1], candidates[right.1]).then(left.1.cmp(&right.1));
        left.0.cmp(&right.0).then_with(tie)
    });
    keys.into_iter().map(|(_, index)| index).collect()
}

fn compare(one: &Candidate, other: &Candidate) -> Ordering {
    let tie = |candidate: &Candidate| (candidate.section, Reverse(candidate.seq));
    let [here, there] = [one, other].map(|candidate| candidate.conversation.as_ref().map(|place| place.id.as_str()));
    tie(one)
        .cmp(&tie(other))
        .then_with(|| one.id.cmp(&other.id))
        .then_with(|| one.subject_type.cmp(&other.subject_type))
        .then_with(|| here.cmp(&there))
        .then_with(|| one.prepared.text.cmp(&other.prepared.text))
}

/// A score as it counts here: what is no number is nothing.
fn score(scores: &[f32], index: usize) -> f32 {
    scores.get(index).copied().filter(|score| *score > 0.0).unwrap_or(0.0)
}

/// Whether something was held back by a share.
pub(crate) fn is_share(reason: OmissionReason) -> bool {
    matches!(reason, OmissionReason::SenderQuota | OmissionReason::ThreadQuota | OmissionReason::TrustQuota)
}
