//! Findings become marks: overlapping findings are merged, and equal values get the same number.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    ops::Range,
};

use aho_corasick::{AhoCorasick, MatchKind};

use super::{Mark, Redacted, pattern::patterns, rules::is_personal, scanner::SecretCandidate, shape::CharCounts};

/// Digits of the number in a mark.
pub(crate) const NUMBER_DIGITS_MAX: usize = 6;
/// Values that are searched for again; a text with more of them is a list.
const REPEATED_VALUES_MAX: usize = 64;
/// Bytes of such a value.
const REPEATED_VALUE_BYTES: Range<usize> = 6..257;
/// Letters that two variants of a password have at least.
const VARIANT_LETTERS_LEAST: usize = 5;

patterns! {
    /// A mark; its number has at most [`NUMBER_DIGITS_MAX`] digits.
    MARK = r"\[([a-z0-9-]{1,40}) ([0-9]{1,6})\]";
}

/// The ranges of a text to redact.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

#[derive(Clone, Debug)]
struct Finding {
    range: Range<usize>,
    kind: Cow<'static, str>,
    /// Of overlapping findings, the one with the smallest priority gives the kind. Custom rules have priority 0.
    priority: usize,
}

impl Findings {
    /// The candidates of the built-in rules.
    pub(crate) fn new(found: Vec<SecretCandidate>) -> Self {
        let finding = |one: SecretCandidate| Finding {
            range: one.range,
            kind: Cow::Borrowed(one.kind),
            priority: one.priority + 1,
        };
        Self(found.into_iter().map(finding).collect())
    }

    /// Adds a match of a custom rule.
    pub(crate) fn add_custom(&mut self, range: Range<usize>, kind: &str) {
        self.0.push(Finding { range, kind: Cow::Owned(kind.to_owned()), priority: 0 });
    }

    /// Adds findings of another form of the text; `original` maps their ranges to this one.
    pub(crate) fn add_mapped(&mut self, others: Self, original: impl Fn(&Range<usize>) -> Range<usize>) {
        let mapped = others.0.into_iter().map(|finding| Finding { range: original(&finding.range), ..finding });
        self.0.extend(mapped.filter(|finding| !finding.range.is_empty()));
    }

    /// Adds the other occurrences of every secret that was found, and words that differ from a password only in digits and
    /// symbols: `Hazelnut99 or Hazelnut_99`.
    pub(crate) fn add_repetitions(&mut self, text: &str) {
        let mut seen = HashSet::new();
        let firsts: Vec<&Finding> = self
            .0
            .iter()
            .filter(|finding| !is_personal(&finding.kind))
            .filter(|finding| {
                let value = &text[finding.range.clone()];
                is_distinctive(value) && seen.insert(value)
            })
            .take(REPEATED_VALUES_MAX)
            .collect();
        if firsts.is_empty() {
            return;
        }
        let mut found = repeated(text, &firsts);
        found.extend(variants(text, &firsts));
        self.0.extend(found);
    }

    /// The text with marks, or nothing if there is nothing to redact. Existing marks stay, and their numbers are not used
    /// again.
    pub(crate) fn apply(
        self,
        before: &Redacted,
        numbers: &mut MarkNumbers,
        is_known: impl Fn(&str) -> bool,
    ) -> Option<Redacted> {
        if self.0.is_empty() {
            return None;
        }
        let text = &before.text;
        let existing = ExistingMarks::of(text, is_known);
        let findings = merge_overlapping(self.0.into_iter().filter_map(|finding| existing.outside(finding)).collect());
        if findings.is_empty() {
            return None;
        }
        numbers.skip(existing.last_numbers);
        let mut after = Redacted { text: String::with_capacity(text.len()), marks: Vec::with_capacity(findings.len()) };
        let mut kept = before.marks.iter().peekable();
        let mut from = 0;
        for finding in findings {
            let Some(value) = text.get(finding.range.clone()) else { continue };
            while let Some(mark) = kept.next_if(|mark| mark.range.start < finding.range.end) {
                if mark.range.end <= finding.range.start {
                    after.marks.push(mark.moved(from, after.text.len()));
                }
            }
            after.text.push_str(&text[from..finding.range.start]);
            let start = after.text.len();
            after.text.push_str(&format!("[{} {}]", finding.kind, numbers.of(&finding.kind, value)));
            after.marks.push(Mark { kind: finding.kind, range: start..after.text.len() });
            from = finding.range.end;
        }
        after.marks.extend(kept.map(|mark| mark.moved(from, after.text.len())));
        after.text.push_str(&text[from..]);
        Some(after)
    }
}

/// Whether a value is long and mixed enough to be searched for: no word and no number.
fn is_distinctive(value: &str) -> bool {
    let counts = CharCounts::of(value);
    REPEATED_VALUE_BYTES.contains(&value.len())
        && counts.letters() > 2
        && counts.digits + counts.symbols > 0
        && !value.contains('\n')
}

fn repeated(text: &str, firsts: &[&Finding]) -> Vec<Finding> {
    let values = firsts.iter().map(|first| &text[first.range.clone()]);
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values);
    let automaton = automaton.expect("an automaton of 64 values of 256 bytes fits");
    let is_inner = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    automaton
        .find_iter(text)
        .filter(|hit| !is_inner(text[..hit.start()].chars().next_back()) && !is_inner(text[hit.end()..].chars().next()))
        .map(|hit| Finding { range: hit.range(), ..firsts[hit.pattern().as_usize()].clone() })
        .collect()
}

/// Words with the letters of a password and other digits or symbols.
fn variants(text: &str, firsts: &[&Finding]) -> Vec<Finding> {
    let letters =
        |word: &str| word.chars().filter(|char| char.is_alphabetic()).flat_map(char::to_lowercase).collect::<String>();
    let passwords: Vec<(String, &Finding)> = firsts
        .iter()
        .filter(|first| first.kind == "password")
        .map(|first| (letters(&text[first.range.clone()]), *first))
        .filter(|(letters, _)| letters.len() >= VARIANT_LETTERS_LEAST)
        .collect();
    if passwords.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let start = piece.len() - piece.trim_start_matches(['"', '\'', '`', '(', '*', '“', '„']).len();
        let word = piece[start..].trim_end_matches(|char: char| char.is_whitespace() || "\"'`),.;:?*”“".contains(char));
        if is_distinctive(word) {
            let own = letters(word);
            let same = passwords.iter().find(|(letters, _)| *letters == own);
            let range = at + start..at + start + word.len();
            found.extend(same.map(|(_, first)| Finding { range, ..(*first).clone() }));
        }
        at += piece.len();
    }
    found
}

impl Mark {
    /// The same mark after the text at `from` moved to `to`.
    fn moved(&self, from: usize, to: usize) -> Self {
        Self { kind: self.kind.clone(), range: self.range.start - from + to..self.range.end - from + to }
    }
}

/// The findings in the order of the text; overlapping ones become one.
fn merge_overlapping(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| (finding.range.start, finding.range.end, finding.priority));
    let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        match merged.last_mut() {
            Some(last) if finding.range.start < last.range.end => {
                last.range.end = last.range.end.max(finding.range.end);
                if finding.priority < last.priority {
                    (last.kind, last.priority) = (finding.kind, finding.priority);
                }
            }
            _ => merged.push(finding),
        }
    }
    merged
}

/// The marks that the text has already.
struct ExistingMarks {
    ranges: Vec<Range<usize>>,
    last_numbers: BTreeMap<String, usize>,
}

impl ExistingMarks {
    fn of(text: &str, is_known: impl Fn(&str) -> bool) -> Self {
        let mut existing = Self { ranges: Vec::new(), last_numbers: BTreeMap::new() };
        for groups in MARK.captures_iter(text) {
            let (_, [kind, number]) = groups.extract();
            if is_known(kind) {
                existing.ranges.extend(groups.get(0).map(|whole| whole.range()));
                let last = existing.last_numbers.entry(kind.to_owned()).or_default();
                *last = number.parse().unwrap_or(0).max(*last);
            }
        }
        existing
    }

    /// The part of a finding that is outside of marks.
    fn outside(&self, mut finding: Finding) -> Option<Finding> {
        let first = self.ranges.partition_point(|mark| mark.end <= finding.range.start);
        let end = finding.range.end;
        for mark in self.ranges[first..].iter().take_while(|mark| mark.start < end) {
            if mark.start <= finding.range.start {
                finding.range.start = mark.end;
            } else if mark.end >= finding.range.end {
                finding.range.end = mark.start;
            }
        }
        (finding.range.start < finding.range.end).then_some(finding)
    }
}

/// The numbers of the values of a text, for each kind in the order in which values occur. A value keeps its number over all
/// rounds.
#[derive(Debug, Default)]
pub(crate) struct MarkNumbers {
    last: BTreeMap<String, usize>,
    given: BTreeMap<(String, String), usize>,
}

impl MarkNumbers {
    fn skip(&mut self, existing: BTreeMap<String, usize>) {
        for (kind, number) in existing {
            let last = self.last.entry(kind).or_default();
            *last = number.max(*last);
        }
    }

    fn of(&mut self, kind: &str, value: &str) -> usize {
        let last = &mut self.last;
        *self.given.entry((kind.to_owned(), value.to_owned())).or_insert_with(|| {
            let number = last.entry(kind.to_owned()).or_default();
            *number += 1;
            *number
        })
    }
}
