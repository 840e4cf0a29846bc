//! Words of a provider made fit to be read by everybody in a conversation: one short line, and no key in it.

use super::secret::Secret;

/// Characters of a provider's sentence that are passed on.
const WORDS_CHARS_MAX: usize = 300;
/// Characters of a provider's sentence that are looked at.
const LOOKED_CHARS_MAX: usize = 4_000;
/// How the keys of well-known providers begin.
const KEY_BEGINS: &[&str] = &["sk-", "sk_", "AIza", "gsk_", "xai-", "hf_", "pplx-", "r8_"];
/// So many characters in common with the key, and a word is taken for a part of it.
const COMMON_CHARS: usize = 6;
/// What stands in the place of a key.
const HIDDEN: &str = "(hidden)";

/// One short line of what a provider said, without anything that looks like a key.
pub(super) fn line(said: &str, key: Option<&Secret>) -> String {
    let said: String = said.chars().take(LOOKED_CHARS_MAX).collect();
    let said = match key.map(Secret::reveal).filter(|key| !key.is_empty()) {
        Some(key) => said.replace(key, HIDDEN),
        None => said,
    };
    let shown: String = said.chars().map(|sign| if is_plain(sign) { sign } else { ' ' }).collect();
    let words = shown.split_whitespace().map(|word| if looks_like_key(word, key) { HIDDEN } else { word });
    let line = words.collect::<Vec<_>>().join(" ");
    if line.chars().count() <= WORDS_CHARS_MAX {
        return line;
    }
    line.chars().take(WORDS_CHARS_MAX - 1).chain(['…']).collect()
}

/// The text of an answer without signs that no message may hold.
pub(super) fn text(piece: &str) -> String {
    piece.chars().filter(|sign| !sign.is_control() || matches!(sign, '\n' | '\r' | '\t')).collect()
}

/// Whether a sign is seen, and leaves the order of the others as it is.
fn is_plain(sign: char) -> bool {
    let turns_round = matches!(sign, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    !sign.is_control() && !turns_round && sign != '\u{feff}'
}

fn looks_like_key(word: &str, key: Option<&Secret>) -> bool {
    // Keys stand in quotation marks and before full stops.
    let word = word.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != '*');
    let begin = key.map(|key| key.reveal().chars().take(COMMON_CHARS).collect::<String>()).unwrap_or_default();
    let is_part = begin.chars().count() == COMMON_CHARS && word.contains(&begin);
    is_part || word.contains("***") || KEY_BEGINS.iter().any(|known| word.contains(known))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sentence_becomes_one_line() {
        assert_eq!(line("a\r\n  b\u{1b}[31m\tc\u{202e}d\u{2028}e", None), "a b [31m c d e");
    }

    #[test]
    fn a_long_sentence_is_cut() {
        let cut = line(&"ä".repeat(10_000), None);
        assert_eq!(cut.chars().count(), WORDS_CHARS_MAX);
        assert!(cut.ends_with('…'));
    }

    #[test]
    fn a_key_is_hidden_in_whole_and_in_part() {
        let key = Secret::new("abcdef-0123456789");
        let said =
            "Incorrect key: abcdef-0123456789. Or \"abcdef-01*****789\", or 'abcdef-0', sk-proj-1, AIzaX, x***y!";
        assert_eq!(
            line(said, Some(&key)),
            "Incorrect key: (hidden). Or (hidden) or (hidden) (hidden) (hidden) (hidden)"
        );
    }

    #[test]
    fn the_names_of_models_are_no_keys() {
        let said = "model claude-sonnet-4-5-20250929 not found, try gpt-5-mini-2026-01-01";
        assert_eq!(line(said, Some(&Secret::new("qrstuv123456"))), said);
    }

    #[test]
    fn a_text_keeps_its_lines_and_loses_control_characters() {
        assert_eq!(text("a\n\tb\0\u{1b}c\u{85}"), "a\n\tbc");
    }

    proptest! {
        #[test]
        fn no_sentence_carries_a_key_out(before in "\\PC{0,20}", after in "\\PC{0,20}", key in "[A-Za-z0-9_-]{8,40}") {
            let said = format!("{before}{key}{after}");
            prop_assert!(!line(&said, Some(&Secret::new(&key))).contains(&key));
        }
    }
}
