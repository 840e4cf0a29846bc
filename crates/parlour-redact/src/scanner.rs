//! Runs the detectors over a text. One pass finds the trigger words; only rules whose triggers were found are tried.

use std::{
    ops::Range,
    sync::{LazyLock, OnceLock},
};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;

use super::{
    encoded, high_entropy, labelled, placeholder,
    rules::{self, Rule, RuleTrigger, is_personal, redacted_range},
    split_token,
    words::SECRET_LABELS,
};

/// Priorities of detectors that are not rules: after every secret of the table, before personal data.
const LABELLED_PRIORITY: usize = 10_000;
const HIGH_ENTROPY_PRIORITY: usize = 15_000;
const PERSONAL_PRIORITY: usize = 20_000;

/// A range that a detector found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecretCandidate {
    pub(crate) range: Range<usize>,
    pub(crate) kind: &'static str,
    /// Of overlapping candidates, the one with the smallest priority gives the kind.
    pub(crate) priority: usize,
}

/// Which kinds are redacted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) personal: bool,
    pub(crate) muted: &'a [&'static str],
}

impl Scope<'_> {
    fn has(&self, kind: &str) -> bool {
        (self.personal || !is_personal(kind)) && !self.muted.contains(&kind)
    }
}

/// The built-in rules with their trigger words, shared by all redactors. A pattern is compiled when a text first triggers it.
pub(crate) struct Scanner {
    triggers: AhoCorasick,
    /// For each trigger word, the rules that it triggers.
    triggered: Vec<Vec<usize>>,
    /// For each trigger word, whether it is a secret label.
    is_label: Vec<bool>,
    rules: &'static [Rule],
    patterns: Vec<OnceLock<Regex>>,
}

/// The result of the pass for trigger words.
struct TriggerHits {
    /// For each rule, whether it is tried.
    is_due: Vec<bool>,
    labels: Vec<Range<usize>>,
    /// Trigger words of rules whose tokens may be split.
    splittable: Vec<(usize, Range<usize>)>,
    /// The length of the longest run of token characters.
    run: usize,
}

impl Scanner {
    pub(crate) fn get() -> &'static Self {
        static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);
        &SCANNER
    }

    fn new() -> Self {
        let rules = rules::all();
        let mut words: Vec<&'static str> = SECRET_LABELS.keys().copied().collect();
        for rule in rules {
            if let RuleTrigger::Words(triggers) = &rule.trigger {
                words.extend(triggers);
            }
        }
        words.sort_unstable();
        words.dedup();
        let has = |rule: &Rule, word| matches!(&rule.trigger, RuleTrigger::Words(triggers) if triggers.contains(word));
        let triggered = words.iter().map(|word| (0..rules.len()).filter(|rule| has(&rules[*rule], word)).collect());
        let triggers =
            AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(&words);
        Self {
            triggers: triggers.expect("an automaton of some thousand short words fits"),
            triggered: triggered.collect(),
            is_label: words.iter().map(|word| SECRET_LABELS.contains_key(word)).collect(),
            rules,
            patterns: rules.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    pub(crate) fn pattern(&self, rule: usize) -> &Regex {
        self.patterns[rule].get_or_init(|| self.rules[rule].compile())
    }

    pub(crate) fn rule(&self, rule: usize) -> &'static Rule {
        &self.rules[rule]
    }

    pub(crate) fn count_triggers(&self, text: &str) -> usize {
        self.triggers.find_overlapping_iter(text).count()
    }

    /// All candidates in a text, in no order.
    pub(crate) fn scan(&self, text: &str, scope: Scope<'_>) -> Vec<SecretCandidate> {
        let mut found = self.scan_decoded(text, scope);
        found.extend(encoded::find(self, text, scope));
        found
    }

    /// All candidates in a text except those that have to be decoded.
    pub(crate) fn scan_decoded(&self, text: &str, scope: Scope<'_>) -> Vec<SecretCandidate> {
        let hits = self.find_triggers(text, scope);
        let mut found = Vec::new();
        for rule in (0..self.rules.len()).filter(|rule| hits.is_due[*rule]) {
            self.find_rule(text, rule, &mut found);
        }
        find_labelled(text, &hits, scope, &mut found);
        if hits.run >= high_entropy::RUN_LEAST {
            let random = high_entropy::find(text, HIGH_ENTROPY_PRIORITY);
            found.extend(random.into_iter().filter(|one| scope.has(one.kind)));
        }
        if !hits.splittable.is_empty() {
            split_token::extend(self, text, &hits.splittable, &mut found);
        }
        found
    }

    fn find_triggers(&self, text: &str, scope: Scope<'_>) -> TriggerHits {
        let (digits, run) = digits_and_run(text);
        let mut is_due = vec![false; self.rules.len()];
        let (mut labels, mut splittable) = (Vec::new(), Vec::new());
        for hit in self.triggers.find_overlapping_iter(text) {
            let word = hit.pattern().as_usize();
            for rule in &self.triggered[word] {
                is_due[*rule] = true;
                if self.rules[*rule].may_be_split {
                    splittable.push((*rule, hit.range()));
                }
            }
            if self.is_label[word] {
                labels.push(hit.range());
            }
        }
        for (is_due, rule) in is_due.iter_mut().zip(self.rules) {
            let has_digits = matches!(rule.trigger, RuleTrigger::Digits(least) if digits >= least);
            *is_due = (*is_due || has_digits) && run >= rule.min_run && scope.has(rule.kind);
        }
        splittable.retain(|(rule, _)| is_due[*rule] || scope.has(self.rules[*rule].kind));
        TriggerHits { is_due, labels, splittable, run }
    }

    /// Adds all matches of a rule.
    pub(crate) fn find_rule(&self, text: &str, rule: usize, found: &mut Vec<SecretCandidate>) {
        let (pattern, index, rule) = (self.pattern(rule), rule, &self.rules[rule]);
        let priority = if is_personal(rule.kind) { PERSONAL_PRIORITY + index } else { index };
        let mut from = 0;
        while let Some(groups) = pattern.captures_at(text, from) {
            let whole = groups.get(0).map_or(0..0, |whole| whole.range());
            let range = redacted_range(&groups);
            let is_found = rule.check.is_none_or(|check| check(text, &groups))
                && !(rule.may_be_split && placeholder::is_filler(&text[range.clone()]));
            // The character after a match may begin the next match, so the search continues after the redacted range. What
            // was no password may be the user of the next pair.
            let next = groups.name("u").map_or(whole.end, |user| user.end());
            from = if is_found { range.end.max(whole.start + 1) } else { next };
            if from <= whole.start {
                from = whole.start + 1;
            }
            while !text.is_char_boundary(from) {
                from += 1;
            }
            if is_found && !range.is_empty() {
                found.push(SecretCandidate { range, kind: rule.kind, priority });
            }
            if from > text.len() {
                break;
            }
        }
    }
}

fn find_labelled(text: &str, hits: &TriggerHits, scope: Scope<'_>, found: &mut Vec<SecretCandidate>) {
    let mut read_to = 0;
    for label in &hits.labels {
        if label.start < read_to {
            continue;
        }
        let Some((end, secrets)) = labelled::find(text, label.clone()) else { continue };
        read_to = end;
        let secrets = secrets.into_iter().filter(|(_, kind)| scope.has(kind));
        found.extend(secrets.map(|(range, kind)| SecretCandidate { range, kind, priority: LABELLED_PRIORITY }));
    }
}

/// The number of digits in a text, and the length of its longest run of token characters.
fn digits_and_run(text: &str) -> (usize, usize) {
    let (mut digits, mut run, mut longest) = (0, 0, 0);
    for byte in text.bytes() {
        digits += usize::from(byte.is_ascii_digit());
        let is_part = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b':');
        run = if is_part { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    (digits, longest)
}
