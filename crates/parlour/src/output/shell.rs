//! Quoting for shells.

/// Quotes a word if necessary.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | '/' | '@');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, expected) in [
            ("general", "general"),
            ("@Coder", "@Coder"),
            ("store/messages.db", "store/messages.db"),
            ("#general", "'#general'"),
            ("", "''"),
            ("it's here", r"'it'\''s here'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
