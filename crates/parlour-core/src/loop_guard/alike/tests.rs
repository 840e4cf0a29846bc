use proptest::prelude::*;

use super::*;
use crate::message::tests::sample;

fn names() -> NameWords {
    NameWords(vec!["project manager".into(), "project".into(), "coder".into()])
}

fn gist(body: &str) -> Gist {
    let message = Message { body: body.into(), content: None, artifacts: Vec::new(), ..sample() };
    Gist::of(&message, &names()).expect("it carries nothing else")
}

fn is_alike(left: &str, right: &str) -> bool {
    gist(left).is_alike(&gist(right))
}

const REPORT: &str = "I have looked at the failing build: the cache was stale, so I cleared it and started the job \
                      again. It should be green in about ten minutes.";

#[test]
fn marks_case_and_addressees_make_no_difference() {
    let pairs = [
        ("Thanks!", "thanks"),
        ("Thanks!", "**THANKS** 🙏🙏"),
        ("@Coder thanks", "Thanks, @Project Manager!"),
        ("@Coder-2 thanks", "@unknown thanks"),
        ("ok", "OK."),
        ("ありがとう", "ありがとう！"),
        ("Straße frei", "STRASSE FREI"),
        ("", "@Coder"),
        ("👍", "!!!"),
    ];
    for (left, right) in pairs {
        assert!(is_alike(left, right), "{left} and {right}");
    }
}

#[test]
fn other_words_make_another_text() {
    let pairs = [
        ("yes", "no"),
        ("Thanks!", ""),
        ("Thanks!", "Thanks for the review, I will merge it now."),
        ("The build is green.", "The build is red."),
        ("step 3 of 10", "step 4 of 10"),
        ("go", "go go go go"),
        (REPORT, "I have not looked at it yet."),
    ];
    for (left, right) in pairs {
        assert!(!is_alike(left, right), "{left} and {right}");
    }
}

#[test]
fn a_long_text_with_a_few_changes_is_nearly_the_same() {
    assert!(is_alike(REPORT, &REPORT.replace("ten", "five")));
    assert!(is_alike(REPORT, &format!("Sorry. {REPORT}")));
    assert!(!is_alike(REPORT, &format!("{REPORT} {}", REPORT.to_uppercase().replace('E', "o"))));
}

#[test]
fn of_very_long_texts_the_beginning_and_the_length_count() {
    let long = "word ".repeat(10_000);
    assert!(is_alike(&long, &format!("{long}and an end")));
    assert!(!is_alike(&long, &long.repeat(2)));
    assert!(gist(&long).triples.len() <= limits::GUARD_TEXT_CHARS_MAX + 2);
}

#[test]
fn a_message_without_words_that_carries_something_has_no_gist() {
    let message = Message { body: "🎁".into(), ..sample() };
    assert!(Gist::of(&message, &names()).is_none());
    assert!(Gist::of(&Message { body: "Look".into(), ..message }, &names()).is_some());
}

proptest! {
    #[test]
    fn every_text_is_like_itself(body in ".{0,80}") {
        prop_assert!(is_alike(&body, &body));
        prop_assert!(is_alike(&body, &body.to_uppercase().to_lowercase().to_uppercase().to_lowercase()) || !body.is_ascii());
    }

    #[test]
    fn likeness_has_no_direction(left in "[ab @]{0,12}", right in "[ab @]{0,12}") {
        prop_assert_eq!(is_alike(&left, &right), is_alike(&right, &left));
    }
}
