//! The rules for `@name`, compared with the patterns of Jaibber's clients.

use parlour_dialects::jaibber::{adapter_answers, adapter_mentions, list_mentions, mentions_agent};
use proptest::prelude::*;

#[test]
fn a_mention_must_not_be_followed_by_a_word_character() {
    for (text, name, is_mentioned) in [
        ("@Coder hi", "Coder", true),
        ("@coder", "Coder", true),
        ("hi @CODER!", "coder", true),
        ("x@Coder", "Coder", true),
        ("@Coder-2", "Coder", true),
        ("@Coders", "Coder", false),
        ("@Coder_", "Coder", false),
        ("@Coder2", "Coder", false),
        ("@Coderé", "Coder", true),
        ("Coder", "Coder", false),
        ("@ Coder", "Coder", false),
        ("@Testing Agent go", "Testing Agent", true),
        ("@Testing  Agent go", "Testing Agent", false),
        ("@Testing\u{a0}Agent go", "Testing Agent", false),
        ("@Testing go", "Testing Agent", false),
        ("@Coders @Coder", "Coder", true),
        ("@@Coder", "Coder", true),
        ("@ÉMILE", "émile", true),
        ("@a.b", "a.b", true),
        ("@aXb", "a.b", false),
        ("@(x", "(x", true),
        ("@straße", "STRASSE", false),
        ("@ſ", "s", false),
        ("@\u{212a}", "k", false),
        ("@ \u{10428}", " \u{10400}", false),
        ("@a@b", "a@b", true),
        ("@", "", false),
        ("@ x", "", false),
        ("", "Coder", false),
    ] {
        assert_eq!(mentions_agent(text, name), is_mentioned, "{text:?} {name:?}");
    }
}

#[test]
fn a_list_mention_includes_the_following_words() {
    for (text, mentions) in [
        ("@Coder please fix this", vec!["coder please fix this"]),
        ("@Coder, please", vec!["coder"]),
        ("@Coder @Tester", vec!["coder", "tester"]),
        ("@Coder  and\n\tme. @Tester", vec!["coder  and\n\tme", "tester"]),
        ("@Coder-2", vec!["coder"]),
        ("a@b@c", vec!["b", "c"]),
        ("@ Coder @é @", vec![]),
        ("@x\u{feff}y\u{a0}z", vec!["x\u{feff}y\u{a0}z"]),
        ("@x\u{85}y", vec!["x"]),
        ("@trailing   ", vec!["trailing"]),
    ] {
        assert_eq!(list_mentions(text), mentions, "{text:?}");
    }
}

#[test]
fn a_bridge_reads_one_word_with_dashes() {
    for (text, mentions) in [
        ("@Open-Claw go", vec!["open-claw"]),
        ("@-x @x- @é", vec!["x-"]),
        ("@a@b", vec!["a", "b"]),
        ("@@a", vec!["a"]),
        ("nobody", vec![]),
    ] {
        assert_eq!(adapter_mentions(text), mentions, "{text:?}");
    }
}

#[test]
fn a_bridge_answers_without_a_mention_or_with_a_similar_one() {
    for (text, is_answered) in [
        ("hello", true),
        ("@OpenClaw hi", true),
        ("@open hi", true),
        ("@openclaw-2 hi", true),
        ("@Coder hi", false),
        ("@Coder @claw", true),
    ] {
        assert_eq!(adapter_answers(text, "OpenClaw"), is_answered, "{text:?}");
    }
}

fn is_word(sign: Option<&char>) -> bool {
    sign.is_some_and(|sign| sign.is_ascii_alphanumeric() || *sign == '_')
}

/// A simple implementation of the routing rule for ASCII names.
fn reference_mentions(text: &str, name: &str) -> bool {
    let (text, name): (Vec<char>, Vec<char>) = (text.chars().collect(), name.chars().collect());
    (0..text.len()).any(|at| {
        let end = at + 1 + name.len();
        text[at] == '@'
            && end <= text.len()
            && text[at + 1..end].iter().zip(&name).all(|(one, other)| one.eq_ignore_ascii_case(other))
            && !is_word(text.get(end))
    })
}

/// A simple implementation of the list rule: tries every end, the longest first.
fn reference_list(text: &str) -> Vec<String> {
    let signs: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < signs.len() {
        let is_phrase = |end: &usize| {
            let phrase = &signs[at + 1..*end];
            let is_made_of = phrase.iter().all(|sign| is_word(Some(sign)) || sign.is_whitespace());
            is_made_of && is_word(phrase.first()) && is_word(phrase.last()) && !is_word(signs.get(*end))
        };
        let end = (signs[at] == '@').then(|| (at + 2..=signs.len()).rev().find(is_phrase)).flatten();
        found.extend(end.map(|end| signs[at + 1..end].iter().collect::<String>().to_lowercase()));
        at = end.unwrap_or(at + 1);
    }
    found
}

proptest! {
    #[test]
    fn mentions_equal_the_matches_of_the_pattern(text in "[@aAbB_2 \\-é]{0,24}", name in "[abAB](b| |-){0,2}[a2]?") {
        prop_assert_eq!(mentions_agent(&text, &name), reference_mentions(&text, &name));
    }

    #[test]
    fn list_mentions_equal_the_matches_of_the_pattern(text in "[@aB_2 \n\\-é]{0,24}") {
        prop_assert_eq!(list_mentions(&text), reference_list(&text));
    }

    #[test]
    fn no_text_causes_a_panic(text in any::<String>(), name in any::<String>()) {
        let _ = (mentions_agent(&text, &name), list_mentions(&text), adapter_answers(&text, &name));
        if !name.is_empty() {
            let mentioned = format!("{text}@{name}");
            prop_assert!(mentions_agent(&mentioned, &name));
        }
    }
}

#[test]
fn a_long_text_of_at_signs_mentions_nobody() {
    for sign in ["@", "@a ", " ", "@a\u{a0}", "@Coder2"] {
        let text = sign.repeat(200_000 / sign.len());
        assert!(!mentions_agent(&text, "Coder"));
        let _ = (list_mentions(&text), adapter_mentions(&text));
    }
}
