//! Simulations of agents that call each other in rings, and of agents with random behaviour.

use proptest::prelude::*;

use crate::{
    call::HoldRule,
    cause::ClaimedCause,
    loop_guard::{
        GuardMark, active_stops,
        tests::simulation::{AnswerOrder, Mentioning, Replying, SimulatedAgent, SimulatedHub, Wording},
    },
};

/// The rules of the active stops in the first channel, newest first.
fn stopped_by(hub: &SimulatedHub) -> Vec<HoldRule> {
    let stops = active_stops(&hub.channels[0], hub.now);
    stops
        .into_iter()
        .filter_map(|(mark, _)| match mark {
            GuardMark::Tripped { rule, .. } => Some(rule),
            GuardMark::Reset { .. } => None,
        })
        .collect()
}

/// The number of answers and the active stops after a person asks the first agent. Also checks that a person can call
/// all agents afterwards.
fn answers_of(mut hub: SimulatedHub) -> (usize, Vec<HoldRule>) {
    let outcome = (hub.ask(0, &[1]), stopped_by(&hub));
    hub.check();
    let all: Vec<usize> = (1..=hub.agents.len()).collect();
    let before = hub.calls.len();
    hub.ask(0, &all);
    let by_person = hub.calls[before..].iter().filter(|call| call.depth == 0).count();
    assert_eq!(by_person, all.len(), "a person can always call");
    hub.check();
    outcome
}

fn ring_of(size: usize, change: impl Fn(&mut SimulatedAgent)) -> SimulatedHub {
    let mut hub = SimulatedHub::ring(size);
    hub.agents.iter_mut().for_each(change);
    hub
}

#[test]
fn a_ring_ends_after_one_round_or_at_the_depth_limit() {
    assert_eq!(answers_of(SimulatedHub::ring(2)), (2, vec![HoldRule::Chain]));
    assert_eq!(answers_of(SimulatedHub::ring(3)), (3, vec![HoldRule::Depth]));
    assert_eq!(answers_of(SimulatedHub::ring(5)), (3, vec![HoldRule::Depth]));
}

#[test]
fn an_agent_that_mentions_itself_answers_once() {
    let hub = ring_of(1, |behaviour| behaviour.mentioning = Mentioning::Itself);
    assert_eq!(answers_of(hub), (1, vec![]));
}

#[test]
fn agents_that_omit_reply_to_are_stopped() {
    for size in [2, 3, 5] {
        let hub = ring_of(size, |behaviour| behaviour.replying = Replying::Nothing);
        assert_eq!(answers_of(hub).0, size.min(3));
    }
}

#[test]
fn agents_that_always_reply_to_the_persons_message_are_stopped() {
    for size in [2, 3, 5] {
        let hub = ring_of(size, |behaviour| behaviour.replying = Replying::First);
        assert_eq!(answers_of(hub).0, size.min(3));
    }
}

#[test]
fn a_forged_cause_allows_no_further_calls() {
    let forged = ClaimedCause { depth: 0, chain: vec!["Nobody".into(), "SOMEBODY".into()] };
    for size in [2, 3, 5] {
        let hub = ring_of(size, |behaviour| behaviour.claim = Some(forged.clone()));
        assert_eq!(answers_of(hub).0, size.min(3));
    }
    let exaggerated = ClaimedCause { depth: 1_000, chain: Vec::new() };
    assert_eq!(
        answers_of(ring_of(3, |behaviour| behaviour.claim = Some(exaggerated.clone()))),
        (1, vec![HoldRule::Depth])
    );
}

#[test]
fn answering_in_another_conversation_does_not_bypass_the_limit() {
    let mut hub = SimulatedHub::new(vec![SimulatedAgent { shift: 1, ..SimulatedAgent::in_a_ring() }; 5], 3);
    assert_eq!(hub.ask(0, &[1]), 3);
    hub.check();
}

#[test]
fn agents_that_mention_everyone_end_within_the_budget() {
    for order in [AnswerOrder::OldestFirst, AnswerOrder::NewestFirst] {
        let mut hub = ring_of(5, |behaviour| behaviour.mentioning = Mentioning::Everyone);
        hub.order = order;
        let answers = hub.ask(0, &[1, 2, 3, 4, 5]);
        hub.check();
        assert!((5..=30 * 4 + 5).contains(&answers), "{answers}");
        assert!(!stopped_by(&hub).is_empty());
    }
}

#[test]
fn repeated_thanks_end_after_three_messages() {
    let mut hub = ring_of(2, |behaviour| behaviour.wording = Wording::Thanks);
    hub.policy.loop_limits.response_depth_max = 50;
    hub.policy.loop_limits.chain_repeats_max = 50;
    assert_eq!(answers_of(hub), (3, vec![HoldRule::NoProgress]));
}

#[test]
fn the_pair_rule_blocks_two_agents_for_a_while() {
    let mut hub = SimulatedHub::ring(2);
    hub.policy.loop_limits.response_depth_max = 50;
    hub.policy.loop_limits.chain_repeats_max = 50;
    assert_eq!((hub.ask(0, &[1]), stopped_by(&hub)), (21, vec![HoldRule::Pair]));
    hub.tempo_ms = 61_000;
    hub.post_uncalled(1, 0);
    hub.check();
    assert_eq!(hub.calls.last().map(|call| call.from.name.as_str()), Some("Bob"), "calls continue after the block");
    assert_eq!(stopped_by(&hub), [HoldRule::Budget], "and end with the budget");
}

#[test]
fn a_reset_allows_as_many_answers_as_a_message_of_a_person() {
    let mut hub = SimulatedHub::ring(3);
    assert_eq!((hub.ask(0, &[1]), hub.calls.len()), (3, 3));
    hub.post_uncalled(3, 0);
    assert_eq!(hub.calls.len(), 3, "the last agent of the ring calls nobody");
    hub.reset_guard(0);
    hub.post_uncalled(3, 0);
    assert_eq!(hub.calls.len(), 5, "two more were called: with the posting agent that makes three answers");
    assert_eq!(stopped_by(&hub), [HoldRule::Depth]);
    for number in [1, 2, 3, 1, 2, 3] {
        hub.post_uncalled(number, 0);
    }
    assert!(hub.calls.len() < 30);
}

#[test]
fn after_the_budget_nobody_is_called_until_a_person_posts() {
    let mut hub = ring_of(3, |behaviour| behaviour.mentioning = Mentioning::Everyone);
    hub.policy.loop_limits.conversation_answers_max = 5;
    hub.ask(0, &[1, 2, 3]);
    let before = hub.calls.len();
    for round in 0..50 {
        hub.post_uncalled(round % 3 + 1, 0);
    }
    assert_eq!(hub.calls.len(), before);
    hub.check();
    assert!(hub.ask(0, &[2]) > 0);
}

#[test]
fn agents_that_post_without_a_call_are_bounded() {
    let mut hub = ring_of(3, |behaviour| behaviour.mentioning = Mentioning::Everyone);
    for round in 0..60 {
        hub.post_uncalled(round % 3 + 1, 0);
    }
    hub.check();
    assert!(hub.calls.len() < 30 * 2, "{}", hub.calls.len());
}

#[test]
fn without_limits_a_ring_does_not_end() {
    let mut hub = SimulatedHub::ring(2);
    let loops = &mut hub.policy.loop_limits;
    (loops.response_depth_max, loops.chain_repeats_max) = (u64::MAX, u64::MAX);
    (loops.pair_window_seconds, loops.pair_silence_seconds) = (0, 0);
    loops.conversation_answers_max = u64::MAX;
    // The person's message is in the window, so the budget is not exhausted before the window is full.
    let answers = hub.ask(0, &[1]);
    assert!(answers >= 100, "{answers}: the simulation continues while no rule stops it");
}

fn claims() -> impl Strategy<Value = Option<ClaimedCause>> {
    let chain = prop::collection::vec("(ADA|bob|Nobody)", 0..4);
    prop::option::of((0u32..4, chain).prop_map(|(depth, chain)| ClaimedCause { depth, chain }))
}

fn agents() -> impl Strategy<Value = SimulatedAgent> {
    let mentioning =
        prop::sample::select(vec![Mentioning::Next, Mentioning::Everyone, Mentioning::Itself, Mentioning::Caller]);
    let replying = prop::sample::select(vec![Replying::Call, Replying::Nothing, Replying::First]);
    let wording = prop::sample::select(vec![Wording::Fresh, Wording::Thanks]);
    (mentioning, replying, wording, 1usize..3, 0usize..2, claims()).prop_map(
        |(mentioning, replying, wording, messages, shift, claim)| SimulatedAgent {
            mentioning,
            replying,
            wording,
            messages,
            shift,
            claim,
        },
    )
}

fn hubs() -> impl Strategy<Value = SimulatedHub> {
    let loops = (1u64..6, 0u64..3, 1u64..25, 1u64..40, 1u64..6);
    let order = prop::sample::select(vec![AnswerOrder::OldestFirst, AnswerOrder::NewestFirst]);
    (prop::collection::vec(agents(), 1..6), 1usize..4, loops, order, 1u64..20_000).prop_map(
        |(agents, channels, loops, order, tempo_ms)| {
            let mut hub = SimulatedHub::new(agents, channels);
            let limits = &mut hub.policy.loop_limits;
            (limits.response_depth_max, limits.chain_repeats_max) = (loops.0, loops.1);
            (limits.pair_messages_max, limits.conversation_answers_max) = (loops.2, loops.3);
            limits.similar_answers_max = loops.4;
            (hub.order, hub.tempo_ms) = (order, tempo_ms);
            hub
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn answers_to_a_persons_message_are_bounded(mut hub in hubs(), first in 0usize..5, later in 0usize..5) {
        let all: Vec<usize> = (1..=hub.agents.len()).collect();
        let loops = hub.policy.loop_limits.clone();
        let answers = hub.ask(0, &all);
        hub.check();
        // Each message below the depth calls all others at the most, and for each call two messages are written.
        let width = 2 * all.len();
        let by_depth = (1..=loops.response_depth_max).fold(0usize, |sum, depth| {
            sum.saturating_add(width.saturating_pow(u32::try_from(depth).expect("small")))
        });
        let by_budget = (loops.conversation_answers_max as usize * hub.channels.len() + 1) * width;
        prop_assert!(answers <= by_depth.min(by_budget), "{} answers", answers);
        // The laws hold for uncalled posts of agents, and a person can still call.
        for round in 0..10 {
            hub.post_uncalled((first + round) % all.len() + 1, (later + round) % hub.channels.len());
        }
        hub.check();
        let before = hub.calls.len();
        hub.ask(0, &all);
        let by_person = hub.calls[before..].iter().filter(|call| call.depth == 0).count();
        prop_assert_eq!(by_person, all.len());
        hub.check();
    }
}
