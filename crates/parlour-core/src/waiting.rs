//! Deadlock detection: which agents wait for each other's answers.

use std::collections::HashSet;

use crate::id::{AgentId, MemberId};

/// An open question of an agent. The answer of any awaited member ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingQuestion {
    /// The asker.
    pub asker: AgentId,
    /// The members who can still answer.
    pub awaited: Vec<MemberId>,
}

/// The cycle of agents that a new question would close, starting with the asker; `None` if the question can be
/// answered.
///
/// A person can always answer, and so can an agent that does not itself wait. An agent waits for all of its questions,
/// and for one addressee of each. An agent whose questions can all be answered is free; the others wait forever.
pub fn find_ring(asker: &AgentId, awaited: &[MemberId], waits: &[PendingQuestion]) -> Option<Vec<AgentId>> {
    let new = PendingQuestion { asker: asker.clone(), awaited: awaited.to_vec() };
    let unanswerable = unanswerable(waits.iter().chain([&new]).collect());
    unanswerable.iter().any(|wait| wait.asker == *asker).then(|| cycle_from(asker, &unanswerable))
}

/// The questions that can never be answered.
fn unanswerable(mut waits: Vec<&PendingQuestion>) -> Vec<&PendingQuestion> {
    loop {
        let waiting: HashSet<&AgentId> = waits.iter().map(|wait| &wait.asker).collect();
        let can_answer = |member: &MemberId| member.agent().is_none_or(|agent| !waiting.contains(agent));
        let (free, stuck): (Vec<&PendingQuestion>, Vec<&PendingQuestion>) =
            waits.iter().partition(|wait| wait.awaited.iter().any(can_answer));
        if free.is_empty() {
            return stuck;
        }
        waits = stuck;
    }
}

/// Follows unanswerable questions from the asker until an agent repeats. That always happens: every addressee of one of
/// them has asked another.
fn cycle_from(asker: &AgentId, unanswerable: &[&PendingQuestion]) -> Vec<AgentId> {
    let mut way = vec![asker.clone()];
    while let Some(wait) = unanswerable.iter().find(|wait| Some(&wait.asker) == way.last()) {
        match wait.awaited.iter().find_map(MemberId::agent) {
            Some(next) if !way.contains(next) => way.push(next.clone()),
            _ => break,
        }
    }
    way
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::PersonId;

    fn agent(number: u8) -> AgentId {
        AgentId::from_bits(u128::from(number))
    }

    fn person() -> MemberId {
        PersonId::from_bits(1).into()
    }

    fn wait(asker: u8, awaited: &[u8]) -> PendingQuestion {
        PendingQuestion { asker: agent(asker), awaited: awaited.iter().map(|number| agent(*number).into()).collect() }
    }

    fn ring(asker: u8, awaited: &[u8], waits: &[PendingQuestion]) -> Option<Vec<AgentId>> {
        find_ring(&agent(asker), &wait(asker, awaited).awaited, waits)
    }

    fn agents(numbers: &[u8]) -> Option<Vec<AgentId>> {
        Some(numbers.iter().map(|number| agent(*number)).collect())
    }

    #[test]
    fn two_agents_that_ask_each_other_form_a_ring() {
        assert_eq!(ring(1, &[2], &[wait(2, &[1])]), agents(&[1, 2]));
        assert_eq!(ring(1, &[2], &[]), None);
    }

    #[test]
    fn a_ring_is_named_in_the_order_of_waiting() {
        assert_eq!(ring(1, &[2], &[wait(3, &[1]), wait(2, &[3])]), agents(&[1, 2, 3]));
    }

    #[test]
    fn a_person_can_always_answer() {
        let mut waits = [wait(2, &[1])];
        waits[0].awaited.push(person());
        assert_eq!(ring(1, &[2], &waits), None);
        assert_eq!(find_ring(&agent(1), &[agent(2).into(), person()], &[wait(2, &[1])]), None);
    }

    #[test]
    fn an_addressee_that_does_not_wait_can_answer_for_the_others() {
        assert_eq!(ring(1, &[2, 3], &[wait(2, &[1])]), None);
        assert_eq!(ring(1, &[2, 3], &[wait(2, &[1]), wait(3, &[1])]), agents(&[1, 2]));
    }

    #[test]
    fn an_agent_with_two_questions_waits_for_both() {
        assert_eq!(ring(1, &[2], &[wait(2, &[4]), wait(2, &[1])]), agents(&[1, 2]));
    }

    #[test]
    fn a_question_into_a_cycle_of_others_is_refused() {
        assert_eq!(ring(1, &[2], &[wait(2, &[3]), wait(3, &[2])]), agents(&[1, 2, 3]));
    }

    #[test]
    fn one_agent_that_can_answer_resolves_the_whole_ring() {
        let waits = [wait(2, &[3]), wait(3, &[1, 4])];
        assert_eq!(ring(1, &[2], &waits), None, "4 can answer 3, who then answers 2, who then answers 1");
        assert_eq!(ring(1, &[2], &[wait(2, &[3]), wait(3, &[1, 2])]), agents(&[1, 2, 3]));
    }

    /// Answers questions while possible: an agent that does not wait answers a question to it.
    fn are_all_answered(mut waits: Vec<PendingQuestion>, order: &[usize]) -> bool {
        for turn in order.iter().cycle().take(1_000) {
            if waits.is_empty() {
                return true;
            }
            let index = turn % waits.len();
            let is_waiting = |member: &MemberId| waits.iter().any(|one| Some(&one.asker) == member.agent());
            if waits[index].awaited.iter().any(|member| !is_waiting(member)) {
                waits.remove(index);
            }
        }
        waits.is_empty()
    }

    proptest! {
        #[test]
        fn an_accepted_question_can_always_be_answered(
            questions in proptest::collection::vec((0u8..5, proptest::collection::btree_set(0u8..6, 1..3)), 0..8),
            order in proptest::collection::vec(0usize..8, 8..16),
        ) {
            let mut waits: Vec<PendingQuestion> = Vec::new();
            for (asker, awaited) in questions {
                let awaited: Vec<u8> = awaited.into_iter().filter(|one| *one != asker).collect();
                let asked = wait(asker, &awaited);
                let mut all = waits.clone();
                all.push(asked.clone());
                let order: Vec<usize> = order.iter().copied().chain(0..8).collect();
                match find_ring(&asked.asker, &asked.awaited, &waits) {
                    Some(way) => {
                        prop_assert!(!are_all_answered(all, &order));
                        prop_assert_eq!(&way[0], &asked.asker);
                    }
                    None => {
                        prop_assert!(are_all_answered(all.clone(), &order));
                        waits = all;
                    }
                }
            }
        }
    }
}
