//! Chain: an agent that has answered on the way to a message is not called by it again.

use super::{GuardFacts, Stop, lifted::Line};
use crate::{id::AgentId, name::Name};

/// Holds a candidate that stands in the chain more than `chain_repeats_max` times, by its id or by its name: the hub
/// records ids, and names come from clients too.
pub(super) fn stop(facts: &GuardFacts<'_>, candidate: &AgentId) -> Option<Stop> {
    let line = Line::of(facts);
    let by_id = line.agents.iter().filter(|agent| *agent == candidate).count();
    let fold = Name::fold(facts.name_of(candidate).as_str());
    let by_name = line.names.iter().filter(|name| Name::fold(name) == fold).count();
    (by_id.max(by_name) as u64 > facts.limits.chain_repeats_max).then_some(Stop::FOR_A_PERSON)
}
