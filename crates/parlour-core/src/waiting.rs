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
/// and for one of those whom each of them awaits.
pub fn find_ring(asker: &AgentId, awaited: &[MemberId], waits: &[Wait]) -> Option<Vec<AgentId>> {
    let mut path = vec![asker.clone()];
    let mut cleared = HashSet::new();
    leads_back(asker, awaited, waits, &mut path, &mut cleared).then_some(path)
}

/// Whether every one of the awaited waits, over others, for the asker. Leaves the first such way in `path`.
fn leads_back(
    asker: &AgentId,
    awaited: &[MemberId],
    waits: &[Wait],
    path: &mut Vec<AgentId>,
    cleared: &mut HashSet<AgentId>,
) -> bool {
    let mut first_way: Option<Vec<AgentId>> = None;
    for member in awaited {
        let Some(agent) = member.agent() else { return false };
        if agent == asker {
            first_way.get_or_insert_with(|| path.clone());
            continue;
        }
        if cleared.contains(agent) || path.contains(agent) {
            return false;
        }
        let mut way = path.clone();
        way.push(agent.clone());
        let questions = waits.iter().filter(|wait| wait.asker == *agent);
        let is_stuck = questions.into_iter().any(|wait| {
            let mut onward = way.clone();
            let is_back = leads_back(asker, &wait.awaited, waits, &mut onward, cleared);
            if is_back {
                first_way.get_or_insert(onward);
            }
            is_back
        });
        if !is_stuck {
            cleared.insert(agent.clone());
            return false;
        }
    }
    match first_way {
        Some(way) => {
            *path = way;
            true
        }
        None => false,
    }
}
