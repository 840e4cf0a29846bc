//! The value behind a name: in quotation marks, or up to where it ends by itself.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// Characters that open a quotation, and those that end it.
const QUOTES: &[(&str, &str)] = &[
    ("\\\"", "\\\""),
    ("\\'", "\\'"),
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("„", "“"),
    ("‘", "’"),
    ("«", "»"),
    ("**", "**"),
    ("||", "||"),
];
/// Bytes of a value in quotation marks.
const QUOTED_BYTES_MAX: usize = 400;

/// A value and how it stands there.
#[derive(Debug)]
pub(super) struct Value<'t> {
    pub(super) text: &'t str,
    start: usize,
    pub(super) is_quoted: bool,
}

impl<'t> Value<'t> {
    /// The value that begins at this place.
    pub(super) fn at(window: &'t str, start: usize) -> Option<Self> {
        let rest = window.get(start..)?;
        // Letters in front of a quotation belong to the language: `b"…"`, `r'…'`, `f"…"`.
        let prefix = rest.len() - rest.trim_start_matches(['b', 'r', 'f', 'u', 'N', '@', '$']).len();
        let is_prefixed = prefix == 1 && rest[prefix..].starts_with(['"', '\'']);
        let start = if is_prefixed { start + prefix } else { start };
        let rest = &window[start..];
        quoted(rest, start).or_else(|| bare(rest, start))
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// What stands behind it.
    pub(super) fn after<'w>(&self, window: &'w str) -> &'w str {
        window.get(self.range().end..).unwrap_or_default()
    }

    /// Whether nothing else stands behind it in its line.
    pub(super) fn ends_line(&self, window: &str) -> bool {
        let line = self.after(window).split('\n').next().unwrap_or_default();
        line.trim_matches(|char: char| char.is_whitespace() || "\"'`.,;*_)".contains(char)).is_empty()
    }
}

fn quoted(rest: &str, start: usize) -> Option<Value<'_>> {
    let (open, close) = QUOTES.iter().find(|(open, _)| rest.starts_with(open))?;
    let inside = &rest[open.len()..];
    let line = inside.split('\n').next().unwrap_or_default();
    let end = line
        .match_indices(close)
        .map(|(at, _)| at)
        .find(|at| close.starts_with('\\') || !line[..*at].ends_with('\\'))?;
    (end > 0 && end <= QUOTED_BYTES_MAX).then(|| Value {
        text: &inside[..end],
        start: start + open.len(),
        is_quoted: true,
    })
}

fn bare(rest: &str, start: usize) -> Option<Value<'_>> {
    static NEXT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"[&;,]["']?[A-Za-z_][\w.-]{0,40}["']?[=:]|</|\\n|\\r|["'`]|[)}\]]{2}"#).ok());
    let open = rest.len() - rest.trim_start_matches(['"', '\'', '`', '“']).len();
    let rest = &rest[open..];
    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
    let end = NEXT.as_ref().and_then(|next| next.find(word)).map_or(word.len(), |next| next.start());
    let word = trimmed(&word[..end]);
    (!word.is_empty()).then(|| Value { text: word, start: start + open, is_quoted: false })
}

/// Without what ends a sentence or closes a bracket that was opened before.
fn trimmed(mut word: &str) -> &str {
    loop {
        let Some(last) = word.chars().next_back() else { return word };
        let opener = match last {
            ')' => '(',
            ']' => '[',
            '}' => '{',
            '>' => '<',
            '.' | ',' | ';' | ':' | '…' | '。' | '、' | '，' | '?' | '*' | '|' | '\\' => '\0',
            _ => return word,
        };
        if opener != '\0' && word.contains(opener) {
            return word;
        }
        word = &word[..word.len() - last.len_utf8()];
    }
}
