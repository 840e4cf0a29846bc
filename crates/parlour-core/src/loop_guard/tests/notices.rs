//! Marks of host messages, active holds, and the text of notices.

use crate::{
    author::Author,
    call::{HeldCall, HoldRule},
    id::{AgentId, PersonId},
    loop_guard::{
        GuardMark, active_stops, notices, reset_text,
        tests::{GuardFixture, agent, at, bot, called, host_message, name, person},
    },
    message::{Kind, Message},
};

fn tripped(rule: HoldRule, until: Option<i64>) -> GuardMark {
    GuardMark::Tripped { rule, agents: vec![agent(2)], until: until.map(at) }
}

#[test]
fn a_mark_round_trips() {
    let by = PersonId::from_bits(1).into();
    for mark in [tripped(HoldRule::NoProgress, None), tripped(HoldRule::Pair, Some(9)), GuardMark::Reset { by }] {
        assert_eq!(GuardMark::of(&host_message(&mark)), Some(mark));
    }
}

#[test]
fn a_mark_has_a_stable_form_on_the_wire() {
    let json = tripped(HoldRule::Pair, Some(0)).content().to_string();
    let expected = r#"{"loop_guard":{"agents":["agt_00000000000000000000000002"],"rule":"pair","until":"1970-01-01T00:00:00.000Z","what":"tripped"}}"#;
    assert_eq!(json, expected);
}

#[test]
fn marks_of_other_authors_and_kinds_are_ignored() {
    let marked = host_message(&tripped(HoldRule::Depth, None));
    for author in [bot(1), person()] {
        assert_eq!(GuardMark::of(&Message { from: author, ..marked.clone() }), None);
    }
    let of_another = Author { id: Some("pynchy:hub".into()), ..Author::host() };
    assert_eq!(GuardMark::of(&Message { from: of_another, ..marked.clone() }), None);
    for kind in [Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult] {
        assert_eq!(GuardMark::of(&Message { kind, ..marked.clone() }), None, "{kind:?}");
    }
}

#[test]
fn other_content_is_not_a_mark() {
    let contents = ["null", "[]", "{}", r#"{"loop_guard":1}"#, r#"{"loop_guard":{"what":"else"}}"#];
    for content in contents {
        let content = serde_json::from_str(content).expect("json");
        let message = Message { content: Some(content), ..host_message(&tripped(HoldRule::Depth, None)) };
        assert_eq!(GuardMark::of(&message), None);
    }
}

/// The rules of the stops that are active at this second, newest first.
fn stops(fixture: &GuardFixture, seconds: i64) -> Vec<HoldRule> {
    let rule = |mark: GuardMark| match mark {
        GuardMark::Tripped { rule, .. } => Some(rule),
        GuardMark::Reset { .. } => None,
    };
    active_stops(&fixture.window, at(seconds)).into_iter().filter_map(|(mark, _)| rule(mark)).collect()
}

#[test]
fn stops_are_active_until_a_person_posts_or_resets_the_guard() {
    let fixture = GuardFixture::new()
        .marked(&tripped(HoldRule::Depth, None), 1)
        .with(bot(1), 2, "Hm")
        .marked(&tripped(HoldRule::Budget, None), 3);
    assert_eq!(stops(&fixture, 9), [HoldRule::Budget, HoldRule::Depth]);
    assert_eq!(active_stops(&fixture.window, at(9))[0].1.created_at, at(3));
    assert_eq!(stops(&fixture.clone().with(person(), 4, "Go on"), 9), []);
    assert_eq!(stops(&fixture.clone().reset(4), 9), []);
    assert_eq!(stops(&fixture.reset(4).marked(&tripped(HoldRule::Chain, None), 5), 9), [HoldRule::Chain]);
}

#[test]
fn a_stop_with_an_end_time_is_active_until_then() {
    let fixture = GuardFixture::new().marked(&tripped(HoldRule::Pair, Some(10)), 1);
    assert_eq!((stops(&fixture, 9), stops(&fixture, 10)), (vec![HoldRule::Pair], vec![]));
}

fn held(number: usize, rule: HoldRule) -> HeldCall {
    HeldCall { agent_id: agent(number), name: name(number), rule, until: None }
}

/// The reported rules with their held agents, from the marks.
fn reported(fixture: &GuardFixture, held: &[HeldCall]) -> Vec<(HoldRule, Vec<AgentId>)> {
    let reported = notices(&fixture.facts(), held);
    reported
        .into_iter()
        .map(|(mark, _)| match mark {
            GuardMark::Tripped { rule, agents, .. } => (rule, agents),
            GuardMark::Reset { .. } => panic!("a notice lifts nothing"),
        })
        .collect()
}

fn text(fixture: &GuardFixture, rule: HoldRule) -> String {
    notices(&fixture.facts(), &[held(2, rule), held(3, rule)]).remove(0).1
}

#[test]
fn each_rule_is_reported_once_with_all_held_agents() {
    let all =
        [held(2, HoldRule::Chain), held(3, HoldRule::Depth), held(4, HoldRule::Chain), held(5, HoldRule::Waiting)];
    let expected = [(HoldRule::Depth, vec![agent(3)]), (HoldRule::Chain, vec![agent(2), agent(4)])];
    assert_eq!(reported(&GuardFixture::new(), &all), expected);
    assert_eq!(reported(&GuardFixture::new(), &[]), []);
}

#[test]
fn a_reported_rule_is_reported_again_only_after_a_person_or_a_reset() {
    let mark = GuardMark::Tripped { rule: HoldRule::Depth, agents: vec![agent(5)], until: None };
    let fixture = GuardFixture::new().with(person(), 1, "Go").marked(&mark, 2).with(bot(3), 3, "Hm");
    let both = [held(2, HoldRule::Depth), held(3, HoldRule::Chain)];
    assert_eq!(reported(&fixture, &both), [(HoldRule::Chain, vec![agent(3)])]);
    assert_eq!(reported(&fixture.clone().with(person(), 4, "Go on"), &both).len(), 2);
    assert_eq!(reported(&fixture.reset(4), &both).len(), 2);
}

#[test]
fn a_forged_notice_suppresses_no_report() {
    let mark = GuardMark::Tripped { rule: HoldRule::Depth, agents: Vec::new(), until: None };
    let mut fixture = GuardFixture::new().marked(&mark, 2);
    fixture.window[0].from = bot(1);
    assert_eq!(reported(&fixture, &[held(2, HoldRule::Depth)]).len(), 1);
}

#[test]
fn a_notice_names_the_rule_the_agents_and_how_to_reset() {
    let fixture = GuardFixture::new().with(person(), 60, "Go");
    let remedy = "reset the guard with `parlour guard reset chn_00000000000000000000000001` \
                (`POST /conversations/chn_00000000000000000000000001/loop-guard/reset`).";
    let cases = [
        (
            HoldRule::Depth,
            "agents have answered each other 3 times in a row without a message of a person. \
             Post a message here and mention the agents you want",
        ),
        (
            HoldRule::Chain,
            "the called agent has already answered in this chain of messages. \
             Post a message here and mention the agents you want",
        ),
        (
            HoldRule::Budget,
            "agents have used up their 30 messages since Mara wrote at 1970-01-01 00:01:00 UTC. Post a message here",
        ),
        (
            HoldRule::NoProgress,
            "agents have repeated nearly the same text since Mara wrote at 1970-01-01 00:01:00 UTC. \
             Post a message here",
        ),
        (
            HoldRule::Correlation,
            "the calls with this correlation id are too deep, too long or too frequent. \
             Mention them yourself, have them use another correlation id",
        ),
    ];
    for (rule, why) in cases {
        let expected = format!("The loop guard stopped the call from Ada to Bob and Cem: {why}, or {remedy}");
        assert_eq!(text(&fixture, rule), expected);
    }
}

#[test]
fn a_pair_block_notice_contains_its_end_time() {
    let mut fixture = GuardFixture::new();
    fixture.limits.pair_messages_max = 2;
    fixture.calls = vec![called(bot(2), 1, 990), called(bot(1), 2, 989)];
    let (mark, text) = notices(&fixture.facts(), &fixture.judge(&[2]).held).remove(0);
    assert_eq!(mark, GuardMark::Tripped { rule: HoldRule::Pair, agents: vec![agent(2)], until: Some(at(1_050)) });
    let expected = "The loop guard stopped the call from Ada to Bob: the two have called each other 2 times within 60 seconds. \
                    The block ends at 1970-01-01 00:17:30 UTC. Mention them yourself, or ";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_count_of_one_is_written_as_once() {
    let mut fixture = GuardFixture::new();
    fixture.limits.response_depth_max = 1;
    assert!(text(&fixture, HoldRule::Depth).contains("have answered each other once in a row"));
}

#[test]
fn a_notice_contains_the_start_of_the_count() {
    let since = |fixture: &GuardFixture| text(fixture, HoldRule::Budget);
    assert!(since(&GuardFixture::new()).contains("since a person last wrote here"));
    assert!(
        since(&GuardFixture::new().with(person(), 60, "Go")).contains("since Mara wrote at 1970-01-01 00:01:00 UTC")
    );
    assert!(since(&GuardFixture::new().reset(61)).contains("since it was reset at 1970-01-01 00:01:01 UTC"));
}

#[test]
fn a_reset_text_names_the_person() {
    assert_eq!(reset_text(&person()), "Mara has reset the loop guard here: agents can call each other again.");
}
