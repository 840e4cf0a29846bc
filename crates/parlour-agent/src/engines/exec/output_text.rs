//! Converts the output of a command into the text of a message.

use std::str;

/// Converts bytes into text as they arrive. The result does not depend on how they are split.
///
/// | in the bytes | in the text |
/// |---|---|
/// | no UTF-8 | U+FFFD |
/// | colours, titles, links and other sequences of terminals | nothing |
/// | control characters but line breaks and tabs | nothing |
/// | `\r\n` | a line break |
/// | a line that is written over and over after `\r` | its first and its last form, each on a line |
/// | empty lines at the beginning, white space at the end | nothing |
#[derive(Debug, Default)]
pub(super) struct OutputText {
    decoder: Utf8Decoder,
    escapes: EscapeFilter,
    lines: LineBreaks,
    edges: BlankTrimmer,
}

impl OutputText {
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        let decoded = self.decoder.push(bytes);
        self.take(&decoded, &mut text);
        text
    }

    /// The text that was held back until the end of the output.
    pub(super) fn finish(mut self) -> String {
        let mut text = String::new();
        let cut_off = self.decoder.finish();
        self.take(cut_off, &mut text);
        let edges = &mut self.edges;
        self.lines.finish(&mut |sign| edges.push(sign, &mut text));
        text
    }

    fn take(&mut self, decoded: &str, text: &mut String) {
        let Self { escapes, lines, edges, .. } = self;
        for sign in decoded.chars().filter(|&sign| escapes.accept(sign)) {
            lines.push(sign, &mut |sign| edges.push(sign, text));
        }
    }
}

/// The text of a complete output.
pub(super) fn clean(bytes: &[u8]) -> String {
    let mut output = OutputText::default();
    let mut text = output.push(bytes);
    text.push_str(&output.finish());
    text
}

/// Decodes UTF-8 and joins characters that are split between two reads.
#[derive(Debug, Default)]
pub(super) struct Utf8Decoder {
    /// The first bytes of an incomplete character, at most three.
    begun: Vec<u8>,
}

impl Utf8Decoder {
    /// The complete characters. Invalid bytes become U+FFFD.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let bytes = [self.begun.as_slice(), bytes].concat();
        self.begun.clear();
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while let Err(error) = str::from_utf8(rest) {
            let (valid, other) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            let Some(wrong_len) = error.error_len() else {
                self.begun = other.to_vec();
                return text;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = &other[wrong_len..];
        }
        text.push_str(&String::from_utf8_lossy(rest));
        text
    }

    /// A replacement for an incomplete last character.
    pub(super) fn finish(&mut self) -> &'static str {
        if self.begun.is_empty() { "" } else { "\u{FFFD}" }
    }
}

/// Removes empty lines at the start and white space at the end. White space is held back until a character follows.
#[derive(Debug, Default)]
pub(super) struct BlankTrimmer {
    held: String,
    has_begun: bool,
}

impl BlankTrimmer {
    /// Appends the next character and the white space before it.
    pub(super) fn push(&mut self, sign: char, text: &mut String) {
        if sign.is_whitespace() {
            return self.hold(sign);
        }
        text.push_str(&self.held);
        text.push(sign);
        self.held.clear();
        self.has_begun = true;
    }

    fn hold(&mut self, sign: char) {
        // The first line keeps its indentation.
        if sign == '\n' && !self.has_begun {
            self.held.clear();
        } else {
            self.held.push(sign);
        }
    }
}

/// Removes escape sequences of terminals. A sequence ends at a line break at the latest, so that a broken one hides only
/// one line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum EscapeFilter {
    /// Outside of a sequence.
    #[default]
    Text,
    /// After ESC.
    Begun,
    /// In a control sequence, such as `ESC [ 31 m`: until a letter.
    Control,
    /// In a string, such as the title of a window: until BEL or `ESC \`.
    String,
    /// In a string, after ESC.
    StringEnd,
}

impl EscapeFilter {
    /// Whether the next character is part of the text.
    pub(super) fn accept(&mut self, sign: char) -> bool {
        let (next, is_text) = self.after(sign);
        *self = next;
        is_text
    }

    fn after(self, sign: char) -> (Self, bool) {
        match (self, sign) {
            (Self::Text, _) => outside(sign),
            (Self::Begun, '[') => (Self::Control, false),
            (Self::Begun, ']' | 'P' | 'X' | '^' | '_') => (Self::String, false),
            (Self::Begun, ' '..='/') => (Self::Begun, false),
            (Self::Begun, '0'..='~') => (Self::Text, false),
            (Self::Control, ' '..='?') => (Self::Control, false),
            (Self::Control, '@'..='~') => (Self::Text, false),
            (Self::Begun | Self::Control, _) => outside(sign),
            (Self::String, '\x07' | '\u{9c}') => (Self::Text, false),
            (Self::String, '\x1b') => (Self::StringEnd, false),
            (Self::String, '\n') => (Self::Text, true),
            (Self::String, _) => (Self::String, false),
            (Self::StringEnd, '\\') => (Self::Text, false),
            (Self::StringEnd, _) => Self::Begun.after(sign),
        }
    }
}

fn outside(sign: char) -> (EscapeFilter, bool) {
    match sign {
        '\x1b' => (EscapeFilter::Begun, false),
        // The same introducers as single characters.
        '\u{9b}' => (EscapeFilter::Control, false),
        '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => (EscapeFilter::String, false),
        '\n' | '\r' | '\t' => (EscapeFilter::Text, true),
        _ => (EscapeFilter::Text, !sign.is_control()),
    }
}

/// The longest line that is held back because it may be overwritten; a longer one is not a progress line.
const HELD_BYTES_MAX: usize = 4_096;

/// Converts line breaks to `\n` and removes overwritten lines. Shown text cannot be retracted, so the first version of an
/// overwritten line is shown at once, those between are dropped, and the last one follows on a new line.
#[derive(Debug, Default)]
pub(super) struct LineBreaks {
    /// The last character was `\r`, which may be the first half of a line break.
    has_return: bool,
    /// A part of the line was shown.
    has_text: bool,
    /// The latest version of an overwritten line.
    held: Option<String>,
}

impl LineBreaks {
    pub(super) fn push(&mut self, sign: char, show: &mut impl FnMut(char)) {
        match sign {
            '\r' => self.has_return = true,
            '\n' => self.end_line(show),
            _ => self.go_on(sign, show),
        }
    }

    pub(super) fn finish(&mut self, show: &mut impl FnMut(char)) {
        self.held.take().unwrap_or_default().chars().for_each(show);
    }

    fn end_line(&mut self, show: &mut impl FnMut(char)) {
        self.finish(show);
        show('\n');
        (self.has_return, self.has_text) = (false, false);
    }

    fn go_on(&mut self, sign: char, show: &mut impl FnMut(char)) {
        if std::mem::take(&mut self.has_return) && self.has_text {
            self.begin_again(show);
        }
        self.has_text = true;
        match &mut self.held {
            None => show(sign),
            Some(held) => held.push(sign),
        }
        if self.held.as_ref().is_some_and(|held| held.len() > HELD_BYTES_MAX) {
            self.finish(show);
        }
    }

    fn begin_again(&mut self, show: &mut impl FnMut(char)) {
        match &mut self.held {
            None => show('\n'),
            Some(held) => held.clear(),
        }
        self.held.get_or_insert_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text of bytes that come in these pieces.
    fn text_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut output = OutputText::default();
        let mut text: String = pieces.into_iter().map(|piece| output.push(piece)).collect();
        text.push_str(&output.finish());
        text
    }

    fn check(output: &str, text: &str) {
        assert_eq!(clean(output.as_bytes()), text, "{output:?}");
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        for text in ["", "a", "Grüße, 世界 👋", "a\n\n  b\tc", "    indented"] {
            check(text, text);
        }
    }

    #[test]
    fn chunks_are_shown_at_once() {
        let mut output = OutputText::default();
        assert_eq!(output.push(b"Hel"), "Hel");
        assert_eq!(output.push(b"lo wor"), "lo wor");
        assert_eq!(output.push(b"ld\n"), "ld");
        assert_eq!(output.push(b"!"), "\n!");
        assert_eq!(output.finish(), "");
    }

    #[test]
    fn split_characters_are_joined() {
        let bytes = "é世👋".as_bytes();
        assert_eq!(text_of(bytes.chunks(1)), "é世👋");
        assert_eq!(text_of([&bytes[..1], &[], &bytes[1..]]), "é世👋");
    }

    #[test]
    fn bytes_that_are_no_utf_8_become_replacement_characters() {
        assert_eq!(clean(b"a\xffb\xc3(c"), "a\u{FFFD}b\u{FFFD}(c");
        assert_eq!(clean(b"cut off \xf0\x9f\x91"), "cut off \u{FFFD}");
        assert_eq!(text_of([b"\xf0\x9f".as_slice(), b"x"]), "\u{FFFD}x");
        assert_eq!(clean(&[0xff, 0xfe]), "\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn control_characters_are_left_out() {
        check("a\0b\x07c\x08d\x7fe\u{85}f", "abcdef");
        check("a\tb\nc", "a\tb\nc");
    }

    #[test]
    fn sequences_of_terminals_are_left_out() {
        check("\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m", "red and blue");
        check("\x1b[?25l\x1b[2Kx\x1b[1A\x1b(B\x1b=y", "xy");
        check("\u{9b}31mred", "red");
        check("\x1b]0;title\x07text", "text");
        check("\x1b]8;;https://a.example\x1b\\link\x1b]8;;\x1b\\", "link");
        check("\u{9d}title\u{9c}text", "text");
    }

    #[test]
    fn a_broken_sequence_hides_at_most_its_line() {
        check("\x1b]0;no end\nnext", "next");
        check("a\x1b]0;no end\nnext", "a\nnext");
        check("a\x1b[31\nnext", "a\nnext");
        check("a\x1b[31éb", "aéb");
        check("a\x1b", "a");
        check("a\x1b]x\x1b[1mb", "ab");
    }

    #[test]
    fn all_line_breaks_become_one() {
        check("a\r\nb\r\r\nc\nd", "a\nb\nc\nd");
    }

    #[test]
    fn an_overwritten_line_is_shown_in_its_first_and_last_form() {
        check("10%\r20%\r100%\nDone", "10%\n100%\nDone");
        check("10%\r20%\r100%\r", "10%\n100%");
        check("10%\r\x1b[K\r20%", "10%\n20%");
        check("a\r\nb\rc\r\nd", "a\nb\nc\nd");
    }

    #[test]
    fn a_return_at_the_beginning_of_a_line_changes_nothing() {
        check("\rHello", "Hello");
        let mut output = OutputText::default();
        assert_eq!(output.push(b"\r\x1b[KHel"), "Hel");
    }

    #[test]
    fn a_long_overwriting_line_is_written_at_once() {
        let mut output = OutputText::default();
        let long = "x".repeat(10_000);
        let shown = output.push(format!("50%\r{long}").as_bytes());
        assert_eq!(shown, format!("50%\n{long}"));
        assert_eq!(output.finish(), "");
    }

    #[test]
    fn empty_lines_at_the_beginning_and_white_space_at_the_end_are_left_out() {
        check("\n  \n\t\n  a\n\nb \n\n\t ", "  a\n\nb");
        check(" \n\t ", "");
    }

    /// Bytes in which what matters is frequent.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let any_bytes = proptest::collection::vec(any::<u8>(), 0..6);
        let telling = prop::sample::select(vec![
            "\r", "\n", "\r\n", " ", "\x1b", "\x1b[", "31m", "\x1b]0;", "\x07", "\\", "é", "👋", "\u{9b}", "ab", "\0",
        ]);
        let piece = prop_oneof![1 => any_bytes, 3 => telling.prop_map(|text| text.as_bytes().to_vec())];
        proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn the_text_does_not_depend_on_how_the_bytes_are_split(bytes in bytes(), cuts in proptest::collection::vec(0usize..200, 0..8)) {
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
            prop_assert_eq!(text_of(pieces), clean(&bytes));
        }

        #[test]
        fn every_output_is_a_valid_message_text(bytes in bytes()) {
            let text = clean(&bytes);
            prop_assert_eq!(parlour_core::text::check_bytes(&text, usize::MAX), Ok(()));
            prop_assert!(!text.contains('\r') && text.trim_end() == text);
        }

        #[test]
        fn plain_bytes_are_decoded_like_std(bytes in proptest::collection::vec(0x21u8..=0x7e, 0..9), wrong in proptest::collection::vec(0xc0u8.., 0..9)) {
            let all = [bytes.as_slice(), &wrong, &bytes].concat();
            prop_assert_eq!(clean(&all), String::from_utf8_lossy(&all));
        }
    }
}
