//! Every rule finds its examples, and nothing in its counter-examples.
#![allow(
    unreachable_pub,
    dead_code,
    clippy::panic,
    reason = "the integration tests include the notation of samples too, and a malformed sample is a defect"
)]

#[path = "../../tests/corpus/samples.rs"]
mod samples;

use std::collections::HashSet;

use samples::Sample;

use super::*;
use crate::scanner::Scanner;

#[test]
fn every_rule_has_its_own_name() {
    let names: HashSet<_> = all().iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), all().len());
}

#[test]
fn every_rule_finds_its_examples_and_nothing_in_its_counter_examples() {
    let mut failures = Vec::new();
    for (index, rule) in all().iter().enumerate() {
        let has = |wanted| rule.examples.iter().any(|(field, _)| *field == wanted);
        assert!(has("match") && has("other"), "rule {} has no example or no counter-example", rule.name);
        for (field, notation) in &rule.examples {
            let sample = Sample::read(&notation.replace('⏎', "\n"));
            let found = find(index, rule, &sample.text);
            let is_found = |secret: &Range<usize>| found.iter().any(|r| r.start < secret.end && secret.start < r.end);
            let is_right = match *field {
                "match" => !sample.secrets.is_empty() && sample.secrets.iter().any(is_found),
                _ => found.is_empty(),
            };
            if !is_right {
                failures.push(format!("{}: {field}: {}", rule.name, sample.text));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The ranges that a rule finds in a text, if one of its triggers is in it.
fn find(index: usize, rule: &Rule, text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let is_due = match &rule.trigger {
        RuleTrigger::Words(words) => words.iter().any(|word| lower.contains(&word.to_ascii_lowercase())),
        RuleTrigger::Digits(least) => lower.bytes().filter(u8::is_ascii_digit).count() >= *least,
    };
    let mut found = Vec::new();
    if is_due {
        Scanner::get().find_rule(text, index, &mut found);
    }
    found.into_iter().map(|candidate| candidate.range).collect()
}

#[test]
#[should_panic(expected = "there is no check is_missing")]
fn a_rule_with_an_unknown_check_panics() {
    read_file("[name] Description\ntriggers: `a`\npattern: a\ncheck: is_missing\n");
}

#[test]
#[should_panic(expected = "rule name")]
fn a_rule_that_does_not_compile_panics() {
    read_file("[name] Description\ntriggers: `a`\npattern: (\n")[0].compile();
}
