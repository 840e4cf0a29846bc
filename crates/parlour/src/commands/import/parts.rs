//! Texts as the hub takes them: no longer than a message may be, and without control characters.
//!
//! A longer text goes on in further messages. Each control character is shown as U+FFFD; what stood in the place of each
//! is kept in a list of numbers, so that [`joined`] gives back the text as it was.

use parlour_core::limits;

/// Signs of one part whose numbers are kept; a part with more of them is cut there.
const SIGNS_PER_PART_MAX: usize = 400;

/// One message's worth of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) text: String,
    /// What stands for each U+FFFD of the text, in order; empty when it holds no control character.
    pub(crate) signs: Vec<u32>,
}

/// The text in parts; there is always one.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = text;
    while parts.is_empty() || !rest.is_empty() {
        let (head, tail) = rest.split_at(cut(rest));
        parts.push(part(head));
        rest = tail;
    }
    parts
}

/// The text as it was before it was taken apart.
pub(crate) fn joined(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        let mut signs = part.signs.iter().copied();
        for sign in part.text.chars() {
            let kept = if sign == char::REPLACEMENT_CHARACTER { signs.next() } else { None };
            text.push(kept.and_then(char::from_u32).unwrap_or(sign));
        }
    }
    text
}

fn part(text: &str) -> Part {
    if !text.contains(is_refused) {
        return Part { text: text.to_owned(), signs: Vec::new() };
    }
    let shown = text.chars().map(|sign| if is_refused(sign) { char::REPLACEMENT_CHARACTER } else { sign }).collect();
    Part { text: shown, signs: text.chars().filter(|sign| is_noted(*sign)).map(u32::from).collect() }
}

/// Where the first part of a text ends: after a line where there is one in the second half, else anywhere.
fn cut(text: &str) -> usize {
    let end = fitting(text);
    if end == text.len() {
        return end;
    }
    let line = text[..end].rfind('\n').map(|at| at + 1);
    line.filter(|at| *at > end / 2).unwrap_or(end)
}

/// How much of a text fits, with three bytes for each sign that is replaced.
fn fitting(text: &str) -> usize {
    let (mut bytes, mut signs) = (0, 0);
    for (at, sign) in text.char_indices() {
        bytes += if is_refused(sign) { char::REPLACEMENT_CHARACTER.len_utf8() } else { sign.len_utf8() };
        signs += usize::from(is_noted(sign));
        if bytes > limits::MESSAGE_BODY_BYTES_MAX || signs > SIGNS_PER_PART_MAX {
            return at;
        }
    }
    text.len()
}

/// What no text of a message may hold.
fn is_refused(sign: char) -> bool {
    sign.is_control() && !matches!(sign, '\n' | '\r' | '\t')
}

fn is_noted(sign: char) -> bool {
    is_refused(sign) || sign == char::REPLACEMENT_CHARACTER
}

#[cfg(test)]
mod tests {
    use parlour_core::text::check_bytes;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_usual_text_is_one_part_as_it_is() {
        for text in ["", "Hello\n\tworld", "already \u{FFFD}"] {
            assert_eq!(parts(text), [Part { text: text.to_owned(), signs: Vec::new() }]);
        }
    }

    #[test]
    fn control_characters_are_shown_as_a_sign_and_found_again() {
        let text = "a\x1b[31mred\u{FFFD}\0";
        let parts = parts(text);
        assert_eq!(parts, [Part { text: "a\u{FFFD}[31mred\u{FFFD}\u{FFFD}".into(), signs: vec![27, 0xFFFD, 0] }]);
        assert_eq!(joined(&parts), text);
    }

    #[test]
    fn a_long_text_is_cut_after_a_line() {
        let text = format!("{}\n", "x".repeat(99)).repeat(1_000);
        let parts = parts(&text);
        assert_eq!(parts.len(), 2);
        assert!(parts[0].text.ends_with("x\n"));
        assert_eq!(joined(&parts), text);
    }

    #[test]
    fn a_text_of_nothing_but_control_characters_is_kept_too() {
        let text = "\0\x1b".repeat(1_000);
        let parts = parts(&text);
        assert_eq!((parts.len(), joined(&parts)), (5, text));
    }

    proptest! {
        #[test]
        fn every_text_comes_back_and_each_part_is_one_that_the_hub_takes(
            pieces in proptest::collection::vec(("\\PC{0,20}|[\\x00-\\x1f\u{FFFD}\u{85}]{0,9}", 0_usize..3_000), 0..6),
        ) {
            let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
            let parts = parts(&text);
            prop_assert_eq!(joined(&parts), text);
            for part in parts {
                prop_assert_eq!(check_bytes(&part.text, limits::MESSAGE_BODY_BYTES_MAX), Ok(()));
                prop_assert!(part.signs.len() <= SIGNS_PER_PART_MAX);
            }
        }
    }
}
