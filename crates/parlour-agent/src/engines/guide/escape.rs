//! Words of others in an answer: shown as they stand, with no effect on the text around them.

/// What Markdown, a page or the hub would take for more than a sign. An escaped `@` calls nobody.
const SIGNS: &str = "\\`*_{}[]<>()#+|~@!&$=:";

/// The text in one line, so that it is read as it was written and neither marks nor calls anything.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        if sign.is_whitespace() || sign.is_control() {
            escaped.push(' ');
            continue;
        }
        if SIGNS.contains(sign) {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    escaped
}

/// A name for a diagram: letters, digits and blanks alone, because diagrams know no escapes.
pub(super) fn label(name: &str) -> String {
    let label: String = name.chars().map(|sign| if sign.is_alphanumeric() { sign } else { ' ' }).collect();
    let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
    if label.is_empty() { "somebody".to_owned() } else { label }
}

/// The start of a text: whole when it has at most so many characters, otherwise with `…` at its end.
pub(super) fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((end, _)) => text[..end].trim_end().to_owned() + "…",
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{
        id::{AgentId, MemberId},
        mention::{Roster, find_mentions},
    };
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_lose_their_effect_and_stay_readable() {
        assert_eq!(escape("*a* @Coder\n<b>"), r"\*a\* \@Coder \<b\>");
        assert_eq!(label("a\"];b --> c"), "a b c");
        assert_eq!(label("***"), "somebody");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("ünïcode", 7), "ünïcode");
        assert_eq!(shortened("ünï code", 4), "ünï…");
    }

    proptest! {
        #[test]
        fn no_escaped_text_calls_anybody(text in ".*|[@\\\\`*<>a-c \n]{0,40}") {
            let coder = MemberId::from(AgentId::from_bits(1));
            let roster = Roster::new(vec![(coder, "a".parse().expect("a name"))]);
            let mentions = find_mentions(&format!("> **b**: {}", escape(&text)), &roster);
            prop_assert!(mentions.members.is_empty() && mentions.problems.is_empty(), "{mentions:?}");
        }
    }
}
