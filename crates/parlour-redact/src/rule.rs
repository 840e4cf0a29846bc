//! What a rule is: data, read by the scanner.

use std::ops::Range;

use regex::Captures;

/// When a rule is worth trying at all. Most texts fail this for most rules, and it costs next to nothing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    /// One of these words is in the text, in any case.
    Words(&'static [&'static str]),
    /// The text has at least so many digits.
    Digits(usize),
}

/// Looks closer at what a pattern has found: the whole text, and the groups of the match.
pub(super) type Check = fn(&str, &Captures<'_>) -> bool;

/// One shape of a secret or of personal data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// What stands in the mark; one of `KINDS`.
    pub(super) kind: &'static str,
    pub(super) need: Need,
    /// The group `v` is taken out, otherwise the first group that takes part, or all of it where there is none.
    /// `\b` and `\d` mean ASCII here.
    pub(super) pattern: &'static str,
    pub(super) check: Option<Check>,
    /// How long the longest run without a blank must be at least.
    pub(super) run_least: usize,
    /// Whether a line break in its middle does not hide it.
    pub(super) may_break: bool,
}

/// A rule that is tried where one of the words is in the text.
pub(super) const fn rule(kind: &'static str, words: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule { kind, need: Need::Words(words), pattern, check: None, run_least: 0, may_break: false }
}

/// A rule for what a provider gives out, which a line break in its middle does not hide.
pub(super) const fn token(kind: &'static str, words: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule { kind, need: Need::Words(words), pattern, check: None, run_least: 0, may_break: true }
}

/// A rule that is tried where there are enough digits.
pub(super) const fn digits(kind: &'static str, least: usize, pattern: &'static str) -> Rule {
    Rule { kind, need: Need::Digits(least), pattern, check: None, run_least: 0, may_break: false }
}

impl Rule {
    /// The same rule for texts with a run of so many characters only: for words that are in most texts.
    pub(super) const fn long(mut self, run_least: usize) -> Self {
        self.run_least = run_least;
        self
    }

    /// The same rule with a closer look.
    pub(super) const fn checked(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }
}

/// What of a match is taken out.
pub(super) fn taken(found: &Captures<'_>) -> Range<usize> {
    let first = || (1..found.len()).find_map(|group| found.get(group));
    found.name("v").or_else(first).or_else(|| found.get(0)).map_or(0..0, |group| group.range())
}
