//! The value after a label: quoted, or up to where it ends.

use std::ops::Range;

use super::super::pattern::patterns;

patterns! {
    /// The end of a value that is not quoted: the next field, a tag, an escaped line break, a quotation mark or brackets.
    VALUE_END = r#"[&;,]["']?[A-Za-z_][\w.-]{0,40}["']?[=:]|</|\\n|\\r|["'`]|[)}\]]{2}"#;
}

/// Opening and closing quotation marks.
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
/// Bytes of a quoted value.
const QUOTED_BYTES_MAX: usize = 400;

/// A value in a window.
#[derive(Debug)]
pub(super) struct Value<'t> {
    pub(super) text: &'t str,
    start: usize,
    pub(super) is_quoted: bool,
}

impl<'t> Value<'t> {
    /// The value that begins at `start`.
    pub(super) fn at(window: &'t str, start: usize) -> Option<Self> {
        let rest = window.get(start..)?;
        // Prefixes of string literals: `b"…"`, `r'…'`, `f"…"`.
        let prefix = rest.len() - rest.trim_start_matches(['b', 'r', 'f', 'u', 'N', '@', '$']).len();
        let is_prefixed = prefix == 1 && rest[prefix..].starts_with(['"', '\'']);
        let start = if is_prefixed { start + prefix } else { start };
        let rest = &window[start..];
        quoted(rest, start).or_else(|| bare(rest, start))
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// The text after the value.
    pub(super) fn after<'w>(&self, window: &'w str) -> &'w str {
        window.get(self.range().end..).unwrap_or_default()
    }

    /// Whether the line ends after the value.
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
    let open = rest.len() - rest.trim_start_matches(['"', '\'', '`', '“']).len();
    let rest = &rest[open..];
    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
    let end = VALUE_END.find(word).map_or(word.len(), |end| end.start());
    let word = trimmed(&word[..end]);
    (!word.is_empty()).then(|| Value { text: word, start: start + open, is_quoted: false })
}

/// Without punctuation and without closing brackets that the word does not open.
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
