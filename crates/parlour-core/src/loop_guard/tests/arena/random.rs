//! Arenas of agents that behave in any way at all.

use proptest::prelude::*;

use super::{
    players::{Mentioning, Player, Replying, Wording},
    world::{Order, World},
};
use crate::cause::ClaimedCause;

fn claims() -> impl Strategy<Value = Option<ClaimedCause>> {
    let chain = prop::collection::vec("(ADA|bob|Nobody)", 0..4);
    prop::option::of((0u32..4, chain).prop_map(|(depth, chain)| ClaimedCause { depth, chain }))
}

fn players() -> impl Strategy<Value = Player> {
    let mentioning =
        prop::sample::select(vec![Mentioning::Next, Mentioning::Everyone, Mentioning::Itself, Mentioning::Caller]);
    let replying = prop::sample::select(vec![Replying::Call, Replying::Nothing, Replying::First]);
    let wording = prop::sample::select(vec![Wording::Fresh, Wording::Thanks]);
    (mentioning, replying, wording, 1usize..3, 0usize..2, claims()).prop_map(
        |(mentioning, replying, wording, messages, shift, claim)| Player {
            mentioning,
            replying,
            wording,
            messages,
            shift,
            claim,
        },
    )
}

fn worlds() -> impl Strategy<Value = World> {
    let loops = (1u64..6, 0u64..3, 1u64..25, 1u64..40, 1u64..6);
    let order = prop::sample::select(vec![Order::OldestFirst, Order::NewestFirst]);
    (prop::collection::vec(players(), 1..6), 1usize..4, loops, order, 1u64..20_000).prop_map(
        |(players, channels, loops, order, tempo_ms)| {
            let mut world = World::new(players, channels);
            let limits = &mut world.policy.loop_limits;
            (limits.response_depth_max, limits.chain_repeats_max) = (loops.0, loops.1);
            (limits.pair_messages_max, limits.conversation_answers_max) = (loops.2, loops.3);
            limits.similar_answers_max = loops.4;
            (world.order, world.tempo_ms) = (order, tempo_ms);
            world
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn after_a_persons_message_there_is_an_end(mut world in worlds(), first in 0usize..5, later in 0usize..5) {
        let all: Vec<usize> = (1..=world.players.len()).collect();
        let loops = world.policy.loop_limits.clone();
        let answers = world.ask(0, &all);
        world.check();
        // Each message below the depth calls all others at the most, and for each call two messages are written.
        let width = 2 * all.len();
        let by_depth = (1..=loops.response_depth_max).fold(0usize, |sum, depth| {
            sum.saturating_add(width.saturating_pow(u32::try_from(depth).expect("small")))
        });
        let by_budget = (loops.conversation_answers_max as usize * world.channels.len() + 1) * width;
        prop_assert!(answers <= by_depth.min(by_budget), "{} answers", answers);
        // Whatever agents write by themselves now, the laws hold; and a person gets through.
        for round in 0..10 {
            world.speak((first + round) % all.len() + 1, (later + round) % world.channels.len());
        }
        world.check();
        let before = world.calls.len();
        world.ask(0, &all);
        let by_person = world.calls[before..].iter().filter(|call| call.depth == 0).count();
        prop_assert_eq!(by_person, all.len());
        world.check();
    }
}
