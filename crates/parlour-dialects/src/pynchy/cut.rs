//! Long texts in short: their beginning and their end.

use std::borrow::Cow;

/// Texts up to here are shown whole.
const WHOLE_CHARS_MAX: usize = 4_000;
/// What is shown of the beginning of a longer one.
const HEAD_CHARS: usize = 2_000;
/// What is shown of its end.
const TAIL_CHARS: usize = 500;

/// The text, or its beginning and end with the number of characters that were left out between them.
pub(super) fn cut_middle(text: &str) -> Cow<'_, str> {
    // Bytes bound characters from above, so most texts are not counted.
    if text.len() <= WHOLE_CHARS_MAX {
        return text.into();
    }
    let chars = text.chars().count();
    if chars <= WHOLE_CHARS_MAX {
        return text.into();
    }
    let (head, left_out) = (first(text, HEAD_CHARS), chars - HEAD_CHARS - TAIL_CHARS);
    let tail = text.char_indices().nth_back(TAIL_CHARS - 1).map_or("", |(at, _)| &text[at..]);
    format!("{head}\n… {left_out} characters left out …\n{tail}").into()
}

/// The text in one line of at most `chars_max` characters; a mark tells that its end is missing.
pub(super) fn cut_end(text: &str, chars_max: usize) -> String {
    let line = one_line(text, chars_max + 1);
    if line.chars().count() <= chars_max {
        return line;
    }
    format!("{}…", first(&line, chars_max - 1))
}

/// The text in one line of at most `chars_max` characters; a mark tells that its beginning is missing.
pub(super) fn cut_start(text: &str, chars_max: usize) -> String {
    let from = text.char_indices().nth_back(chars_max).map_or(0, |(at, _)| at);
    let line = one_line(&text[from..], chars_max + 1);
    match line.char_indices().nth_back(chars_max - 2) {
        Some((at, _)) if line.chars().count() > chars_max => format!("…{}", &line[at..]),
        _ => line,
    }
}

/// The first characters of a text, with a blank for every sign that would break or hide in a line.
fn one_line(text: &str, chars_max: usize) -> String {
    let plain = |sign: char| if sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}') { ' ' } else { sign };
    text.chars().take(chars_max).map(plain).collect()
}

fn first(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_at_the_bound_is_whole_and_one_beyond_is_cut() {
        let whole = "ä".repeat(WHOLE_CHARS_MAX);
        assert_eq!(cut_middle(&whole), whole);
        let cut = cut_middle(&format!("{whole}z")).into_owned();
        let expected = format!("{}\n… 1501 characters left out …\n{}z", "ä".repeat(2_000), "ä".repeat(499));
        assert_eq!(cut, expected);
    }

    #[test]
    fn a_line_is_cut_at_either_end() {
        assert_eq!([cut_end("abcd", 4), cut_end("abcde", 4), cut_end("a\nb", 4)], ["abcd", "abc…", "a b"]);
        assert_eq!([cut_start("abcd", 4), cut_start("abcde", 4), cut_start("", 4)], ["abcd", "…cde", ""]);
    }

    proptest! {
        #[test]
        fn a_cut_keeps_whole_characters_of_both_ends(signs in "[aé🏠\u{301}]{1,9}", times in 1..1_500_usize) {
            let text = signs.repeat(times);
            let cut = cut_middle(&text);
            let head: String = text.chars().take(HEAD_CHARS).collect();
            prop_assert!(cut.starts_with(&head) && cut.chars().count() <= WHOLE_CHARS_MAX);
            let tail = cut.rsplit('\n').next().unwrap_or_default();
            prop_assert!(text.ends_with(tail));
        }

        #[test]
        fn a_cut_line_is_one_line_within_its_bound(text in any::<String>(), chars_max in 2..40_usize) {
            for line in [cut_end(&text, chars_max), cut_start(&text, chars_max)] {
                prop_assert!(line.chars().count() <= chars_max, "{line:?}");
                prop_assert!(!line.contains(char::is_control), "{line:?}");
            }
        }
    }
}
