//! Rules for texts that people and agents write.

use crate::{Code, Refusal, limits};

/// Takes a text of at most `chars_max` characters without control characters; line breaks and tabs may stand in it.
pub fn check_text(text: &str, chars_max: usize) -> Result<(), Refusal> {
    // Bytes bound characters from above, so most texts are counted without walking through them.
    if text.len() > chars_max && text.chars().count() > chars_max {
        return Err(Refusal::out_of_bounds(format!("the text is longer than {chars_max} characters")));
    }
    check_control(text)
}

/// Takes a text of at most `bytes_max` bytes without control characters.
pub fn check_bytes(text: &str, bytes_max: usize) -> Result<(), Refusal> {
    if text.len() > bytes_max {
        let detail = format!("the text has {} bytes; at most {bytes_max} are taken", text.len());
        return Err(Refusal::out_of_bounds(detail));
    }
    check_control(text)
}

/// Takes a text that says something: more than white space and signs that nobody sees.
pub fn check_not_blank(text: &str) -> Result<(), Refusal> {
    let is_blank = text.chars().all(|sign| sign.is_whitespace() || is_invisible(sign));
    if is_blank { Err(Refusal::out_of_bounds("the text is empty")) } else { Ok(()) }
}

/// Takes a text that is shown as one line, in the order in which it is written.
///
/// A sign that turns the direction of reading would let `gpj.exe` be shown as `exe.jpg`.
pub fn check_line(text: &str, chars_max: usize) -> Result<(), Refusal> {
    check_text(text, chars_max)?;
    if text.contains(['\n', '\r', '\t', '\u{2028}', '\u{2029}']) {
        return Err(Refusal::out_of_bounds("this is a single line without line breaks and tabs"));
    }
    check_direction(text)
}

/// Takes an address that starts with http or https and names a host.
pub fn check_web_address(url: &str) -> Result<(), Refusal> {
    check_text(url, limits::URL_CHARS_MAX)?;
    let has_host = ["http://", "https://"]
        .iter()
        .filter_map(|scheme| url.strip_prefix(scheme))
        .any(|rest| !rest.is_empty() && !rest.starts_with('/'));
    if has_host && !url.contains(char::is_whitespace) {
        return Ok(());
    }
    Err(Refusal::invalid("this is no http or https address without blanks"))
}

/// Refuses signs that turn the direction of reading for the text around them.
pub(crate) fn check_direction(text: &str) -> Result<(), Refusal> {
    match text.chars().find(|sign| matches!(sign, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')) {
        None => Ok(()),
        Some(sign) => {
            let detail = format!("the text holds U+{:04X}, which turns the direction of reading", u32::from(sign));
            Err(Refusal::new(Code::ControlCharacter, detail))
        }
    }
}

/// Whether a sign shows nothing by itself: the code points that Unicode lets a display ignore.
pub(crate) fn is_invisible(sign: char) -> bool {
    matches!(
        sign,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

fn check_control(text: &str) -> Result<(), Refusal> {
    let is_forbidden = |sign: &char| sign.is_control() && !matches!(sign, '\n' | '\r' | '\t');
    match text.char_indices().find(|(_, sign)| is_forbidden(sign)) {
        None => Ok(()),
        Some((at, sign)) => {
            let detail = format!("the text holds the control character U+{:04X} at byte {at}", u32::from(sign));
            Err(Refusal::new(Code::ControlCharacter, detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_and_tabs_are_text() {
        assert_eq!(check_text("a\n\tb\r\n", 10), Ok(()));
    }

    #[test]
    fn other_control_characters_are_refused_with_their_place() {
        for sign in ['\0', '\x1b', '\x7f', '\u{85}'] {
            let refusal = check_text(&format!("ab{sign}"), 10).expect_err("control");
            assert_eq!(refusal.code, Code::ControlCharacter);
            assert!(refusal.detail.contains("byte 2"));
        }
    }

    #[test]
    fn characters_count_not_bytes() {
        assert_eq!(check_text("äöü", 3), Ok(()));
        assert!(check_text("äöüß", 3).is_err());
        assert!(check_bytes("äöü", 5).is_err());
    }

    #[test]
    fn white_space_alone_says_nothing() {
        assert!(check_not_blank(" \n\t").is_err());
        assert_eq!(check_not_blank(" a "), Ok(()));
    }

    #[test]
    fn signs_that_nobody_sees_say_nothing_either() {
        for text in ["\u{200b}", " \u{feff}\u{2060} ", "\u{ad}", "\u{3164}"] {
            assert!(check_not_blank(text).is_err(), "{text:?}");
        }
        assert_eq!(check_not_blank("\u{200b}a"), Ok(()));
    }

    #[test]
    fn web_addresses_name_a_host() {
        for url in ["https://a.example/x?y", "http://localhost:1"] {
            assert_eq!(check_web_address(url), Ok(()), "{url}");
        }
        for url in ["https://", "https:///x", "https://a b", "HTTPS://a", "javascript:alert(1)", "//a"] {
            assert_eq!(check_web_address(url).expect_err(url).code, Code::WrongShape);
        }
    }

    #[test]
    fn a_line_is_read_in_the_order_in_which_it_is_written() {
        for text in ["a\nb", "a\rb", "a\tb", "a\u{2028}b", "a\u{2029}b"] {
            assert_eq!(check_line(text, 9).expect_err(text).code, Code::OutOfBounds);
        }
        for text in ["a\u{202e}txt.exe", "\u{2066}a"] {
            assert_eq!(check_line(text, 9).expect_err(text).code, Code::ControlCharacter);
        }
        assert_eq!(check_line("שלום\u{200f}!", 9), Ok(()));
    }
}
