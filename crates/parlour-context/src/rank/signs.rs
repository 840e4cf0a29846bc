//! Signs beside the words: they decide where the words say nothing, and move little where they do.

use parlour_core::{
    context::{Reason, Weights},
    message::Importance,
};

use super::share;
use crate::candidate::Candidate;

/// Messages after which what is new has half its weight.
const RECENT_SEQS: f32 = 10.0;

/// How much each of them counts.
pub(super) struct Signs {
    importance: f32,
    task: f32,
    graph: f32,
    recency: f32,
}

impl Signs {
    pub(super) fn of(weights: &Weights) -> Self {
        Self {
            importance: share(weights.importance),
            task: share(weights.task),
            graph: share(weights.graph),
            recency: share(weights.recency),
        }
    }

    /// What these signs add, where 1 is what the best by its words has.
    #[inline]
    pub(super) fn sum(&self, candidate: &Candidate) -> f32 {
        self.importance * importance(candidate)
            + self.task * if candidate.reasons.contains(&Reason::Task) { 0.1 } else { 0.0 }
            + self.graph * 0.05 / (1.0 + f32::from(candidate.distance))
            + self.recency * recency(candidate)
    }
}

fn importance(candidate: &Candidate) -> f32 {
    let rank = match candidate.importance {
        Importance::Normal => 0.0,
        Importance::High => 0.2,
        Importance::Critical => 0.5,
    };
    let reason = |reason: &Reason| match reason {
        Reason::Current | Reason::Blocking => 1.0,
        Reason::Mention => 0.3,
        Reason::Reply => 0.2,
        Reason::Unread => 0.1,
        _ => 0.0,
    };
    rank + candidate.reasons.iter().map(reason).fold(0.0, f32::max)
}

/// By its number in the conversation; a clock plays no part.
#[allow(clippy::cast_precision_loss, reason = "only what is small counts")]
fn recency(candidate: &Candidate) -> f32 {
    let Some(place) = &candidate.place else { return 0.0 };
    0.1 * RECENT_SEQS / (RECENT_SEQS + place.last_seq.saturating_sub(candidate.seq) as f32)
}
