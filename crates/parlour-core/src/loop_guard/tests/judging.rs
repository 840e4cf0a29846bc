//! What holds for all rules together.

use super::stage::{Stage, at, bot, called, new_call, person};
use crate::{
    author::{Author, AuthorType},
    call::{Calls, HoldRule},
    loop_guard::judge,
};

/// A message against which every rule stands at once, when Ada calls Bob.
fn worst() -> Stage {
    let mut stage = Stage::new().caused(9, &[2, 1]);
    for second in 970..1_000 {
        stage = stage.with(bot(2), second, "Something new");
        stage.calls.push(called(bot(2), 1, second));
        stage.correlated.push(called(bot(2), 1, second));
    }
    stage.message.correlation_id = Some("x".into());
    stage
}

#[test]
fn the_first_rule_in_order_is_the_one_that_is_named() {
    let mut stage = worst();
    let mut rules = Vec::new();
    let ease: [fn(&mut Stage); 6] = [
        |stage| stage.limits.response_depth_max = 50,
        |stage| stage.limits.chain_repeats_max = 50,
        |stage| stage.limits.pair_messages_max = 10_000,
        |stage| stage.limits.conversation_answers_max = 10_000,
        |stage| stage.limits.similar_answers_max = 100,
        |stage| stage.limits.correlation_calls_max = 200,
    ];
    for ease in ease {
        rules.push(stage.judge(&[2]).held[0].rule);
        ease(&mut stage);
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
    assert_eq!(stage.verdict(&[2]), "Bob");
}

#[test]
fn nobody_but_an_agent_is_judged() {
    let applet = Author { author_type: AuthorType::Applet, id: Some("board".into()), name: "Board".into() };
    for author in [person(), applet] {
        let mut stage = worst();
        stage.message.from = author;
        assert_eq!(stage.verdict(&[2, 3]), "Bob, Cem");
    }
}

#[test]
fn each_candidate_is_judged_by_itself_and_once() {
    let stage = Stage::new().caused(2, &[2, 1]);
    assert_eq!(stage.verdict(&[3, 2, 3, 4, 2]), "Cem, Dan, Bob Chain");
}

#[test]
fn without_candidates_nothing_is_held() {
    assert_eq!(worst().judge(&[]), Calls::default());
}

#[test]
fn an_agent_without_a_known_name_can_be_held_too() {
    let mut stage = Stage::new().caused(3, &[1]);
    stage.names.clear();
    let calls = judge(&stage.facts(), vec![new_call(2)]);
    assert_eq!((calls.held[0].rule, calls.held[0].name.as_str()), (HoldRule::Depth, "an agent"));
}

#[test]
fn an_author_whose_id_cannot_be_read_is_judged_all_the_same() {
    let mut stage = worst();
    stage.message.from.id = Some("nonsense".into());
    assert_eq!(stage.verdict(&[2]), "Bob Depth");
    stage.now = at(i64::MAX / 1_000);
    stage.limits.response_depth_max = u64::MAX;
    stage.limits.chain_repeats_max = u64::MAX;
    assert_eq!(stage.verdict(&[2]), "Bob Budget");
}
