//! What people read.

use super::stage::{Stage, agent, at, bot, called, name, person};
use crate::{
    call::{HeldCall, HoldRule},
    id::AgentId,
    loop_guard::{GuardMark, notices, reset_text},
};

fn held(number: usize, rule: HoldRule) -> HeldCall {
    HeldCall { agent_id: agent(number), name: name(number), rule, until: None }
}

/// The rules that are told, by the marks.
fn told(stage: &Stage, held: &[HeldCall]) -> Vec<(HoldRule, Vec<AgentId>)> {
    let told = notices(&stage.facts(), held);
    told.into_iter()
        .map(|(mark, _)| match mark {
            GuardMark::Tripped { rule, agents, .. } => (rule, agents),
            GuardMark::Reset { .. } => panic!("a notice lifts nothing"),
        })
        .collect()
}

fn text(stage: &Stage, rule: HoldRule) -> String {
    notices(&stage.facts(), &[held(2, rule), held(3, rule)]).remove(0).1
}

#[test]
fn each_rule_is_told_once_with_all_whom_it_holds() {
    let all =
        [held(2, HoldRule::Chain), held(3, HoldRule::Depth), held(4, HoldRule::Chain), held(5, HoldRule::Waiting)];
    let expected = [(HoldRule::Depth, vec![agent(3)]), (HoldRule::Chain, vec![agent(2), agent(4)])];
    assert_eq!(told(&Stage::new(), &all), expected);
    assert_eq!(told(&Stage::new(), &[]), []);
}

#[test]
fn what_is_told_is_not_told_again_until_a_person_speaks_or_lifts_it() {
    let mark = GuardMark::Tripped { rule: HoldRule::Depth, agents: vec![agent(5)], until: None };
    let stage = Stage::new().with(person(), 1, "Go").marked(&mark, 2).with(bot(3), 3, "Hm");
    let both = [held(2, HoldRule::Depth), held(3, HoldRule::Chain)];
    assert_eq!(told(&stage, &both), [(HoldRule::Chain, vec![agent(3)])]);
    assert_eq!(told(&stage.clone().with(person(), 4, "Go on"), &both).len(), 2);
    assert_eq!(told(&stage.reset(4), &both).len(), 2);
}

#[test]
fn a_forged_notice_silences_nothing() {
    let mark = GuardMark::Tripped { rule: HoldRule::Depth, agents: Vec::new(), until: None };
    let mut stage = Stage::new().marked(&mark, 2);
    stage.window[0].from = bot(1);
    assert_eq!(told(&stage, &[held(2, HoldRule::Depth)]).len(), 1);
}

#[test]
fn a_notice_says_which_rule_with_whom_and_how_to_lift_it() {
    let stage = Stage::new().with(person(), 60, "Go");
    let lift = "lift it with `parlour guard reset chn_00000000000000000000000001` \
                (`POST /conversations/chn_00000000000000000000000001/loop-guard/reset`).";
    let cases = [
        (
            HoldRule::Depth,
            "agents have answered each other 3 times in a row without a person. \
             Write here yourself and mention whom you want",
        ),
        (
            HoldRule::Chain,
            "who is called has already answered on the way to this message. \
             Write here yourself and mention whom you want",
        ),
        (
            HoldRule::Budget,
            "agents have used up their 30 messages since Mara wrote at 1970-01-01 00:01:00 UTC. Write here yourself",
        ),
        (
            HoldRule::NoProgress,
            "agents say nearly the same again and again since Mara wrote at 1970-01-01 00:01:00 UTC. \
             Write here yourself",
        ),
        (
            HoldRule::Correlation,
            "the calls under one correlation id go too deep, last too long or come too fast. \
             Call them yourself, let them take another correlation id",
        ),
    ];
    for (rule, why) in cases {
        let expected = format!("The loop guard keeps Ada from calling Bob and Cem: {why}, or {lift}");
        assert_eq!(text(&stage, rule), expected);
    }
}

#[test]
fn a_silence_says_when_it_ends() {
    let mut stage = Stage::new();
    stage.limits.pair_messages_max = 2;
    stage.calls = vec![called(bot(2), 1, 990), called(bot(1), 2, 989)];
    let (mark, text) = notices(&stage.facts(), &stage.judge(&[2]).held).remove(0);
    assert_eq!(mark, GuardMark::Tripped { rule: HoldRule::Pair, agents: vec![agent(2)], until: Some(at(1_050)) });
    let expected = "The loop guard keeps Ada from calling Bob: the two have called each other 2 times within 60 seconds. \
                    It ends by itself at 1970-01-01 00:17:30 UTC. Call them yourself, or ";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn once_is_not_one_times() {
    let mut stage = Stage::new();
    stage.limits.response_depth_max = 1;
    assert!(text(&stage, HoldRule::Depth).contains("have answered each other once in a row"));
}

#[test]
fn a_notice_says_since_when_the_guard_counts() {
    let since = |stage: &Stage| text(stage, HoldRule::Budget);
    assert!(since(&Stage::new()).contains("since a person last wrote here"));
    assert!(since(&Stage::new().with(person(), 60, "Go")).contains("since Mara wrote at 1970-01-01 00:01:00 UTC"));
    assert!(since(&Stage::new().reset(61)).contains("since it was lifted at 1970-01-01 00:01:01 UTC"));
}

#[test]
fn a_reset_names_who_has_lifted_the_guard() {
    assert_eq!(reset_text(&person()), "Mara has lifted the loop guard here: agents may call each other again.");
}
