//! Changes to the built-in rules: custom patterns with size limits, and muted kinds.

use regex::{Regex, RegexBuilder};

use super::{
    marks::Findings,
    rules::{kinds, redacted_range},
};

/// Bytes that one compiled pattern may take.
const PATTERN_BYTES_MAX: usize = 256 * 1024;

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

/// A custom rule, compiled.
#[derive(Debug)]
pub(crate) struct CustomPattern {
    kind: String,
    pattern: Regex,
}

impl Options {
    /// Compiles the custom rules and looks up the muted kinds.
    pub(crate) fn read(&self) -> Result<(Vec<CustomPattern>, Vec<&'static str>), InvalidRule> {
        let invalid = |list, index| move |reason| InvalidRule { list, index, reason };
        let custom = self.custom.iter().enumerate();
        let custom = custom.map(|(index, rule)| rule.compile().map_err(invalid(RuleList::Custom, index)));
        let custom = custom.collect::<Result<_, _>>()?;
        let muted = self.mute.iter().enumerate();
        let muted = muted.map(|(index, kind)| known_kind(kind).map_err(invalid(RuleList::Mute, index)));
        Ok((custom, muted.collect::<Result<_, _>>()?))
    }
}

fn known_kind(kind: &str) -> Result<&'static str, String> {
    let known = kinds().iter().find(|known| **known == kind);
    known.copied().ok_or_else(|| format!("there is no built-in rule of the kind `{kind}`"))
}

impl CustomRule {
    fn compile(&self) -> Result<CustomPattern, String> {
        let is_kind = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if self.kind.is_empty() || !self.kind.bytes().all(is_kind) {
            return Err(format!("`{}` is not a valid kind; use lower-case letters, digits and dashes", self.kind));
        }
        let pattern = RegexBuilder::new(&self.pattern)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build()
            .map_err(|error| format!("the pattern of `{}` does not compile: {}", self.kind, last_line(&error)))?;
        if pattern.is_match("") {
            return Err(format!("the pattern of `{}` matches the empty text", self.kind));
        }
        Ok(CustomPattern { kind: self.kind.clone(), pattern })
    }
}

/// The last line of a regex error is the reason; the lines before it repeat the pattern.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().next_back().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

impl CustomPattern {
    pub(crate) fn kind(&self) -> &str {
        &self.kind
    }

    /// Adds every match of the rule.
    pub(crate) fn find(&self, text: &str, found: &mut Findings) {
        self.pattern.captures_iter(text).for_each(|groups| found.add_custom(redacted_range(&groups), &self.kind));
    }
}
