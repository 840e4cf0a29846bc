//! Secrets and personal data become marks such as `[aws-key 1]`: their kind, and the same number for the same value.
//!
//! Rules are data (`rules/`): a shape that providers give their tokens, or a word and what it tells (`told`). One pass over
//! the text finds the words that rules need, and only those rules are tried. A text should be in normal form before it
//! comes here and be shortened afterwards ([`crate::view`]): half a secret has no shape.

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

use parlour_core::context::RedactionRules;

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

/// A rule of a project that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct BadRule {
    /// Where it stands in `add`, or nothing for a muted rule that does not exist.
    pub index: Option<usize>,
    /// What is wrong with it, in words for people.
    pub why: String,
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

impl Redactor {
    /// The rules of the hub, with those of a project added or muted.
    pub fn new(rules: &RedactionRules) -> Result<Self, BadRule> {
        let known = kinds();
        let added = project::added(&rules.add)?;
        let mut muted = Vec::with_capacity(rules.mute.len());
        for kind in &rules.mute {
            let Some(found) = known.iter().find(|known| *known == kind) else {
                return Err(BadRule { index: None, why: format!("there is no rule for `{kind}` that could be muted") });
            };
            muted.push(*found);
        }
        Ok(Self { personal: rules.personal, muted, added })
    }

    /// Secrets of the hub's rules only: for logs, where an address is what one looks for.
    pub fn secrets_only() -> Self {
        Self { personal: false, muted: Vec::new(), added: Vec::new() }
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
