use super::*;
use proptest::prelude::*;

use crate::engines::models::{ModelSettings, Secret, settings::Interface};

#[test]
fn a_sentence_becomes_one_line() {
    assert_eq!(line("a\r\n  b\u{1b}[31m\tc\u{202e}d\u{2028}e", None), "a b [31m c d e");
}

#[test]
fn a_long_sentence_is_cut() {
    let cut = line(&"ä".repeat(10_000), None);
    assert_eq!(cut.chars().count(), WORDS_CHARS_MAX);
    assert!(cut.ends_with('…'));
}

#[test]
fn a_key_is_hidden_in_whole_and_in_part() {
    let key = Secret::new("abcdef-0123456789");
    let said = "Incorrect key: abcdef-0123456789. Or \"abcdef-01*****789\", or 'abcdef-0', sk-proj-1, AIzaX, x***y!";
    assert_eq!(line(said, Some(&key)), "Incorrect key: (hidden). Or (hidden) or (hidden) (hidden) (hidden) (hidden)");
}

#[test]
fn the_names_of_models_are_no_keys() {
    let said = "model claude-sonnet-4-5-20250929 not found, try gpt-5-mini-2026-01-01";
    assert_eq!(line(said, Some(&Secret::new("qrstuv123456"))), said);
}

#[test]
fn a_text_keeps_its_lines_and_loses_control_characters() {
    assert_eq!(text("a\n\tb\0\u{1b}c\u{85}"), "a\n\tbc");
}

proptest! {
    #[test]
    fn no_sentence_carries_a_key_out(before in "\\PC{0,20}", after in "\\PC{0,20}", key in "[A-Za-z0-9_-]{8,40}") {
        let said = format!("{before}{key}{after}");
        prop_assert!(!line(&said, Some(&Secret::new(&key))).contains(&key));
    }
}
fn asked(interface: Interface, key: Option<&str>) -> Checked {
    let key = key.map(Secret::new);
    let base_url = "http://127.0.0.1:11434".into();
    Checked::of(ModelSettings { base_url, key, ..ModelSettings::new(interface, "small") }).expect("settings")
}

fn told(failure: &Failure) -> String {
    failure.told(&asked(Interface::OpenAi, Some("abcdef-123")))
}

fn refused(status: u16, message: &str) -> Failure {
    Failure::Refused(Refused { status: Some(status), message: message.into(), ..Refused::default() })
}

#[test]
fn a_wrong_key_is_told_without_the_key() {
    let text = told(&refused(401, "Incorrect API key provided: abcdef-123"));
    assert_eq!(text, "the provider refused the key (401): Incorrect API key provided: (hidden)");
    let missing = refused(401, "").told(&asked(Interface::OpenAi, None));
    assert_eq!(missing, "the provider wants a key, and none is set (401)");
}

#[test]
fn every_refusal_says_what_it_is_about() {
    for (status, message, words) in [
        (404, "model not found", "does not know the model small"),
        (400, "maximum context length", "too long for the model small"),
        (402, "", "no credit left"),
        (429, "", "too many requests"),
        (529, "", "overloaded"),
        (500, "oops", "a fault of its own (500): oops"),
        (307, "", "another address, which is not followed"),
        (422, "bad", "refused the request (422): bad"),
    ] {
        let text = told(&refused(status, message));
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_pause_that_the_provider_asks_for_is_told() {
    let slow = Refused { status: Some(429), wait_ms: Some(90_000), ..Refused::default() };
    assert!(told(&Failure::Refused(slow)).ends_with("; it asks to wait for 90 s"));
}

#[test]
fn a_cut_answer_names_its_limit_where_it_is_known() {
    let cut = Failure::Ended(Finish::Length);
    assert_eq!(told(&cut), "the answer is cut at the limit that the provider has for one answer");
    let known = cut.told(&asked(Interface::Anthropic, None));
    assert_eq!(known, "the answer is cut at 8192 tokens, the limit of one answer");
}

#[test]
fn all_other_failures_are_plain_sentences() {
    let minute = Duration::from_secs(60);
    for (failure, words) in [
        (Failure::Stopped, "the answer was stopped"),
        (Failure::Unreachable, "the provider at 127.0.0.1:11434 cannot be reached"),
        (Failure::HungUp, "the provider at 127.0.0.1:11434 ended the connection without an answer"),
        (Failure::Untrusted(TlsTrouble::OtherName), "no safe connection to the provider at 127.0.0.1:11434: its"),
        (Failure::Slow(Wait::FirstByte, minute), "was silent for 60 s"),
        (Failure::Slow(Wait::Piece, minute), "the answer is cut: the provider at 127.0.0.1:11434 fell silent"),
        (Failure::Slow(Wait::Whole, minute), "took longer than 60 s"),
        (Failure::NoStream("text/html".into()), "answered with text/html instead"),
        (Failure::Packed("gzip".into()), "a packed answer (gzip)"),
        (BadEvents::TooLong.into(), "a line that does not end"),
        (BadEvents::NotUtf8.into(), "is not UTF-8"),
        (NotJson.into(), "is not JSON"),
        (Failure::Cut, "the answer is cut: the connection"),
        (Failure::Endless, "does not end"),
        (Failure::Ended(Finish::Full), "too long for the model small"),
        (Failure::Ended(Finish::Filtered("SAFETY".into())), "stopped the answer (SAFETY)"),
        (Failure::Ended(Finish::Refused), "the model refused to answer"),
        (Failure::Ended(Finish::Other("abort".into())), "ended the answer early (abort)"),
        (Failure::Declined("I cannot\nhelp".into()), "refused to answer: I cannot help"),
        (Failure::Empty, "answered with nothing"),
    ] {
        let text = told(&failure);
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn what_fails_in_the_middle_says_that_the_answer_is_cut() {
    let midway = |failure| told(&Failure::Midway(Box::new(failure)));
    assert_eq!(midway(refused(529, "")), "the answer is cut: the provider is overloaded (529)");
    assert_eq!(midway(Failure::Cut), told(&Failure::Cut));
    assert_eq!(midway(Failure::Stopped), "the answer was stopped");
}
