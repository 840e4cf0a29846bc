//! Rings of agents that call each other in turn, and those who try to slip through.

use super::{
    players::{Mentioning, Player, Replying, Wording},
    world::{Order, World},
};
use crate::{
    call::HoldRule,
    cause::ClaimedCause,
    loop_guard::{GuardMark, standing_stops},
};

/// The rules that have stopped somebody in the first channel and still stand, newest first.
fn stopped_by(world: &World) -> Vec<HoldRule> {
    let stops = standing_stops(&world.channels[0], world.now);
    stops
        .into_iter()
        .filter_map(|(mark, _)| match mark {
            GuardMark::Tripped { rule, .. } => Some(rule),
            GuardMark::Reset { .. } => None,
        })
        .collect()
}

/// Asks the first agent of a world; afterwards a person gets through to everybody at once.
fn answers_of(mut world: World) -> (usize, Vec<HoldRule>) {
    let outcome = (world.ask(0, &[1]), stopped_by(&world));
    world.check();
    let all: Vec<usize> = (1..=world.players.len()).collect();
    let before = world.calls.len();
    world.ask(0, &all);
    let by_person = world.calls[before..].iter().filter(|call| call.depth == 0).count();
    assert_eq!(by_person, all.len(), "a person always gets through");
    world.check();
    outcome
}

fn ring_of(size: usize, change: impl Fn(&mut Player)) -> World {
    let mut world = World::ring(size);
    world.players.iter_mut().for_each(change);
    world
}

#[test]
fn a_ring_ends_after_one_round_or_at_the_depth() {
    assert_eq!(answers_of(World::ring(2)), (2, vec![HoldRule::Chain]));
    assert_eq!(answers_of(World::ring(3)), (3, vec![HoldRule::Depth]));
    assert_eq!(answers_of(World::ring(5)), (3, vec![HoldRule::Depth]));
}

#[test]
fn an_agent_that_mentions_itself_answers_once() {
    let world = ring_of(1, |player| player.mentioning = Mentioning::Itself);
    assert_eq!(answers_of(world), (1, vec![]));
}

#[test]
fn agents_that_never_say_what_they_answer_are_found_out() {
    for size in [2, 3, 5] {
        let world = ring_of(size, |player| player.replying = Replying::Nothing);
        assert_eq!(answers_of(world).0, size.min(3));
    }
}

#[test]
fn agents_that_pretend_to_answer_a_person_are_found_out() {
    for size in [2, 3, 5] {
        let world = ring_of(size, |player| player.replying = Replying::First);
        assert_eq!(answers_of(world).0, size.min(3));
    }
}

#[test]
fn a_forged_chain_makes_nobody_freer() {
    let forged = ClaimedCause { depth: 0, chain: vec!["Nobody".into(), "SOMEBODY".into()] };
    for size in [2, 3, 5] {
        let world = ring_of(size, |player| player.claim = Some(forged.clone()));
        assert_eq!(answers_of(world).0, size.min(3));
    }
    let boast = ClaimedCause { depth: 1_000, chain: Vec::new() };
    assert_eq!(answers_of(ring_of(3, |player| player.claim = Some(boast.clone()))), (1, vec![HoldRule::Depth]));
}

#[test]
fn another_conversation_is_no_way_out() {
    let mut world = World::new(vec![Player { shift: 1, ..Player::in_a_ring() }; 5], 3);
    assert_eq!(world.ask(0, &[1]), 3);
    world.check();
}

#[test]
fn agents_that_all_call_all_end_within_the_budget() {
    for order in [Order::OldestFirst, Order::NewestFirst] {
        let mut world = ring_of(5, |player| player.mentioning = Mentioning::Everyone);
        world.order = order;
        let answers = world.ask(0, &[1, 2, 3, 4, 5]);
        world.check();
        assert!((5..=30 * 4 + 5).contains(&answers), "{answers}");
        assert!(!stopped_by(&world).is_empty());
    }
}

#[test]
fn thanks_for_thanks_end_after_three() {
    let mut world = ring_of(2, |player| player.wording = Wording::Thanks);
    world.policy.loop_limits.response_depth_max = 50;
    world.policy.loop_limits.chain_repeats_max = 50;
    assert_eq!(answers_of(world), (3, vec![HoldRule::NoProgress]));
}

#[test]
fn two_agents_without_other_limits_fall_silent_for_a_while() {
    let mut world = World::ring(2);
    world.policy.loop_limits.response_depth_max = 50;
    world.policy.loop_limits.chain_repeats_max = 50;
    assert_eq!((world.ask(0, &[1]), stopped_by(&world)), (21, vec![HoldRule::Pair]));
    world.tempo_ms = 61_000;
    world.speak(1, 0);
    world.check();
    assert_eq!(world.calls.last().map(|call| call.from.name.as_str()), Some("Bob"), "they go on when it is over");
    assert_eq!(stopped_by(&world), [HoldRule::Budget], "and end with the budget");
}

#[test]
fn after_a_reset_a_ring_goes_on_for_as_long_as_after_a_persons_message() {
    let mut world = World::ring(3);
    assert_eq!((world.ask(0, &[1]), world.calls.len()), (3, 3));
    world.speak(3, 0);
    assert_eq!(world.calls.len(), 3, "the last of the ring may not go on");
    world.lift(0);
    world.speak(3, 0);
    assert_eq!(world.calls.len(), 5, "two more were called: with the speaker that makes three answers");
    assert_eq!(stopped_by(&world), [HoldRule::Depth]);
    for number in [1, 2, 3, 1, 2, 3] {
        world.speak(number, 0);
    }
    assert!(world.calls.len() < 30);
}

#[test]
fn after_the_budget_is_spent_nobody_is_called_until_a_person_speaks() {
    let mut world = ring_of(3, |player| player.mentioning = Mentioning::Everyone);
    world.policy.loop_limits.conversation_answers_max = 5;
    world.ask(0, &[1, 2, 3]);
    let before = world.calls.len();
    for round in 0..50 {
        world.speak(round % 3 + 1, 0);
    }
    assert_eq!(world.calls.len(), before);
    world.check();
    assert!(world.ask(0, &[2]) > 0);
}

#[test]
fn agents_that_speak_by_themselves_are_bounded_too() {
    let mut world = ring_of(3, |player| player.mentioning = Mentioning::Everyone);
    for round in 0..60 {
        world.speak(round % 3 + 1, 0);
    }
    world.check();
    assert!(world.calls.len() < 30 * 2, "{}", world.calls.len());
}

#[test]
fn without_the_guard_a_ring_would_never_end() {
    let mut world = World::ring(2);
    let loops = &mut world.policy.loop_limits;
    (loops.response_depth_max, loops.chain_repeats_max) = (u64::MAX, u64::MAX);
    (loops.pair_window_seconds, loops.pair_silence_seconds) = (0, 0);
    loops.conversation_answers_max = u64::MAX;
    // A person in sight keeps the budget open, so only the window ends it.
    let answers = world.ask(0, &[1]);
    assert!(answers >= 100, "{answers}: the arena goes on as long as nothing stops it");
}
