//! Escaping of foreign texts for the terminal.

/// Replaces control characters and direction changes.
///
/// The hub refuses such characters, but a command does not trust the hub.
pub(crate) fn harmless(text: &str) -> String {
    let shown = |character| if is_hostile(character) { char::REPLACEMENT_CHARACTER } else { character };
    text.chars().map(shown).collect()
}

/// Like [`harmless`], in one line.
pub(crate) fn one_line(text: &str) -> String {
    harmless(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_hostile(character: char) -> bool {
    let turns_direction = matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    (character.is_control() && !matches!(character, '\n' | '\t')) || turns_direction
}

/// The width of a text in terminal cells.
pub(crate) fn cells(text: &str) -> usize {
    text.chars().map(cells_of).sum()
}

/// An approximation: errors only affect the alignment.
fn cells_of(character: char) -> usize {
    match character {
        '\u{300}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}' => 0,
        '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}'
        | '\u{1F300}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFD}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn terminal_control_characters_are_replaced() {
        assert_eq!(harmless("a\x1b[2Jb\u{202E}c\r\u{7}"), "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}\u{FFFD}");
        assert_eq!(harmless("a\n\tß 日本"), "a\n\tß 日本");
    }

    #[test]
    fn one_line_joins_the_lines_of_a_text() {
        assert_eq!(one_line("  a\n b\t c "), "a b c");
    }

    proptest! {
        #[test]
        fn no_text_can_control_the_terminal(text in "\\PC*|.*|[\\x00-\\x9f]*") {
            prop_assert!(!harmless(&text).chars().any(is_hostile));
            prop_assert!(!one_line(&text).contains(['\n', '\t']));
        }
    }

    #[test]
    fn wide_characters_have_width_two_and_combining_marks_zero() {
        assert_eq!((cells("Mara"), cells("日本"), cells("🏠"), cells("e\u{301}")), (4, 4, 2, 1));
    }
}
