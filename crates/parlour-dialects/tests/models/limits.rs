//! Limits on the included messages and steps.

use parlour_core::{Timestamp, message::Message, step::Step};
use parlour_dialects::models::{StepDisplay, Transcript, TranscriptBuilder, Turn};
use proptest::prelude::*;
use serde_json::json;

use crate::{
    formats::Format,
    logs::{any_log, me},
    transcript_builder::{mara, own, shown},
};

fn seen(log: &[Message], chars_max: usize) -> Transcript {
    TranscriptBuilder { agent: &me(), steps: StepDisplay::AsToolCalls, chars_max }.build(log)
}

fn chars_of(turns: &Transcript) -> usize {
    let chars = |turn: &Turn| match turn {
        Turn::System(text) | Turn::User { text, .. } => text.chars().count(),
        Turn::Assistant { text, calls } => {
            let of_calls = calls.iter().map(|call| call.output().chars().count() + call.input().len());
            text.chars().count() + of_calls.sum::<usize>()
        }
    };
    turns.list().iter().map(chars).sum()
}

#[test]
fn the_oldest_messages_are_omitted_first_and_counted() {
    let log = [mara("First"), mara(&"x".repeat(1_000)), mara("Last")];
    let (cut, whole) = (seen(&log, 1_200), seen(&log, 2_000));
    assert_eq!((cut.list().len(), cut.left_out()), (2, 1));
    assert!(shown(&cut)[0].ends_with('x') && shown(&cut)[1].ends_with("Last"));
    assert_eq!((whole.list().len(), whole.left_out()), (3, 0));
}

#[test]
fn the_last_message_is_shown_in_part_when_it_does_not_fit() {
    let cut = seen(&[mara("First"), mara(&"y".repeat(50))], 10);
    assert_eq!(shown(&cut), [format!("U [from Mara, person]\n{}", "y".repeat(10))]);
}

#[test]
fn messages_can_be_repeated_at_the_end_if_they_may_be_seen_and_fit() {
    let view = TranscriptBuilder { agent: &me(), steps: StepDisplay::AsToolCalls, chars_max: 4 };
    let messages = [mara("One"), mara("Two words"), mara("secret").removed(Timestamp::from_millis(2))];
    let mut turns = seen(&[own("Done.")], 1_000);
    view.append_again(&mut turns, messages.iter());
    assert_eq!(shown(&turns), ["A Done.", "U [from Mara, person]\nTwo"]);
}

/// A step with a result of so many characters.
fn step(id: &str, chars: usize) -> Step {
    Step {
        id: id.into(),
        name: "r".into(),
        input: None,
        output: Some(json!("z".repeat(chars))),
        is_error: false,
        started_at: Timestamp::from_millis(1),
        finished_at: Some(Timestamp::from_millis(1)),
    }
}

#[test]
fn steps_are_omitted_before_texts() {
    let log = [Message { steps: vec![step("a", 3_000), step("b", 3_000)], ..own("Done.") }, mara("Thanks.")];
    let older = [mara("Please."), log[0].clone(), log[1].clone()];
    assert_eq!(shown(&seen(&older, 500)).len(), 3);
    assert_eq!(shown(&seen(&log, 500)), ["A Done.", "U [from Mara, person]\nThanks."]);
    assert_eq!(shown(&seen(&log, 4_500)).len(), 3);
    assert_eq!(shown(&seen(&log, 9_000)).len(), 4);
}

#[test]
fn no_step_older_than_an_omitted_one_is_shown() {
    let work = |id: &str, chars| Message { steps: vec![step(id, chars)], ..own("Done.") };
    assert_eq!(shown(&seen(&[work("a", 1), work("b", 5_000)], 2_000)), ["A Done.", "A Done."]);
    assert_eq!(shown(&seen(&[work("a", 5_000), work("b", 1)], 2_000)), ["A Done.", "A  +r", "A Done."]);
}

#[test]
fn a_very_long_log_stays_within_the_limits_of_every_provider() {
    let log: Vec<_> = (0..5_000).map(|_| mara("Hi")).collect();
    let turns = seen(&log, usize::MAX);
    assert_eq!((turns.list().len(), turns.left_out()), (1_000, 4_000));
    assert_eq!(Format::Chat.check(&Format::Chat.encode(&turns)), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_list_does_not_exceed_its_character_limit(log in any_log(), chars_max in 0_usize..3_000) {
        let turns = seen(&log, chars_max);
        // The label of the very last message, and lines that had to be quoted.
        let quotes: usize = shown(&turns).iter().map(|text| 2 * text.matches('\n').count()).sum();
        prop_assert!(chars_of(&turns) <= chars_max + 200 + 3 * quotes, "{} > {chars_max}", chars_of(&turns));
    }

    #[test]
    fn a_larger_limit_never_omits_more(log in any_log(), chars_max in 0_usize..3_000) {
        prop_assert!(seen(&log, chars_max + 100).left_out() <= seen(&log, chars_max).left_out());
    }
}
