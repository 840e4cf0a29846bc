//! One pass over a text says which rules are worth trying; those are tried, and what they find is gathered.

use std::{
    ops::Range,
    sync::{LazyLock, OnceLock},
};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;

use super::{
    broken, decoded, drawn, kinds,
    rule::{Need, Rule, taken},
    rules::TABLES,
    told,
    words::TELLING,
};

/// Where told secrets stand among the rules: behind every shape, before what is personal.
const TOLD: usize = 10_000;
/// Where tokens stand that no rule knows.
const DRAWN: usize = 15_000;
/// Where what is personal stands.
const PERSONAL: usize = 20_000;

/// Something to take out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) range: Range<usize>,
    pub(super) kind: &'static str,
    /// Of two at the same place, the smaller one gives the kind.
    pub(super) rank: usize,
}

/// What is looked for, besides the rules themselves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a> {
    pub(super) personal: bool,
    pub(super) muted: &'a [&'static str],
}

impl Scope<'_> {
    fn has(&self, kind: &str) -> bool {
        (self.personal || !kinds::is_personal(kind)) && !self.muted.contains(&kind)
    }
}

/// All rules of the hub with the words that they need. It is made once and shared: a rule's pattern is read when a text
/// first needs it.
pub(super) struct Rules {
    words: AhoCorasick,
    /// For each word, the rules that need it.
    users: Vec<Vec<usize>>,
    /// For each word, whether it may tell a secret.
    tells: Vec<bool>,
    rules: Vec<&'static Rule>,
    patterns: Vec<OnceLock<Option<Regex>>>,
}

/// What one pass over the text has seen.
struct Sight {
    is_due: Vec<bool>,
    /// The places of words that may tell a secret.
    told: Vec<Range<usize>>,
    /// The places of words of providers.
    shaped: Vec<(usize, Range<usize>)>,
    /// The longest run without a blank.
    run: usize,
}

pub(super) fn rules() -> Option<&'static Rules> {
    static RULES: LazyLock<Option<Rules>> = LazyLock::new(Rules::new);
    RULES.as_ref()
}

impl Rules {
    fn new() -> Option<Self> {
        let rules: Vec<&'static Rule> = TABLES.iter().flat_map(|table| table.iter()).collect();
        let mut words: Vec<&'static str> = TELLING.iter().map(|(word, ..)| *word).collect();
        for rule in &rules {
            if let Need::Words(needed) = rule.need {
                words.extend(needed);
            }
        }
        words.sort_unstable();
        words.dedup();
        let needs = |rule: &Rule, word: &str| matches!(rule.need, Need::Words(needed) if needed.contains(&word));
        let users =
            words.iter().map(|word| (0..rules.len()).filter(|place| needs(rules[*place], word)).collect()).collect();
        let tells = words.iter().map(|word| TELLING.iter().any(|(telling, ..)| telling == word)).collect();
        let found =
            AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(&words).ok()?;
        let patterns = rules.iter().map(|_| OnceLock::new()).collect();
        Some(Self { words: found, users, tells, rules, patterns })
    }

    /// The pattern of a rule, read when it is first asked for.
    pub(super) fn pattern(&self, place: usize) -> Option<&Regex> {
        self.patterns[place].get_or_init(|| compiled(self.rules[place].pattern)).as_ref()
    }

    pub(super) fn all(&self) -> &[&'static Rule] {
        &self.rules
    }

    /// The words alone: what a text costs at least.
    pub(super) fn count_words(&self, text: &str) -> usize {
        self.words.find_overlapping_iter(text).count()
    }

    /// Everything that is to be taken out of a text, in no order.
    pub(super) fn scan(&self, text: &str, scope: Scope<'_>, may_decode: bool) -> Vec<Candidate> {
        let sight = self.look(text, scope);
        let mut found = Vec::new();
        for (place, rule) in self.rules.iter().enumerate().filter(|(place, _)| sight.is_due[*place]) {
            self.find(text, place, rule, &mut found);
        }
        self.find_told(text, &sight, scope, &mut found);
        if sight.run >= drawn::NAMED_LEAST {
            found.extend(drawn::find(text, DRAWN).into_iter().filter(|one| scope.has(one.kind)));
        }
        if !sight.shaped.is_empty() {
            broken::extend(self, text, &sight.shaped, &mut found);
        }
        if may_decode {
            found.extend(decoded::find(self, text, scope));
        }
        found
    }

    fn look(&self, text: &str, scope: Scope<'_>) -> Sight {
        let (digits, run) = digits_and_run(text);
        let mut is_due = vec![false; self.rules.len()];
        let mut sight = Sight { is_due: Vec::new(), told: Vec::new(), shaped: Vec::new(), run };
        for hit in self.words.find_overlapping_iter(text) {
            let word = hit.pattern().as_usize();
            for place in &self.users[word] {
                is_due[*place] = true;
                if self.rules[*place].may_break {
                    sight.shaped.push((*place, hit.range()));
                }
            }
            if self.tells[word] {
                sight.told.push(hit.range());
            }
        }
        for (place, rule) in self.rules.iter().enumerate() {
            let has_digits = matches!(rule.need, Need::Digits(least) if digits >= least);
            is_due[place] = (is_due[place] || has_digits) && run >= rule.run_least && scope.has(rule.kind);
        }
        sight.shaped.retain(|(place, _)| is_due[*place] || scope.has(self.rules[*place].kind));
        sight.is_due = is_due;
        sight
    }

    fn find(&self, text: &str, place: usize, rule: &Rule, found: &mut Vec<Candidate>) {
        let Some(pattern) = self.pattern(place) else { return };
        let rank = if kinds::is_personal(rule.kind) { PERSONAL + place } else { place };
        let mut from = 0;
        while let Some(groups) = pattern.captures_at(text, from) {
            let whole = groups.get(0).map_or(0..0, |whole| whole.range());
            let range = taken(&groups);
            let is_whole =
                rule.check.is_none_or(|check| check(text, &groups)) && !is_masked(rule, &text[range.clone()]);
            // What borders on a match may begin the next one: it goes on behind what was taken, not behind the border.
            // What was no password may be the user of the next pair.
            let next = groups.name("u").map_or(whole.end, |user| user.end());
            from = if is_whole { range.end.max(whole.start + 1) } else { next };
            if from <= whole.start {
                from = whole.start + 1;
            }
            while !text.is_char_boundary(from) {
                from += 1;
            }
            if is_whole && !range.is_empty() {
                found.push(Candidate { range, kind: rule.kind, rank });
            }
            if from > text.len() {
                break;
            }
        }
    }

    fn find_told(&self, text: &str, sight: &Sight, scope: Scope<'_>, found: &mut Vec<Candidate>) {
        let mut read_to = 0;
        for word in &sight.told {
            if word.start < read_to {
                continue;
            }
            let Some((end, secrets)) = told::told(text, word.clone()) else { continue };
            read_to = end;
            let secrets = secrets.into_iter().filter(|(_, kind)| scope.has(kind));
            found.extend(secrets.map(|(range, kind)| Candidate { range, kind, rank: TOLD }));
        }
    }
}

/// A pattern of a table: `\b` and `\d` mean ASCII, which is what providers use and much faster.
pub(super) fn compiled(pattern: &str) -> Option<Regex> {
    Regex::new(&pattern.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]")).ok()
}

/// A token that was made unreadable already, as in documentation.
fn is_masked(rule: &Rule, value: &str) -> bool {
    rule.may_break && super::stand_in::is_filler(value)
}

/// How many digits a text has, and its longest run of what tokens are made of.
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
