//! Marks of host messages, and the stops that still stand.

use super::stage::{Stage, agent, at, bot, host_said, person};
use crate::{
    author::Author,
    call::HoldRule,
    id::PersonId,
    loop_guard::{GuardMark, standing_stops},
    message::{Kind, Message},
};

fn tripped(rule: HoldRule, until: Option<i64>) -> GuardMark {
    GuardMark::Tripped { rule, agents: vec![agent(2)], until: until.map(at) }
}

#[test]
fn a_mark_is_read_as_it_was_written() {
    let by = PersonId::from_bits(1).into();
    for mark in [tripped(HoldRule::NoProgress, None), tripped(HoldRule::Pair, Some(9)), GuardMark::Reset { by }] {
        assert_eq!(GuardMark::of(&host_said(&mark)), Some(mark));
    }
}

#[test]
fn a_mark_has_a_stable_form_on_the_wire() {
    let json = tripped(HoldRule::Pair, Some(0)).content().to_string();
    let expected = r#"{"loop_guard":{"agents":["agt_00000000000000000000000002"],"rule":"pair","until":"1970-01-01T00:00:00.000Z","what":"tripped"}}"#;
    assert_eq!(json, expected);
}

#[test]
fn only_the_hub_makes_marks() {
    let marked = host_said(&tripped(HoldRule::Depth, None));
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
fn other_contents_are_no_marks() {
    let contents = ["null", "[]", "{}", r#"{"loop_guard":1}"#, r#"{"loop_guard":{"what":"else"}}"#];
    for content in contents {
        let content = serde_json::from_str(content).expect("json");
        let message = Message { content: Some(content), ..host_said(&tripped(HoldRule::Depth, None)) };
        assert_eq!(GuardMark::of(&message), None);
    }
}

/// The rules of the stops that stand at this second, newest first.
fn stops(stage: &Stage, seconds: i64) -> Vec<HoldRule> {
    let rule = |mark: GuardMark| match mark {
        GuardMark::Tripped { rule, .. } => Some(rule),
        GuardMark::Reset { .. } => None,
    };
    standing_stops(&stage.window, at(seconds)).into_iter().filter_map(|(mark, _)| rule(mark)).collect()
}

#[test]
fn stops_stand_until_a_person_speaks_or_lifts_them() {
    let stage = Stage::new()
        .marked(&tripped(HoldRule::Depth, None), 1)
        .with(bot(1), 2, "Hm")
        .marked(&tripped(HoldRule::Budget, None), 3);
    assert_eq!(stops(&stage, 9), [HoldRule::Budget, HoldRule::Depth]);
    assert_eq!(standing_stops(&stage.window, at(9))[0].1.created_at, at(3));
    assert_eq!(stops(&stage.clone().with(person(), 4, "Go on"), 9), []);
    assert_eq!(stops(&stage.clone().reset(4), 9), []);
    assert_eq!(stops(&stage.reset(4).marked(&tripped(HoldRule::Chain, None), 5), 9), [HoldRule::Chain]);
}

#[test]
fn a_stop_that_time_lifts_stands_until_then() {
    let stage = Stage::new().marked(&tripped(HoldRule::Pair, Some(10)), 1);
    assert_eq!((stops(&stage, 9), stops(&stage, 10)), (vec![HoldRule::Pair], vec![]));
}
