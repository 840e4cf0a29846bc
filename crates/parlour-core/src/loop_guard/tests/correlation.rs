use super::stage::{Stage, at, bot, called, place};
use crate::limits;

/// The calls from agent to agent under one correlation id, a second apart; then Ada is about to call.
fn line(calls: &[(usize, usize)]) -> Stage {
    let mut stage = Stage::new();
    stage.message.correlation_id = Some("job-1".into());
    let seconds = 990..;
    stage.correlated = calls.iter().zip(seconds).map(|((from, to), at)| called(bot(*from), *to, at)).collect();
    stage
}

#[test]
fn calls_go_as_deep_as_the_limit_and_no_deeper() {
    assert_eq!(line(&[]).verdict(&[2]), "Bob");
    assert_eq!(line(&[(2, 1)]).verdict(&[3]), "Cem", "a depth of 2 is allowed");
    assert_eq!(line(&[(2, 3), (3, 1)]).verdict(&[4]), "Dan Correlation", "a depth of 3 is not");
}

#[test]
fn coming_back_to_an_agent_does_not_count() {
    assert_eq!(line(&[(2, 3), (3, 1)]).verdict(&[2, 3]), "Bob, Cem");
    let back_and_forth = [(2, 1), (1, 3), (3, 1), (1, 3), (3, 1)];
    assert_eq!(line(&back_and_forth).verdict(&[3, 4]), "Cem, Dan");
    let back_to_the_first = [(2, 3), (3, 2), (2, 1)];
    assert_eq!(line(&back_to_the_first).verdict(&[4]), "Dan");
}

#[test]
fn branches_have_a_depth_of_their_own() {
    assert_eq!(line(&[(2, 3), (2, 1), (3, 5)]).verdict(&[4]), "Dan");
}

#[test]
fn calls_end_with_their_age() {
    let mut stage = line(&[(1, 2)]);
    stage.now = at(990 + 3_600);
    assert_eq!(stage.verdict(&[3]), "Cem");
    stage.now = at(990 + 3_601);
    assert_eq!(stage.verdict(&[3]), "Cem Correlation");
}

#[test]
fn calls_come_no_faster_than_the_limit() {
    let nine = [(1, 2); 9];
    assert_eq!(line(&nine).verdict(&[3]), "Cem", "the tenth is allowed");
    let ten = [(1, 2); 10];
    assert_eq!(line(&ten).verdict(&[3]), "Cem Correlation until 1050");
    let mut narrowed = line(&[(1, 2); 5]);
    narrowed.limits.correlation_calls_max = 2;
    assert_eq!(narrowed.verdict(&[3]), "Cem Correlation until 1053", "when only one of the last five is left");
    let mut later = line(&ten);
    later.now = at(1_050);
    assert_eq!(later.verdict(&[3]), "Cem");
}

#[test]
fn the_calls_of_one_message_count_together() {
    assert_eq!(line(&[(1, 2); 8]).verdict(&[2, 3, 4]), "Bob, Cem, Dan Correlation until 1050");
    let mut fresh = line(&[]);
    fresh.limits.correlation_calls_max = 1;
    assert_eq!(fresh.verdict(&[2, 3]), "Bob, Cem Correlation until 1060");
}

#[test]
fn without_a_correlation_id_nothing_is_counted() {
    let mut stage = line(&[(1, 2); 10]);
    stage.message.correlation_id = None;
    assert_eq!(stage.verdict(&[3]), "Cem");
}

#[test]
fn a_reset_forgets_the_calls_of_its_conversation_alone() {
    let stage = line(&[(1, 2); 10]).reset(1_000);
    assert_eq!(stage.verdict(&[3]), "Cem");
    let mut elsewhere = stage.clone();
    elsewhere.correlated.iter_mut().for_each(|call| call.conversation_id = place(2));
    assert_eq!(elsewhere.verdict(&[3]), "Cem Correlation until 1050");
}

#[test]
fn an_id_is_used_up_when_no_more_calls_are_known() {
    let mut stage = line(&[(1, 2); limits::GUARD_CALLS_MAX]);
    stage.limits.correlation_calls_max = 200;
    stage.now = at(2_000);
    assert_eq!(stage.verdict(&[3]), "Cem Correlation");
    stage.correlated.pop();
    assert_eq!(stage.verdict(&[3]), "Cem");
}
