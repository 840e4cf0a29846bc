//! What a reset does to depth and chain.

use super::stage::{Stage, agent, bot, called, person, place};
use crate::{
    call::Call,
    id::MessageId,
    message::{Cause, Message},
    name::Name,
};

/// Gives the newest message of the window this cause.
fn because(mut stage: Stage, cause: Cause) -> Stage {
    stage.window[0].cause = Some(cause);
    stage
}

/// A cause of this depth after the message that is the `parent`-th of the window, counted from 1 as they were added.
fn cause(depth: u32, agents: &[usize], parent: u128) -> Cause {
    let chain = agents.iter().map(|number| Name::fold(bot(*number).name.as_str())).collect();
    let agents = agents.iter().map(|number| agent(*number)).collect();
    Cause { depth, chain, agents, message_id: Some(MessageId::from_bits(parent)) }
}

/// Ada answers the message of Bob, which was the second answer since Mara wrote. The reset comes before or after it.
fn deep() -> Stage {
    let mut stage = because(Stage::new().with(person(), 1, "Go"), cause(0, &[], 0));
    stage = because(stage.with(bot(3), 2, "One"), cause(1, &[3], 1));
    stage = because(stage.with(bot(2), 3, "Two"), cause(2, &[3, 2], 2));
    stage.message.cause = Some(cause(3, &[3, 2, 1], 3));
    stage
}

#[test]
fn a_reset_after_the_message_that_is_answered_begins_anew() {
    assert_eq!(deep().verdict(&[2, 4]), "Bob Depth, Dan Depth");
    assert_eq!(deep().reset(4).verdict(&[2, 4]), "Bob, Dan");
}

#[test]
fn only_answers_after_the_reset_count() {
    let mut stage = deep();
    let reset = stage.clone().reset(2).window.remove(0);
    stage.window.insert(1, Message { id: MessageId::from_bits(50), ..reset });
    assert_eq!(stage.verdict(&[2, 3, 4]), "Cem, Dan, Bob Chain");
    stage.limits.response_depth_max = 2;
    assert_eq!(stage.verdict(&[3]), "Cem Depth");
}

#[test]
fn a_reset_before_the_whole_line_lifts_nothing() {
    let mut stage = deep();
    let reset = stage.clone().reset(0).window.remove(0);
    stage.window.push(Message { id: MessageId::from_bits(50), ..reset });
    assert_eq!(stage.verdict(&[4]), "Dan Depth");
}

#[test]
fn a_line_from_another_conversation_is_not_lifted() {
    let mut stage = deep().reset(4);
    stage.message.cause = Some(cause(3, &[3, 2, 1], 700));
    assert_eq!(stage.verdict(&[4]), "Dan Depth");
    let asked = |place_number: u128, seconds: i64| Call {
        message_id: MessageId::from_bits(700),
        conversation_id: place(place_number),
        ..called(bot(2), 1, seconds)
    };
    stage.calls = vec![asked(2, 3)];
    assert_eq!(stage.verdict(&[4]), "Dan Depth");
    stage.calls = vec![asked(1, 5)];
    assert_eq!(stage.verdict(&[4]), "Dan Depth", "it was asked after the reset");
    stage.calls = vec![asked(1, 3)];
    assert_eq!(stage.verdict(&[4]), "Dan", "the records know that it was asked here, too long ago for the window");
}

#[test]
fn who_speaks_by_itself_is_not_changed_by_a_reset() {
    let mut stage = deep().reset(4).caused(1, &[1]);
    assert_eq!(stage.verdict(&[2]), "Bob");
    stage = stage.caused(3, &[1]);
    assert_eq!(stage.verdict(&[2]), "Bob Depth", "a claim still counts");
}

#[test]
fn causes_that_go_in_a_circle_end() {
    let mut stage = because(Stage::new().reset(0).with(bot(2), 3, "Two"), cause(2, &[2], 2));
    stage.message.cause = Some(cause(3, &[2, 1], 2));
    assert_eq!(stage.verdict(&[4]), "Dan Depth");
}

#[test]
fn the_reset_of_somebody_else_than_the_hub_lifts_nothing() {
    for author in [bot(2), person()] {
        let mut stage = deep().reset(4);
        stage.window[0].from = author;
        assert_eq!(stage.verdict(&[4]), "Dan Depth");
    }
}
