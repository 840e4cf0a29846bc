//! Signs beside the words: they decide where the words say nothing, and move little where they do.

use parlour_core::{
    context::{Reason, Section, SubjectType, Weights},
    id::ConversationId,
    message::Importance,
};

use super::share;
use crate::candidate::Candidate;

/// Messages after which what is new has half its weight.
const RECENT_SEQS: f32 = 10.0;

/// What was said so many messages before or after the one that is to be answered belongs to it, whatever its words are.
const BESIDE: u64 = 6;

/// How much each of them counts.
pub(super) struct Signs<'a> {
    importance: f32,
    task: f32,
    graph: f32,
    recency: f32,
    /// Where something is to be answered, and its number there.
    currents: Vec<(&'a ConversationId, u64)>,
}

impl<'a> Signs<'a> {
    pub(super) fn of(weights: &Weights, candidates: &[&'a Candidate]) -> Self {
        let current = |candidate: &&&Candidate| candidate.reasons.contains(&Reason::Current);
        let place = |candidate: &&'a Candidate| Some((&candidate.conversation.as_ref()?.id, candidate.seq));
        Self {
            importance: share(weights.importance),
            task: share(weights.task),
            graph: share(weights.graph),
            recency: share(weights.recency),
            currents: candidates.iter().filter(current).filter_map(place).collect(),
        }
    }

    /// What these signs add, where 1 is what the best by its words has.
    #[inline]
    pub(super) fn sum(&self, candidate: &Candidate) -> f32 {
        self.importance * importance(candidate)
            + self.task * if candidate.reasons.contains(&Reason::Task) { 0.1 } else { 0.0 }
            + self.graph * (standing(candidate) + 0.05 / (1.0 + f32::from(candidate.distance)))
            + self.recency * (recency(candidate) + self.beside(candidate))
    }

    /// How near to what is to be answered it was said. What was said since, while the agent was busy, may change what is
    /// wanted, and counts more than what was said before.
    #[allow(clippy::cast_precision_loss, reason = "a few messages")]
    fn beside(&self, candidate: &Candidate) -> f32 {
        let Some(place) = &candidate.conversation else { return 0.0 };
        let here = self.currents.iter().filter(|(id, seq)| candidate.seq != *seq && **id == place.id);
        let nearest = here.min_by_key(|(_, seq)| seq.abs_diff(candidate.seq));
        let Some((_, seq)) = nearest.filter(|(_, seq)| seq.abs_diff(candidate.seq) <= BESIDE) else { return 0.0 };
        let most = if candidate.seq > *seq { 1.0 } else { 0.7 };
        most - 0.1 * seq.abs_diff(candidate.seq) as f32
    }
}

/// What an agent must know whatever is asked: its project, its task, what that is a part of and what came out of it, and
/// what a talk was about.
/// They have few words in common with a talk, and a long one would always push them out.
fn standing(candidate: &Candidate) -> f32 {
    if candidate.subject_type == SubjectType::Summary {
        return 0.8 / (1.0 + f32::from(candidate.distance));
    }
    match candidate.section {
        Section::Task => 1.5,
        Section::Project => 1.25,
        Section::Neighbours if candidate.reasons.contains(&Reason::Parent) => {
            1.2 / f32::from(candidate.distance.max(1))
        }
        Section::Artifacts if candidate.distance == 0 => 1.2,
        // What a thread hangs on is what it is about.
        Section::History if candidate.reasons.contains(&Reason::Thread) => 0.9,
        _ => 0.0,
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
    // Whoever calls the agent and was not heard yet comes before what only has words in common with the question.
    let is_call = candidate.reasons.iter().any(|reason| matches!(reason, Reason::Mention | Reason::Reply));
    let unheard = if is_call && candidate.is_unread() { 0.5 } else { 0.0 };
    rank + unheard + candidate.reasons.iter().map(reason).fold(0.0, f32::max)
}

/// By its number in the conversation; a clock plays no part.
#[allow(clippy::cast_precision_loss, reason = "only what is small counts")]
fn recency(candidate: &Candidate) -> f32 {
    let Some(place) = &candidate.conversation else { return 0.0 };
    0.1 * RECENT_SEQS / (RECENT_SEQS + place.last_seq.saturating_sub(candidate.seq) as f32)
}
