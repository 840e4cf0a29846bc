use proptest::prelude::*;

use super::*;
use crate::id::PersonId;

fn agent(number: u8) -> AgentId {
    AgentId::from_bits(u128::from(number))
}

fn person() -> MemberId {
    PersonId::from_bits(1).into()
}

fn wait(asker: u8, awaited: &[u8]) -> Wait {
    Wait { asker: agent(asker), awaited: awaited.iter().map(|number| agent(*number).into()).collect() }
}

fn ring(asker: u8, awaited: &[u8], waits: &[Wait]) -> Option<Vec<AgentId>> {
    find_ring(&agent(asker), &wait(asker, awaited).awaited, waits)
}

fn agents(numbers: &[u8]) -> Option<Vec<AgentId>> {
    Some(numbers.iter().map(|number| agent(*number)).collect())
}

#[test]
fn two_who_ask_each_other_are_a_ring() {
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
fn one_who_does_not_wait_can_answer_for_the_others() {
    assert_eq!(ring(1, &[2, 3], &[wait(2, &[1])]), None);
    assert_eq!(ring(1, &[2, 3], &[wait(2, &[1]), wait(3, &[1])]), agents(&[1, 2]));
}

#[test]
fn an_agent_with_two_questions_waits_for_both() {
    assert_eq!(ring(1, &[2], &[wait(2, &[4]), wait(2, &[1])]), agents(&[1, 2]));
}

#[test]
fn nobody_is_let_into_a_ring_of_others() {
    assert_eq!(ring(1, &[2], &[wait(2, &[3]), wait(3, &[2])]), agents(&[1, 2, 3]));
}

#[test]
fn a_way_out_for_one_is_a_way_out_for_all() {
    let waits = [wait(2, &[3]), wait(3, &[1, 4])];
    assert_eq!(ring(1, &[2], &waits), None, "4 can answer 3, who then answers 2, who then answers 1");
    assert_eq!(ring(1, &[2], &[wait(2, &[3]), wait(3, &[1, 2])]), agents(&[1, 2, 3]));
}

/// Lets agents answer as long as one can: one who does not wait answers a question that awaits it.
fn are_all_answered(mut waits: Vec<Wait>, order: &[usize]) -> bool {
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
    fn whoever_is_let_through_is_answered_in_the_end(
        questions in proptest::collection::vec((0u8..5, proptest::collection::btree_set(0u8..6, 1..3)), 0..8),
        order in proptest::collection::vec(0usize..8, 8..16),
    ) {
        let mut waits: Vec<Wait> = Vec::new();
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
