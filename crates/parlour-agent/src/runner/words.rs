//! Texts that come from an engine, made fit for the hub.

use std::borrow::Cow;

use parlour_core::limits;

/// The text without control characters, which the hub does not take; line breaks and tabs stay.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let is_bad = |sign: char| sign.is_control() && !matches!(sign, '\n' | '\r' | '\t');
    if text.contains(is_bad) { Cow::Owned(text.replace(is_bad, "")) } else { Cow::Borrowed(text) }
}

/// A reason that the hub takes: clean, not blank, and cut where it is too long.
pub(super) fn reason(text: &str) -> String {
    let cut = cut_chars(clean(text).trim(), limits::REASON_CHARS_MAX);
    if is_blank(&cut) { "something went wrong, and nobody said what".to_owned() } else { cut }
}

/// A line that the hub takes as the label of a run.
pub(super) fn label(text: &str) -> String {
    let line = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = cut_chars(&line, limits::TITLE_CHARS_MAX);
    if is_blank(&cut) { "an answer".to_owned() } else { cut }
}

/// The text, with `…` at its end where it was longer.
pub(super) fn cut_chars(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Whether a text says nothing.
pub(super) fn is_blank(text: &str) -> bool {
    parlour_core::text::check_not_blank(text).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_left_out_and_line_breaks_stay() {
        assert_eq!(clean("\u{1b}[1mbold\u{1b}[0m\r\n\tx\0"), "[1mbold[0m\r\n\tx");
        assert!(matches!(clean("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn a_label_is_one_line_and_never_blank() {
        assert_eq!(label("answer\n Mara\u{0}"), "answer Mara");
        assert_eq!(label(" \n"), "an answer");
        assert_eq!(label(&"x".repeat(900)).chars().count(), limits::TITLE_CHARS_MAX);
    }

    #[test]
    fn a_reason_is_bounded_and_never_blank() {
        assert_eq!(reason(" no model \n"), "no model");
        assert_eq!(reason("\u{0}\n"), "something went wrong, and nobody said what");
        let long = reason(&"é".repeat(limits::REASON_CHARS_MAX + 1));
        assert_eq!((long.chars().count(), long.ends_with('…')), (limits::REASON_CHARS_MAX, true));
        assert!(!reason(&"é".repeat(limits::REASON_CHARS_MAX)).ends_with('…'));
    }
}
