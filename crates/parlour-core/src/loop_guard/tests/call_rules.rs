//! Rules that judge each called agent: pair and correlation; and the order of all rules.

use crate::{
    author::{Author, AuthorType},
    call::{Calls, HoldRule},
    limits,
    loop_guard::{
        judge,
        tests::{GuardFixture, at, bot, called, channel, new_call, person},
    },
};

/// Ada and Bob have called each other by turns in each of these seconds; the limit is 4 in 60 s, then 30 s of silence.
fn exchange(seconds: &[i64]) -> GuardFixture {
    let mut fixture = GuardFixture::new();
    fixture.limits.pair_messages_max = 4;
    fixture.limits.pair_silence_seconds = 30;
    for (index, second) in seconds.iter().enumerate() {
        let (from, to) = if index % 2 == 0 { (1, 2) } else { (2, 1) };
        fixture.calls.insert(0, called(bot(from), to, *second));
    }
    fixture
}

#[test]
fn a_pair_is_blocked_after_a_full_window() {
    assert_eq!(exchange(&[960, 970, 980, 990]).verdict(&[2, 3]), "Cem, Bob Pair until 1020");
}

#[test]
fn fewer_or_slower_calls_do_not_block_a_pair() {
    assert_eq!(exchange(&[970, 980, 990]).verdict(&[2]), "Bob");
    assert_eq!(exchange(&[920, 940, 960, 990]).verdict(&[2]), "Bob");
    assert_eq!(exchange(&[930, 940, 960, 990]).verdict(&[2]), "Bob Pair until 1020", "60 seconds are within");
}

#[test]
fn a_pair_block_expires() {
    let mut fixture = exchange(&[960, 970, 980, 990]);
    fixture.now = at(1_019);
    assert_eq!(fixture.verdict(&[2]), "Bob Pair until 1020");
    fixture.now = at(1_020);
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

#[test]
fn older_calls_do_not_widen_the_window() {
    assert_eq!(exchange(&[1, 2, 960, 970, 980, 990]).verdict(&[2]), "Bob Pair until 1020");
}

#[test]
fn calls_of_people_and_other_agents_do_not_count_for_a_pair() {
    let mut fixture = exchange(&[960, 970]);
    fixture.calls.extend([called(person(), 1, 980), called(person(), 2, 985), called(bot(3), 2, 990)]);
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

#[test]
fn calls_in_other_conversations_count() {
    let mut fixture = exchange(&[960, 970, 980, 990]);
    fixture.calls.iter_mut().for_each(|call| call.conversation_id = channel(2));
    assert_eq!(fixture.verdict(&[2]), "Bob Pair until 1020");
}

#[test]
fn a_reset_clears_the_pair_calls_of_its_conversation_only() {
    let fixture = exchange(&[960, 970, 980, 990]).reset(995);
    assert_eq!(fixture.verdict(&[2]), "Bob");
    let mut elsewhere = fixture.clone();
    elsewhere.calls.iter_mut().for_each(|call| call.conversation_id = channel(2));
    assert_eq!(elsewhere.verdict(&[2]), "Bob Pair until 1020");
    let early = exchange(&[960, 970, 980, 990]).reset(955);
    assert_eq!(early.verdict(&[2]), "Bob Pair until 1020", "later calls count");
}

#[test]
fn a_message_of_a_person_does_not_end_a_pair_block() {
    let fixture = exchange(&[960, 970, 980, 990]).with(person(), 995, "Quiet, please");
    assert_eq!(fixture.verdict(&[2]), "Bob Pair until 1020");
}

#[test]
fn a_call_that_is_loaded_twice_counts_once() {
    let mut fixture = exchange(&[970, 980, 990]);
    fixture.calls.extend(fixture.calls.clone());
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

#[test]
fn a_pair_limit_above_the_loaded_calls_counts_all_loaded_calls() {
    let mut fixture = exchange(&(790..990).collect::<Vec<_>>());
    fixture.limits.pair_window_seconds = 1_000;
    fixture.limits.pair_messages_max = 10_000;
    assert_eq!(fixture.verdict(&[2]), "Bob Pair until 1019");
    fixture.calls.pop();
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

#[test]
fn limits_out_of_bounds_do_not_overflow() {
    let mut fixture = exchange(&[960]);
    fixture.limits.pair_messages_max = 0;
    fixture.limits.pair_silence_seconds = u64::MAX;
    fixture.limits.pair_window_seconds = u64::MAX;
    assert!(fixture.verdict(&[2]).starts_with("Bob Pair until"));
}

/// The calls from agent to agent under one correlation id, a second apart; then Ada is about to call.
fn correlated_calls(calls: &[(usize, usize)]) -> GuardFixture {
    let mut fixture = GuardFixture::new();
    fixture.message.correlation_id = Some("job-1".into());
    let seconds = 990..;
    fixture.correlated = calls.iter().zip(seconds).map(|((from, to), at)| called(bot(*from), *to, at)).collect();
    fixture
}

#[test]
fn correlated_calls_have_a_depth_limit() {
    assert_eq!(correlated_calls(&[]).verdict(&[2]), "Bob");
    assert_eq!(correlated_calls(&[(2, 1)]).verdict(&[3]), "Cem", "a depth of 2 is allowed");
    assert_eq!(correlated_calls(&[(2, 3), (3, 1)]).verdict(&[4]), "Dan Correlation", "a depth of 3 is not");
}

#[test]
fn a_call_back_to_an_agent_does_not_add_depth() {
    assert_eq!(correlated_calls(&[(2, 3), (3, 1)]).verdict(&[2, 3]), "Bob, Cem");
    let back_and_forth = [(2, 1), (1, 3), (3, 1), (1, 3), (3, 1)];
    assert_eq!(correlated_calls(&back_and_forth).verdict(&[3, 4]), "Cem, Dan");
    let back_to_the_first = [(2, 3), (3, 2), (2, 1)];
    assert_eq!(correlated_calls(&back_to_the_first).verdict(&[4]), "Dan");
}

#[test]
fn each_branch_has_its_own_depth() {
    assert_eq!(correlated_calls(&[(2, 3), (2, 1), (3, 5)]).verdict(&[4]), "Dan");
}

#[test]
fn correlated_calls_have_an_age_limit() {
    let mut fixture = correlated_calls(&[(1, 2)]);
    fixture.now = at(990 + 3_600);
    assert_eq!(fixture.verdict(&[3]), "Cem");
    fixture.now = at(990 + 3_601);
    assert_eq!(fixture.verdict(&[3]), "Cem Correlation");
}

#[test]
fn correlated_calls_have_a_rate_limit() {
    let nine = [(1, 2); 9];
    assert_eq!(correlated_calls(&nine).verdict(&[3]), "Cem", "the tenth is allowed");
    let ten = [(1, 2); 10];
    assert_eq!(correlated_calls(&ten).verdict(&[3]), "Cem Correlation until 1050");
    let mut narrowed = correlated_calls(&[(1, 2); 5]);
    narrowed.limits.correlation_calls_max = 2;
    assert_eq!(narrowed.verdict(&[3]), "Cem Correlation until 1053", "when only one of the last five is left");
    let mut later = correlated_calls(&ten);
    later.now = at(1_050);
    assert_eq!(later.verdict(&[3]), "Cem");
}

#[test]
fn the_calls_of_one_message_count_together() {
    assert_eq!(correlated_calls(&[(1, 2); 8]).verdict(&[2, 3, 4]), "Bob, Cem, Dan Correlation until 1050");
    let mut fresh = correlated_calls(&[]);
    fresh.limits.correlation_calls_max = 1;
    assert_eq!(fresh.verdict(&[2, 3]), "Bob, Cem Correlation until 1060");
}

#[test]
fn without_a_correlation_id_nothing_is_counted() {
    let mut fixture = correlated_calls(&[(1, 2); 10]);
    fixture.message.correlation_id = None;
    assert_eq!(fixture.verdict(&[3]), "Cem");
}

#[test]
fn a_reset_clears_correlated_calls_of_its_conversation_only() {
    let fixture = correlated_calls(&[(1, 2); 10]).reset(1_000);
    assert_eq!(fixture.verdict(&[3]), "Cem");
    let mut elsewhere = fixture.clone();
    elsewhere.correlated.iter_mut().for_each(|call| call.conversation_id = channel(2));
    assert_eq!(elsewhere.verdict(&[3]), "Cem Correlation until 1050");
}

#[test]
fn a_correlation_id_is_exhausted_at_the_maximum_of_loaded_calls() {
    let mut fixture = correlated_calls(&[(1, 2); limits::GUARD_CALLS_MAX]);
    fixture.limits.correlation_calls_max = 200;
    fixture.now = at(2_000);
    assert_eq!(fixture.verdict(&[3]), "Cem Correlation");
    fixture.correlated.pop();
    assert_eq!(fixture.verdict(&[3]), "Cem");
}

/// A call from Ada to Bob that violates every rule.
fn violating_every_rule() -> GuardFixture {
    let mut fixture = GuardFixture::new().caused(9, &[2, 1]);
    for second in 970..1_000 {
        fixture = fixture.with(bot(2), second, "Something new");
        fixture.calls.push(called(bot(2), 1, second));
        fixture.correlated.push(called(bot(2), 1, second));
    }
    fixture.message.correlation_id = Some("x".into());
    fixture
}

#[test]
fn the_first_violated_rule_in_order_is_reported() {
    let mut fixture = violating_every_rule();
    let mut rules = Vec::new();
    let relax: [fn(&mut GuardFixture); 6] = [
        |fixture| fixture.limits.response_depth_max = 50,
        |fixture| fixture.limits.chain_repeats_max = 50,
        |fixture| fixture.limits.pair_messages_max = 10_000,
        |fixture| fixture.limits.conversation_answers_max = 10_000,
        |fixture| fixture.limits.similar_answers_max = 100,
        |fixture| fixture.limits.correlation_calls_max = 200,
    ];
    for relax in relax {
        rules.push(fixture.judge(&[2]).held[0].rule);
        relax(&mut fixture);
    }
    let order = [
        HoldRule::Depth,
        HoldRule::Chain,
        HoldRule::Pair,
        HoldRule::Budget,
        HoldRule::NoProgress,
        HoldRule::Correlation,
    ];
    assert_eq!(rules, order);
    assert_eq!(fixture.verdict(&[2]), "Bob");
}

#[test]
fn only_messages_of_agents_are_judged() {
    let applet = Author { author_type: AuthorType::Applet, id: Some("board".into()), name: "Board".into() };
    for author in [person(), applet] {
        let mut fixture = violating_every_rule();
        fixture.message.from = author;
        assert_eq!(fixture.verdict(&[2, 3]), "Bob, Cem");
    }
}

#[test]
fn each_candidate_is_judged_by_itself_and_once() {
    let fixture = GuardFixture::new().caused(2, &[2, 1]);
    assert_eq!(fixture.verdict(&[3, 2, 3, 4, 2]), "Cem, Dan, Bob Chain");
}

#[test]
fn without_candidates_nothing_is_held() {
    assert_eq!(violating_every_rule().judge(&[]), Calls::default());
}

#[test]
fn an_agent_without_a_known_name_can_be_held_too() {
    let mut fixture = GuardFixture::new().caused(3, &[1]);
    fixture.names.clear();
    let calls = judge(&fixture.facts(), vec![new_call(2)]);
    assert_eq!((calls.held[0].rule, calls.held[0].name.as_str()), (HoldRule::Depth, "an agent"));
}

#[test]
fn an_author_with_an_invalid_id_is_still_judged() {
    let mut fixture = violating_every_rule();
    fixture.message.from.id = Some("nonsense".into());
    assert_eq!(fixture.verdict(&[2]), "Bob Depth");
    fixture.now = at(i64::MAX / 1_000);
    fixture.limits.response_depth_max = u64::MAX;
    fixture.limits.chain_repeats_max = u64::MAX;
    assert_eq!(fixture.verdict(&[2]), "Bob Budget");
}
