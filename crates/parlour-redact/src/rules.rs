//! The table of built-in rules, read from `rules/`.
//!
//! A rule is a section: its name and description in the header, then one field on each line.
//!
//! ```text
//! [npm-token] npm token
//! kind: …          the word in the mark; the name of the rule if it is missing
//! triggers: `npm_` the rule is tried only if one of these words is in the text, in any case
//! digits: 13       instead of triggers: the rule is tried only if the text has that many digits
//! pattern: …       a regular expression in which `\b` and `\d` mean ASCII; the group `v` is redacted, otherwise the
//!                  first group that takes part in the match, otherwise the whole match
//! check: …         a function that looks closer at each match
//! min run: 49      the rule is tried only if the text has so many token characters in a row
//! may be split: yes  a line break or string concatenation inside the token does not hide it
//! match: …         an example that the rule must find; `⏎` is a line break, `«…»` encloses what must be redacted
//! other: …         an example in which the rule must find nothing
//! ```
//!
//! Lines that start with `#` are comments. If two rules find the same range, the first one gives the kind.

use std::{ops::Range, sync::LazyLock};

use regex::{Captures, Regex};

use super::{checks, credential_pair, labelled, personal, verbal};

const FILES: &[&str] = &[
    include_str!("../rules/private_key.txt"),
    include_str!("../rules/provider.txt"),
    include_str!("../rules/http.txt"),
    include_str!("../rules/commands.txt"),
    include_str!("../rules/code.txt"),
    include_str!("../rules/config_files.txt"),
    include_str!("../rules/verbal.txt"),
    include_str!("../rules/personal.txt"),
];

/// Kinds of personal data; all others are secrets.
const PERSONAL_KINDS: &[&str] = &[
    "address",
    "birth-date",
    "card",
    "card-code",
    "iban",
    "ip",
    "location",
    "mac",
    "mail",
    "national-id",
    "passport",
    "phone",
];

/// Looks closer at a match of a pattern: the whole text, and the groups of the match.
pub(crate) type Check = fn(&str, &Captures<'_>) -> bool;

/// Declares the checks by the names that the rules use.
macro_rules! checks {
    ($($module:ident: $($name:ident)+;)+) => {
        const CHECKS: &[(&str, Check)] = &[$($((stringify!($name), $module::$name)),+),+];
    };
}

checks! {
    checks: are_codes has_key_word is_command_password is_community is_discord is_encoded_key is_encoded_value
        is_high_entropy is_jwt is_mixed is_mixed_word is_network_key is_network_word is_not_measurement is_not_placeholder
        is_not_placeholder_or_call is_not_sample is_pair_password is_piped_password is_printed is_query_secret is_random
        is_relay_password is_returned_signing_key is_secret_part is_session is_session_cookie is_set_value is_signing_key
        is_url_password is_user_and_password is_user_of_relay is_user_password mentions_secret;
    credential_pair: is_credential_pair;
    verbal: ends_or_continues_sentence is_answered_key is_archive_password is_device_user is_door_number is_key_value
        is_not_numbering is_not_public_code is_plain_word is_set_word is_unlock_number opens_lock;
    personal: has_digits is_ahv is_card is_cpf is_iban is_ip is_ipv6 is_mac is_mail is_named_phone is_national_phone
        is_phone is_ssn;
}

/// When a rule is worth trying. Most texts fail this for most rules, and it costs next to nothing.
#[derive(Clone, Debug)]
pub(crate) enum RuleTrigger {
    Words(Vec<&'static str>),
    Digits(usize),
}

/// One rule of the table.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) trigger: RuleTrigger,
    pattern: &'static str,
    pub(crate) check: Option<Check>,
    pub(crate) min_run: usize,
    pub(crate) may_be_split: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test of the table reads examples"))]
    examples: Vec<(&'static str, &'static str)>,
}

/// All rules, in the order of their files. Panics if a rule is malformed.
pub(crate) fn all() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| FILES.iter().flat_map(|file| read_file(file)).collect());
    &RULES
}

/// All kinds that built-in rules put into marks, in alphabetical order.
pub fn kinds() -> &'static [&'static str] {
    static KINDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let mut kinds: Vec<_> = all().iter().map(|rule| rule.kind).chain(labelled::KINDS.iter().copied()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    });
    &KINDS
}

/// Whether a kind is personal data, which a project may leave in as a whole.
pub fn is_personal(kind: &str) -> bool {
    PERSONAL_KINDS.contains(&kind)
}

/// The part of a match that is redacted.
pub(crate) fn redacted_range(found: &Captures<'_>) -> Range<usize> {
    let first = || (1..found.len()).find_map(|group| found.get(group));
    found.name("v").or_else(first).or_else(|| found.get(0)).map_or(0..0, |group| group.range())
}

impl Rule {
    /// Compiles the pattern, and panics if it is invalid. `\b` and `\d` mean ASCII, which is what providers use and much
    /// faster.
    pub(crate) fn compile(&self) -> Regex {
        let pattern = self.pattern.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]");
        Regex::new(&pattern).unwrap_or_else(|error| unreachable!("rule {}: {error}", self.name))
    }

    fn read(name: &'static str, fields: &[(&'static str, &'static str)]) -> Self {
        let field = |key: &str| fields.iter().find(|(field, _)| *field == key).map(|(_, value)| *value);
        let number = |value: &str| value.parse().unwrap_or_else(|_| unreachable!("rule {name}: {value} is no number"));
        let check = |function: &str| {
            let found = CHECKS.iter().find(|(check, _)| *check == function);
            found.unwrap_or_else(|| unreachable!("rule {name}: there is no check {function}")).1
        };
        let words = |list: &'static str| list.split('`').skip(1).step_by(2).collect::<Vec<_>>();
        let trigger = match (field("triggers").map(words), field("digits").map(number)) {
            (Some(words), None) if !words.is_empty() => RuleTrigger::Words(words),
            (None, Some(digits)) => RuleTrigger::Digits(digits),
            _ => unreachable!("rule {name}: it needs triggers or digits"),
        };
        Self {
            name,
            kind: field("kind").unwrap_or(name),
            trigger,
            pattern: field("pattern").unwrap_or_else(|| unreachable!("rule {name}: it has no pattern")),
            check: field("check").map(check),
            min_run: field("min run").map_or(0, number),
            may_be_split: field("may be split").is_some(),
            examples: fields.iter().filter(|(field, _)| matches!(*field, "match" | "other")).copied().collect(),
        }
    }
}

/// The rules of a file.
fn read_file(file: &'static str) -> Vec<Rule> {
    const FIELDS: &[&str] =
        &["kind", "triggers", "digits", "pattern", "check", "min run", "may be split", "match", "other"];
    let mut sections: Vec<(&'static str, Vec<(&'static str, &'static str)>)> = Vec::new();
    for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((name, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            sections.push((name, Vec::new()));
            continue;
        }
        let (field, value) = line.split_once(": ").unwrap_or_else(|| unreachable!("no field of a rule: {line}"));
        assert!(FIELDS.contains(&field), "unknown field of a rule: {line}");
        sections.last_mut().expect("a header precedes the first field").1.push((field, value));
    }
    assert!(!sections.is_empty(), "a file of rules is empty");
    sections.iter().map(|(name, fields)| Rule::read(name, fields)).collect()
}

#[cfg(test)]
mod tests;
