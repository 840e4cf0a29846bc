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
fn a_repeated_long_text_is_a_duplicate_across_conversations() {
    let shouted = LONG.to_uppercase() + "!";
    let all = [said(1, "Mara", "chn_1", LONG), said(2, "Ben", "chn_2", LONG), said(3, "Ben", "chn_2", &shouted)];
    assert_eq!(duplicates_of(&all), [None, Some(0), Some(0)]);
}

#[test]
fn the_most_important_duplicate_is_kept() {
    let all = [said(1, "Mara", "chn_1", LONG), said(2, "Ben", "chn_2", LONG)];
    assert_eq!(duplicates(&all.iter().collect::<Vec<_>>(), &[1, 0]), [Some(1), None]);
}

#[test]
fn mandatory_candidates_are_never_duplicates() {
    let mut all = [said(1, "Mara", "chn_1", LONG), said(2, "Ben", "chn_2", LONG), said(3, "Ben", "chn_2", LONG)];
    all[1].reasons = vec![Reason::Current];
    all[2].reasons = vec![Reason::Blocking];
    let found = duplicates_of(&all);
    assert!(found[0].is_some() && found[1].is_none() && found[2].is_none());
}

#[test]
fn short_texts_are_duplicates_only_of_the_same_author_in_the_same_conversation() {
    let all = [said(1, "Mara", "chn_1", "ok"), said(2, "Ben", "chn_1", "ok"), said(3, "Mara", "chn_2", "ok")];
    assert_eq!(duplicates_of(&all), [None, None, None]);
    let again = [said(1, "Mara", "chn_1", "ok"), said(2, "Mara", "chn_1", "ok"), said(3, "Mara", "chn_1", "OK?")];
    assert_eq!(duplicates_of(&again), [None, Some(0), None]);
}

#[test]
fn texts_that_differ_in_a_number_or_a_negation_are_no_duplicates() {
    let words = "word ".repeat(150);
    let text = |end: &str| format!("{words} build {end} was deployed to the harbour cluster");
    let all = [said(1, "Mara", "chn_1", &text("41")), said(2, "Mara", "chn_1", &text("42"))];
    assert_eq!(duplicates_of(&all), [None, None]);
    let all = [said(1, "Mara", "chn_1", &text("41")), said(2, "Mara", "chn_1", &text("41 not"))];
    assert_eq!(duplicates_of(&all), [None, None]);
}

#[test]
fn a_long_text_with_one_changed_word_is_a_duplicate() {
    let sentence =
        |end: &str| (0..60).map(|n| format!("item{} ", char::from(b'a' + n % 26))).collect::<String>() + LONG + end;
    let all = [said(1, "Mara", "chn_1", &sentence(" tonight")), said(2, "Ben", "chn_2", &sentence(" today"))];
    assert_eq!(duplicates_of(&all), [None, Some(0)]);
    assert_ne!(fingerprint(LONG), fingerprint("Somebody has moved the piano into the garden"));
}

#[test]
fn a_shorter_text_with_one_changed_word_is_no_duplicate() {
    let (passed, failed) = (LONG.replace("stopped", "passed"), LONG.replace("stopped", "failed"));
    let all = [said(1, "Mara", "chn_1", &passed), said(2, "Mara", "chn_1", &failed)];
    assert_eq!(duplicates_of(&all), [None, None]);
}

#[test]
fn a_longer_text_is_not_omitted_for_a_shorter_duplicate() {
    let more = format!("{LONG}, Jonas blocks everything else");
    let all = [said(1, "Mara", "chn_1", LONG), said(2, "Mara", "chn_1", &more)];
    assert_eq!(duplicates_of(&all), [None, None]);
}

#[test]
fn near_duplicates_are_found_among_hundreds_of_other_texts() {
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
fn five_hundred_copies_have_one_original() {
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
fn the_folded_hash_ignores_only_case_and_white_space() {
    assert_eq!(folded("The  Canoe\nleaks "), folded("the canoe LEAKS"));
    for other in ["the canoeleaks", "the canoe leak", "the canoe leaks.", "canoe the leaks"] {
        assert_ne!(folded("the canoe leaks"), folded(other), "{other}");
    }
}
