use super::stage::{Stage, bot, person};
use crate::{author::Author, limits, message::State};

/// Agents have written so many different messages since a person's; the limit is 5.
fn after(count: usize) -> Stage {
    let mut stage = Stage::new().with(person(), 1, "Go");
    stage.limits.conversation_answers_max = 5;
    for number in 0..count {
        stage = stage.with(bot(2 + number % 3), 2, &unlike(number));
    }
    stage
}

/// A text that resembles no other.
fn unlike(number: usize) -> String {
    let letter = char::from_u32('a' as u32 + (number % 26) as u32).expect("a letter");
    format!("{letter}{letter}{letter}{letter} {number}{number}{number} {}", letter.to_string().repeat(number))
}

#[test]
fn the_last_message_of_the_budget_calls_nobody() {
    assert_eq!(after(3).verdict(&[2]), "Bob");
    assert_eq!(after(4).verdict(&[2, 3]), "Bob Budget, Cem Budget", "it is the fifth itself");
    assert_eq!(after(9).verdict(&[2]), "Bob Budget");
}

#[test]
fn a_persons_word_renews_the_budget() {
    assert_eq!(after(9).with(person(), 3, "Go on").verdict(&[2]), "Bob");
    let mut stage = after(9).with(person(), 3, "Go on");
    for number in 20..24 {
        stage = stage.with(bot(2), 4, &unlike(number));
    }
    assert_eq!(stage.verdict(&[2]), "Bob Budget");
}

#[test]
fn a_reset_renews_the_budget() {
    assert_eq!(after(9).reset(3).verdict(&[2]), "Bob");
}

#[test]
fn only_what_agents_write_counts() {
    let mut stage = after(3);
    for _ in 0..5 {
        stage = stage.with(Author::host(), 3, "By the way");
    }
    assert_eq!(stage.verdict(&[2]), "Bob");
}

/// Somebody of this sort whom another system knew.
fn foreign(like: Author) -> Author {
    Author { id: Some("pynchy:1".into()), ..like }
}

#[test]
fn what_was_taken_over_neither_uses_the_budget_up_nor_renews_it() {
    let mut stage = after(3);
    for number in 30..40 {
        stage = stage.with(foreign(bot(2)), 3, &unlike(number));
    }
    assert_eq!(stage.verdict(&[2]), "Bob");
    assert_eq!(after(4).with(foreign(person()), 3, "Go on").verdict(&[2]), "Bob Budget");
}

#[test]
fn a_window_full_of_what_was_taken_over_is_no_spent_budget() {
    let mut stage = Stage::new();
    for number in 0..limits::GUARD_WINDOW_MAX {
        stage = stage.with(foreign(bot(2)), 2, &unlike(number));
    }
    assert_eq!(stage.verdict(&[2]), "Bob");
}

#[test]
fn failed_answers_and_running_ones_count_too() {
    let mut stage = after(4);
    stage.window[0].state = State::Failed;
    stage.window[1].state = State::Streaming;
    assert_eq!(stage.verdict(&[2]), "Bob Budget");
}

#[test]
fn a_message_that_stands_in_the_window_already_counts_once() {
    let mut stage = after(3);
    stage.window.insert(0, stage.message.clone());
    assert_eq!(stage.verdict(&[2]), "Bob");
}

#[test]
fn agents_among_themselves_have_a_budget_too() {
    let mut stage = after(4);
    stage.window.pop();
    assert_eq!(stage.verdict(&[2]), "Bob Budget");
}

#[test]
fn a_budget_beyond_the_window_ends_with_the_window() {
    let mut stage = after(limits::GUARD_WINDOW_MAX);
    stage.limits.conversation_answers_max = 10_000;
    assert_eq!(stage.verdict(&[2]), "Bob", "the person's word is in sight");
    stage.window.pop();
    assert_eq!(stage.verdict(&[2]), "Bob Budget");
    stage.window.pop();
    assert_eq!(stage.verdict(&[2]), "Bob", "all of the conversation is in sight");
}
