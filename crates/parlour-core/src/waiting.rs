//! Who waits for whom: agents that have asked something, and from whom an answer can come.

use std::collections::HashSet;

use crate::id::{AgentId, MemberId};

/// An open question of an agent. The answer of any one of those whom it awaits ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who asked.
    pub asker: AgentId,
    /// From whom an answer can still come.
    pub awaited: Vec<MemberId>,
}

/// The ring of agents that a new question would close, beginning with the asker; nothing when somebody could answer.
///
/// A person can always answer, and so can an agent that does not itself wait. An agent waits for all of its questions,
/// and for one of those whom each of them awaits. Whoever can be answered in the end is free; the others wait for ever.
pub fn find_ring(asker: &AgentId, awaited: &[MemberId], waits: &[Wait]) -> Option<Vec<AgentId>> {
    let new = Wait { asker: asker.clone(), awaited: awaited.to_vec() };
    let hopeless = hopeless(waits.iter().chain([&new]).collect());
    hopeless.iter().any(|wait| wait.asker == *asker).then(|| way_round(asker, &hopeless))
}

/// The questions that nobody will ever answer.
fn hopeless(mut waits: Vec<&Wait>) -> Vec<&Wait> {
    loop {
        let waiting: HashSet<&AgentId> = waits.iter().map(|wait| &wait.asker).collect();
        let can_answer = |member: &MemberId| member.agent().is_none_or(|agent| !waiting.contains(agent));
        let (free, stuck): (Vec<&Wait>, Vec<&Wait>) =
            waits.iter().partition(|wait| wait.awaited.iter().any(can_answer));
        if free.is_empty() {
            return stuck;
        }
        waits = stuck;
    }
}

/// Follows hopeless questions from the asker until somebody comes up again. It always does: whoever is awaited in one of
/// them has asked another.
fn way_round(asker: &AgentId, hopeless: &[&Wait]) -> Vec<AgentId> {
    let mut way = vec![asker.clone()];
    while let Some(wait) = hopeless.iter().find(|wait| Some(&wait.asker) == way.last()) {
        match wait.awaited.iter().find_map(MemberId::agent) {
            Some(next) if !way.contains(next) => way.push(next.clone()),
            _ => break,
        }
    }
    way
}

#[cfg(test)]
mod tests;
