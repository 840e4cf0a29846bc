//! Finds secrets and personal data in text and replaces them with marks such as `[aws-key 1]`: the kind, and the same number
//! for the same value.
//!
//! ```
//! let redacted = parlour_redact::Redactor::default().redact("the password is Tr0ub4dor&3");
//! assert_eq!(redacted.text, "the password is [password 1]");
//! ```
//!
//! The detectors, by technique:
//!
//! - `rules`: a table of patterns with trigger words, for provider tokens, HTTP, commands, code, configuration files,
//!   sentences (`verbal`) and personal data (`personal`). `checks` holds the functions that look closer at a match.
//! - `labelled`: a value after a label such as `password` or `api key`.
//! - `credential_pair`: a user and a password side by side.
//! - `high_entropy`: random strings that no label announces.
//! - `encoded`: Base64, Base32, hexadecimal, percent-encoded or escaped secrets.
//! - `split_token`: provider tokens that a line break or string concatenation splits.
//!
//! All of them read the text as it is and, if it differs, in its plain form (`plain_text`): without invisible characters, and
//! with ordinary letters, digits and spaces instead of their compatibility forms.
//!
//! `scanner` runs them, `marks` merges their findings and writes the marks. `placeholder` and `benign` recognise values that
//! are no secrets; `shape` counts characters and entropy; `words` holds the word lists.
//!
//! A project changes the rules with [`Options`]:
//!
//! ```
//! use parlour_redact::{CustomRule, InvalidRule, Options, Redactor};
//!
//! let badge = CustomRule { kind: "badge".to_owned(), pattern: r"badge (\d{4})".to_owned() };
//! let options = Options { custom: vec![badge], mute: vec!["mail".to_owned()], ..Options::default() };
//! let redacted = Redactor::new(&options)?.redact("badge 1234 of jane@acme.dev");
//! assert_eq!(redacted.text, "badge [badge 1] of jane@acme.dev");
//! # Ok::<(), InvalidRule>(())
//! ```
//!
//! # Adding a built-in rule
//!
//! 1. Add a section to the file in `rules/` that fits, with triggers, a pattern, an example (`match`) and a counter-example
//!    (`other`). Imitate `[npm-token]` in `rules/provider.txt`; `src/rules.rs` describes all fields.
//! 2. If a pattern is not precise enough, add a function to `src/checks.rs` (imitate `is_jwt`), list it in the `checks!` table of
//!    `src/rules.rs` and name it in the field `check`.
//! 3. Add a word to a file in `words/`, or a new file to the `word_lists!` table of `src/words.rs`.
//! 4. Run `cargo nextest run -p parlour-redact`. It compiles every rule, runs all examples, and measures recall and false alarms
//!    over `tests/corpus`.
//!
//! Callers shorten a text after they redact it: half a secret is not recognised. The crate fails closed: a built-in rule that cannot be used is a panic, never a text that was not redacted.

mod benign;
mod checks;
mod credential_pair;
mod custom;
mod encoded;
mod high_entropy;
mod labelled;
mod marks;
mod pattern;
mod personal;
mod placeholder;
mod plain_text;
mod rules;
mod scanner;
mod shape;
mod split_token;
mod verbal;
mod words;

use std::{borrow::Cow, ops::Range};

use self::{
    custom::CustomPattern,
    marks::{Findings, MarkNumbers},
    plain_text::PlainText,
    scanner::{Scanner, Scope},
};

pub use self::{
    custom::{CustomRule, InvalidRule, Options, RuleList},
    rules::{is_personal, kinds},
};

/// How often a text is scanned, as long as something is found. A redacted value may uncover another one; texts of people need
/// two rounds.
const ROUNDS_MAX: usize = 8;

/// Redacts texts with the built-in rules and the changes of a project, in time linear in the text. The built-in rules are read
/// once for all redactors, so that another one costs only its custom rules.
#[derive(Debug)]
pub struct Redactor {
    personal: bool,
    muted: Vec<&'static str>,
    custom: Vec<CustomPattern>,
}

/// A text without its secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redacted {
    /// The text with marks.
    pub text: String,
    /// The marks, in the order of the text.
    pub marks: Vec<Mark>,
}

/// A mark in a redacted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The kind of what was redacted, such as `aws-key`, `password`, `card`, `mail`.
    pub kind: Cow<'static, str>,
    /// The position of the mark in the redacted text, in bytes.
    pub range: Range<usize>,
}

impl Default for Redactor {
    /// All built-in rules, for secrets and for personal data.
    fn default() -> Self {
        Self { personal: true, muted: Vec::new(), custom: Vec::new() }
    }
}

impl Redactor {
    /// The built-in rules with the changes of `options`.
    pub fn new(options: &Options) -> Result<Self, InvalidRule> {
        let (custom, muted) = options.read()?;
        Ok(Self { personal: options.personal, muted, custom })
    }

    /// The built-in rules for secrets, without personal data: for logs, where addresses are needed.
    pub fn secrets_only() -> Self {
        Self { personal: false, ..Self::default() }
    }

    /// Replaces secrets and personal data with marks. Redacting the result again changes nothing.
    pub fn redact(&self, text: &str) -> Redacted {
        let mut redacted = Redacted { text: text.to_owned(), marks: Vec::new() };
        let mut numbers = MarkNumbers::default();
        for _ in 0..ROUNDS_MAX {
            let found = self.find(&redacted.text);
            match found.apply(&redacted, &mut numbers, |kind| self.is_known(kind)) {
                Some(next) => redacted = next,
                None => break,
            }
        }
        redacted
    }

    /// What is found in the text and in its plain form.
    fn find(&self, text: &str) -> Findings {
        let mut found = self.find_literally(text);
        if let Some(plain) = PlainText::of(text) {
            found.add_mapped(self.find_literally(&plain.text), |range| plain.original(range));
        }
        found
    }

    fn find_literally(&self, text: &str) -> Findings {
        let scope = Scope { personal: self.personal, muted: &self.muted };
        let mut found = Findings::new(Scanner::get().scan(text, scope));
        found.add_repetitions(text);
        self.custom.iter().for_each(|rule| rule.find(text, &mut found));
        found
    }

    fn is_known(&self, kind: &str) -> bool {
        self.custom.iter().any(|rule| rule.kind() == kind) || kinds().binary_search(&kind).is_ok()
    }
}

/// The number of trigger words in a text: the cheapest part of redacting it, as a unit to compare the whole with.
pub fn count_words(text: &str) -> usize {
    Scanner::get().count_triggers(text)
}
