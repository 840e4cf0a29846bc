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
fn what_comes_is_shown_at_once() {
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
fn of_a_line_that_is_written_over_the_first_and_the_last_form_are_shown() {
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
fn a_long_line_is_not_held_back_for_ever() {
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
    fn every_text_can_stand_in_a_message(bytes in bytes()) {
        let text = clean(&bytes);
        prop_assert_eq!(parlour_core::text::check_bytes(&text, usize::MAX), Ok(()));
        prop_assert!(!text.contains('\r') && text.trim_end() == text);
    }

    #[test]
    fn without_anything_special_the_text_is_what_std_makes_of_it(bytes in proptest::collection::vec(0x21u8..=0x7e, 0..9), wrong in proptest::collection::vec(0xc0u8.., 0..9)) {
        let all = [bytes.as_slice(), &wrong, &bytes].concat();
        prop_assert_eq!(clean(&all), String::from_utf8_lossy(&all));
    }
}
