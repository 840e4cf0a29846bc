use std::sync::Arc;

use parlour_core::{
    author::{Author, AuthorType},
    context::{Reason, Section, SubjectType},
    message::Importance,
};
use parlour_redact::Redactor;

use super::*;
use crate::{candidate::ConversationRef, prepared::Prepared};

const LONG: &str = "The nightly import of the harbour ledger stopped because the disk of the second machine is full";

fn said(seq: u64, name: &str, place: &str, text: &str) -> Candidate {
    let redactor = Redactor::default();
    Candidate {
        subject_type: SubjectType::Message,
        id: format!("msg_{seq}"),
        section: Section::History,
        conversation: Some(Arc::new(ConversationRef {
            id: place.parse().expect("id"),
            name: place.to_owned(),
            last_seq: 9,
        })),
        seq,
        from: Some(Author { author_type: AuthorType::Person, id: None, name: name.to_owned() }),
        prepared: Arc::new(Prepared::of(text, &redactor)),
        importance: Importance::Normal,
        reasons: vec![Reason::Recent],
        distance: 0,
        reply_to: None,
        note: None,
        answer_format: None,
        summarizes: None,
    }
}

fn duplicates_of(candidates: &[Candidate]) -> Vec<Option<usize>> {
    duplicates(&candidates.iter().collect::<Vec<_>>(), &(0..candidates.len()).collect::<Vec<_>>())
}

#[test]
fn a_long_text_said_again_elsewhere_is_a_duplicate_of_the_first() {
    let shouted = LONG.to_uppercase() + "!";
    let all = [said(1, "Mara", "chn_1", LONG), said(2, "Ben", "chn_2", LONG), said(3, "Ben", "chn_2", &shouted)];
    assert_eq!(duplicates_of(&all), [None, Some(0), Some(0)]);
}

#[test]
fn the_most_important_of_those_that_say_the_same_stays() {
    let all = [said(1, "Mara", "chn_1", LONG), said(2, "Ben", "chn_2", LONG)];
    assert_eq!(duplicates(&all.iter().collect::<Vec<_>>(), &[1, 0]), [Some(1), None]);
}

#[test]
fn what_must_be_shown_stays_and_stands_for_the_others() {
    let mut all = [said(1, "Mara", "chn_1", LONG), said(2, "Ben", "chn_2", LONG), said(3, "Ben", "chn_2", LONG)];
    all[1].reasons = vec![Reason::Current];
    all[2].reasons = vec![Reason::Blocking];
    let found = duplicates_of(&all);
    assert!(found[0].is_some() && found[1].is_none() && found[2].is_none());
}

#[test]
fn short_answers_of_different_people_or_in_different_places_are_all_kept() {
    let all = [said(1, "Mara", "chn_1", "ok"), said(2, "Ben", "chn_1", "ok"), said(3, "Mara", "chn_2", "ok")];
    assert_eq!(duplicates_of(&all), [None, None, None]);
    let again = [said(1, "Mara", "chn_1", "ok"), said(2, "Mara", "chn_1", "ok"), said(3, "Mara", "chn_1", "OK?")];
    assert_eq!(duplicates_of(&again), [None, Some(0), None]);
}

#[test]
fn another_number_or_a_negation_is_another_message() {
    let words = "word ".repeat(150);
    let text = |end: &str| format!("{words} build {end} was deployed to the harbour cluster");
    let all = [said(1, "Mara", "chn_1", &text("41")), said(2, "Mara", "chn_1", &text("42"))];
    assert_eq!(duplicates_of(&all), [None, None]);
    let all = [said(1, "Mara", "chn_1", &text("41")), said(2, "Mara", "chn_1", &text("41 not"))];
    assert_eq!(duplicates_of(&all), [None, None]);
}

#[test]
fn a_word_changed_in_a_long_text_leaves_it_nearly_the_same() {
    let sentence =
        |end: &str| (0..60).map(|n| format!("item{} ", char::from(b'a' + n % 26))).collect::<String>() + LONG + end;
    let all = [said(1, "Mara", "chn_1", &sentence(" tonight")), said(2, "Ben", "chn_2", &sentence(" today"))];
    assert_eq!(duplicates_of(&all), [None, Some(0)]);
    assert_ne!(fingerprint(LONG), fingerprint("Somebody has moved the piano into the garden"));
}

#[test]
fn a_word_exchanged_in_a_short_text_may_turn_it_around() {
    let (passed, failed) = (LONG.replace("stopped", "passed"), LONG.replace("stopped", "failed"));
    let all = [said(1, "Mara", "chn_1", &passed), said(2, "Mara", "chn_1", &failed)];
    assert_eq!(duplicates_of(&all), [None, None]);
}

#[test]
fn what_says_more_is_not_left_out_for_what_says_less() {
    let more = format!("{LONG}, Jonas blocks everything else");
    let all = [said(1, "Mara", "chn_1", LONG), said(2, "Mara", "chn_1", &more)];
    assert_eq!(duplicates_of(&all), [None, None]);
}

#[test]
fn nearly_the_same_is_found_whatever_stands_between() {
    let near = format!("Hi folks, {} please!", LONG.to_lowercase());
    let other =
        |seq: u64| said(seq, "Ben", "chn_1", &format!("Something else of number {seq} and its own matters here"));
    let all: Vec<Candidate> = [said(1, "Mara", "chn_1", LONG)]
        .into_iter()
        .chain((2..400).map(other))
        .chain([said(400, "Ben", "chn_2", &near)])
        .collect();
    assert_eq!(duplicates_of(&all).last(), Some(&Some(0)));
}

#[test]
fn five_hundred_copies_leave_one() {
    let all: Vec<Candidate> = (1..=500).map(|seq| said(seq, "Mara", "chn_1", LONG)).collect();
    let found = duplicates_of(&all);
    assert!(found[0].is_none() && found[1..].iter().all(|twin| *twin == Some(0)));
}

#[test]
fn texts_without_words_are_no_duplicates_of_each_other() {
    let all = [said(1, "Mara", "chn_1", ""), said(2, "Mara", "chn_1", "…"), said(3, "Mara", "chn_1", "👍")];
    assert_eq!(duplicates_of(&all), [None, None, None]);
}

#[test]
fn long_alerts_that_differ_in_a_number_alone_are_all_kept() {
    let alert = |number: u64| {
        let words: Vec<String> =
            (0..24).map(|word| format!("service{}", ["a", "b", "c", "d"][word % 4].repeat(word))).collect();
        format!("Alert {}: {} restarted", number * 7, words.join(" "))
    };
    let all: Vec<Candidate> = (0..300).map(|number| said(number, "bot", "chn_1", &alert(number))).collect();
    assert!(duplicates_of(&all).iter().all(Option::is_none));
}

#[test]
fn case_and_blanks_make_no_other_text_and_everything_else_does() {
    assert_eq!(folded("The  Canoe\nleaks "), folded("the canoe LEAKS"));
    for other in ["the canoeleaks", "the canoe leak", "the canoe leaks.", "canoe the leaks"] {
        assert_ne!(folded("the canoe leaks"), folded(other), "{other}");
    }
}
