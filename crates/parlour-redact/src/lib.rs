//! Secrets and personal data become marks such as `[aws-key 1]`: their kind, and the same number for the same value.
//!
//! Rules are data (`rules/`): a shape that providers give their tokens, or a word and what it tells (`told`). One pass over
//! the text finds the words that rules need, and only those rules are tried. A text should be in normal form before it
//! comes here and be shortened afterwards: half a secret has no shape.

mod again;
mod broken;
mod check;
mod decoded;
mod drawn;
mod kinds;
mod marks;
mod named;
mod pair;
mod personal;
mod project;
mod rule;
mod rules;
mod scan;
mod shape;
mod spoken;
mod stand_in;
mod told;
mod words;

use std::{borrow::Cow, ops::Range};

use self::{
    marks::{Numbers, Places},
    project::Added,
    scan::Scope,
};

pub use self::kinds::{is_personal, kinds};

/// How often a text is looked at, as long as something is found. Each time less of it is left that is no mark; texts of
/// people need two.
const ROUNDS_MAX: usize = 8;

/// The rules in force, ready to use. Using it is linear in the text. The rules of the hub are read once for all redactors,
/// so that making one costs what the project adds and no more.
#[derive(Debug)]
pub struct Redactor {
    personal: bool,
    muted: Vec<&'static str>,
    added: Vec<Added>,
}

/// Changes to the built-in rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether personal data is redacted too; secrets always are.
    pub personal: bool,
    /// Additional rules.
    pub custom: Vec<CustomRule>,
    /// Kinds of built-in rules that are switched off.
    pub mute: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { personal: true, custom: Vec::new(), mute: Vec::new() }
    }
}

/// A rule that is added to the built-in ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomRule {
    /// The word in the mark: lower-case letters, digits and dashes.
    pub kind: String,
    /// A regular expression in the syntax of the `regex` crate. Its first group is redacted, or the whole match if it has
    /// no group.
    pub pattern: String,
}

/// An entry of [`Options`] that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct InvalidRule {
    /// The list that contains the entry.
    pub list: RuleList,
    /// The position of the entry in that list.
    pub index: usize,
    /// The reason, as a sentence for the author of the rule.
    pub reason: String,
}

/// A list of [`Options`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleList {
    /// [`Options::custom`].
    Custom,
    /// [`Options::mute`].
    Mute,
}

/// A text without its secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redacted {
    /// The text with marks.
    pub text: String,
    /// The marks, in the order of the text.
    pub marks: Vec<Mark>,
}

/// One thing that was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What it is, such as `aws-key`, `password`, `card`, `mail`.
    pub kind: Cow<'static, str>,
    /// Where the mark stands in the redacted text, in bytes.
    pub range: Range<usize>,
}

impl Default for Redactor {
    /// All built-in rules, for secrets and for personal data.
    fn default() -> Self {
        Self { personal: true, muted: Vec::new(), added: Vec::new() }
    }
}

impl Redactor {
    /// The built-in rules with the changes of `options`.
    pub fn new(options: &Options) -> Result<Self, InvalidRule> {
        let known = kinds();
        let added = project::added(&options.custom)?;
        let mut muted = Vec::with_capacity(options.mute.len());
        for (index, kind) in options.mute.iter().enumerate() {
            let Some(found) = known.iter().find(|known| *known == kind) else {
                let reason = format!("there is no rule for `{kind}` that could be muted");
                return Err(InvalidRule { list: RuleList::Mute, index, reason });
            };
            muted.push(*found);
        }
        Ok(Self { personal: options.personal, muted, added })
    }

    /// Secrets of the hub's rules only: for logs, where an address is what one looks for.
    pub fn secrets_only() -> Self {
        Self { personal: false, ..Self::default() }
    }

    /// Takes secrets and personal data out of a text. Doing so again changes nothing: what is taken out may bring others
    /// into sight, so it is looked at again until nothing is found, within [`ROUNDS_MAX`].
    pub fn redact(&self, text: &str) -> Redacted {
        let mut redacted = Redacted { text: text.to_owned(), marks: Vec::new() };
        let mut numbers = Numbers::default();
        for _ in 0..ROUNDS_MAX {
            let found = self.find(&redacted.text);
            let is_known = |kind: &str| self.is_known(kind);
            match (!found.is_empty()).then(|| found.written(&redacted, &mut numbers, is_known)).flatten() {
                Some(next) => redacted = next,
                None => break,
            }
        }
        redacted
    }

    fn find(&self, text: &str) -> Places {
        let scope = Scope { personal: self.personal, muted: &self.muted };
        let mut found = Places::default();
        if let Some(rules) = scan::rules() {
            found.take(rules.scan(text, scope, true));
        }
        found.repeat(text);
        self.added.iter().for_each(|rule| rule.find(text, &mut found));
        found
    }

    fn is_known(&self, kind: &str) -> bool {
        self.added.iter().any(|rule| rule.kind() == kind) || kinds().binary_search(&kind).is_ok()
    }
}

/// How many words that rules need are in a text: the cheapest part of redacting it, to compare the whole with.
pub fn count_words(text: &str) -> usize {
    scan::rules().map_or(0, |rules| rules.count_words(text))
}

#[cfg(test)]
mod tests;
