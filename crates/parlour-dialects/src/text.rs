//! Text functions that several dialects share: Markdown fences and the white space of JavaScript.

/// The length of the longest run of backticks in a text.
pub(crate) fn backtick_run_max(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

/// A Markdown fence that is longer than any run of backticks in the texts, so that no text can end the block.
pub(crate) fn fence_around(texts: &[&str]) -> String {
    let longest = texts.iter().map(|text| backtick_run_max(text)).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// Whether the JavaScript class `\s` contains a character: with the byte order mark, without U+0085.
pub(crate) fn is_javascript_space(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}
