//! Rules that a project adds: patterns of people, held to bounds.

use regex::{Regex, RegexBuilder};

use super::{CustomRule, InvalidRule, RuleList, marks::Places, rule::taken};

/// Bytes that one pattern may take when it is read.
const PATTERN_BYTES_MAX: usize = 256 * 1024;

/// A rule of a project, ready to use.
#[derive(Debug)]
pub(super) struct Added {
    kind: String,
    pattern: Regex,
}

/// Reads the rules of a project.
pub(super) fn added(rules: &[CustomRule]) -> Result<Vec<Added>, InvalidRule> {
    rules
        .iter()
        .enumerate()
        .map(|(index, rule)| read(rule).map_err(|reason| InvalidRule { list: RuleList::Custom, index, reason }))
        .collect()
}

fn read(rule: &CustomRule) -> Result<Added, String> {
    let is_kind = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if rule.kind.is_empty() || !rule.kind.bytes().all(is_kind) {
        return Err(format!("`{}` cannot stand in a mark: lower-case letters, digits and dashes can", rule.kind));
    }
    let pattern = RegexBuilder::new(&rule.pattern)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(PATTERN_BYTES_MAX)
        .build()
        .map_err(|error| format!("the pattern of `{}` cannot be read: {}", rule.kind, plain(&error)))?;
    if pattern.is_match("") {
        return Err(format!("the pattern of `{}` matches nothing at all, and so everywhere", rule.kind));
    }
    Ok(Added { kind: rule.kind.clone(), pattern })
}

/// The last line says what is wrong; those before draw the pattern.
fn plain(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().next_back().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

impl Added {
    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    /// Adds all places where the rule finds something.
    pub(super) fn find(&self, text: &str, places: &mut Places) {
        self.pattern.captures_iter(text).for_each(|groups| places.add(taken(&groups), &self.kind));
    }
}
