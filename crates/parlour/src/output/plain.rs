//! Texts of others, made harmless for a terminal.

/// The text without signs that could move the cursor, change colours or turn the direction of writing.
///
/// The hub takes no such signs, but a command cannot know that it talks to one that keeps its word.
pub(crate) fn harmless(text: &str) -> String {
    let shown = |sign| if is_hostile(sign) { char::REPLACEMENT_CHARACTER } else { sign };
    text.chars().map(shown).collect()
}

/// The same in one line.
pub(crate) fn one_line(text: &str) -> String {
    harmless(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Tabs and line breaks are part of texts; everything else that steers a terminal is not.
fn is_hostile(sign: char) -> bool {
    let turns_direction = matches!(sign, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    (sign.is_control() && !matches!(sign, '\n' | '\t')) || turns_direction
}

/// How many cells of a terminal a text takes: signs of East Asian scripts and emoji take two, marks none.
pub(crate) fn cells(text: &str) -> usize {
    text.chars().map(cells_of).sum()
}

/// The ranges that matter in names and texts; a terminal may differ in rare signs, and only alignment suffers.
fn cells_of(sign: char) -> usize {
    match sign {
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
    fn signs_that_steer_a_terminal_are_replaced() {
        assert_eq!(harmless("a\x1b[2Jb\u{202E}c\r\u{7}"), "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}\u{FFFD}");
        assert_eq!(harmless("a\n\tß 日本"), "a\n\tß 日本");
    }

    #[test]
    fn one_line_joins_what_stands_below() {
        assert_eq!(one_line("  a\n b\t c "), "a b c");
    }

    proptest! {
        #[test]
        fn no_text_can_steer_a_terminal(text in "\\PC*|.*|[\\x00-\\x9f]*") {
            prop_assert!(!harmless(&text).chars().any(is_hostile));
            prop_assert!(!one_line(&text).contains(['\n', '\t']));
        }
    }

    #[test]
    fn wide_signs_count_twice_and_marks_not_at_all() {
        assert_eq!((cells("Mara"), cells("日本"), cells("🏠"), cells("e\u{301}")), (4, 4, 2, 1));
    }
}
