//! Depth: after so many answers of agents to each other, a person is needed.

use super::{GuardFacts, Stop, lifted::Line};

/// A message as deep as `response_depth_max` calls nobody, so no answer is ever deeper.
pub(super) fn stop(facts: &GuardFacts<'_>) -> Option<Stop> {
    (u64::from(Line::of(facts).depth) >= facts.limits.response_depth_max).then_some(Stop::FOR_A_PERSON)
}
