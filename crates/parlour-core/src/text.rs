//! Rules for texts that people and agents write.

use crate::{Code, Refusal, limits};

/// Checks a text of at most `chars_max` characters without control characters other than line breaks and tabs.
pub fn check_text(text: &str, chars_max: usize) -> Result<(), Refusal> {
    // Bytes bound characters from above, so most texts are counted without walking through them.
    if text.len() > chars_max && text.chars().count() > chars_max {
        return Err(Refusal::out_of_bounds(format!("the text is longer than {chars_max} characters")));
    }
    check_control(text)
}

/// Checks a text of at most `bytes_max` bytes without control characters.
pub fn check_bytes(text: &str, bytes_max: usize) -> Result<(), Refusal> {
    if text.len() > bytes_max {
        let detail = format!("the text has {} bytes; at most {bytes_max} are allowed", text.len());
        return Err(Refusal::out_of_bounds(detail));
    }
    check_control(text)
}

/// Checks that a text has a visible character.
pub fn check_not_blank(text: &str) -> Result<(), Refusal> {
    let is_blank = text.chars().all(|sign| sign.is_whitespace() || is_invisible(sign));
    if is_blank { Err(Refusal::out_of_bounds("the text is empty")) } else { Ok(()) }
}

/// Checks a text that is shown as one line, without characters that change the text direction.
///
/// A character that changes the text direction could show `gpj.exe` as `exe.jpg`.
pub fn check_line(text: &str, chars_max: usize) -> Result<(), Refusal> {
    check_text(text, chars_max)?;
    if text.contains(['\n', '\r', '\t', '\u{2028}', '\u{2029}']) {
        return Err(Refusal::out_of_bounds("the text must be one line without line breaks and tabs"));
    }
    check_direction(text)
}

/// Checks a URL that starts with http or https and has a host.
pub fn check_web_address(url: &str) -> Result<(), Refusal> {
    check_text(url, limits::URL_CHARS_MAX)?;
    let has_host = ["http://", "https://"]
        .iter()
        .filter_map(|scheme| url.strip_prefix(scheme))
        .any(|rest| !rest.is_empty() && !rest.starts_with('/'));
    if has_host && !url.contains(char::is_whitespace) {
        return Ok(());
    }
    Err(Refusal::invalid("the text is not an http or https URL without spaces"))
}

/// Whether this character belongs to a script that is written without spaces between words, or, as Korean, joins
/// particles to words: Han, Kana, Bopomofo, Hangul, Thai, Lao, Tibetan, Myanmar and Khmer.
pub fn is_unspaced_script(character: char) -> bool {
    matches!(
        character,
        '\u{0E00}'..='\u{0EFF}'
            | '\u{0F00}'..='\u{109F}'
            | '\u{1100}'..='\u{11FF}'
            | '\u{1780}'..='\u{17FF}'
            | '\u{2E80}'..='\u{2FDF}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3021}'..='\u{3029}'
            | '\u{3031}'..='\u{318F}'
            | '\u{31A0}'..='\u{31FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{A960}'..='\u{A97F}'
            | '\u{AA60}'..='\u{AA7F}'
            | '\u{AC00}'..='\u{D7FF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF66}'..='\u{FFDC}'
            | '\u{1AFF0}'..='\u{1B16F}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

/// Refuses characters that change the direction of the text around them.
pub(crate) fn check_direction(text: &str) -> Result<(), Refusal> {
    match text.chars().find(|sign| matches!(sign, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')) {
        None => Ok(()),
        Some(sign) => {
            let detail = format!("the text contains U+{:04X}, which changes the text direction", u32::from(sign));
            Err(Refusal::new(Code::ControlCharacter, detail))
        }
    }
}

/// Whether a character is invisible by itself: the code points that Unicode allows a display to ignore.
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
        Some((index, sign)) => {
            let detail =
                format!("the text contains the control character U+{:04X} index byte {index}", u32::from(sign));
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
    fn other_control_characters_are_refused_with_their_index() {
        for sign in ['\0', '\x1b', '\x7f', '\u{85}'] {
            let refusal = check_text(&format!("ab{sign}"), 10).expect_err("control");
            assert_eq!(refusal.code, Code::ControlCharacter);
            assert!(refusal.detail.contains("byte 2"));
        }
    }

    #[test]
    fn the_limit_counts_characters_and_not_bytes() {
        assert_eq!(check_text("äöü", 3), Ok(()));
        assert!(check_text("äöüß", 3).is_err());
        assert!(check_bytes("äöü", 5).is_err());
    }

    #[test]
    fn white_space_counts_as_blank() {
        assert!(check_not_blank(" \n\t").is_err());
        assert_eq!(check_not_blank(" a "), Ok(()));
    }

    #[test]
    fn invisible_characters_count_as_blank() {
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
    fn a_line_contains_no_line_breaks_and_no_direction_overrides() {
        for text in ["a\nb", "a\rb", "a\tb", "a\u{2028}b", "a\u{2029}b"] {
            assert_eq!(check_line(text, 9).expect_err(text).code, Code::OutOfBounds);
        }
        for text in ["a\u{202e}txt.exe", "\u{2066}a"] {
            assert_eq!(check_line(text, 9).expect_err(text).code, Code::ControlCharacter);
        }
        assert_eq!(check_line("שלום\u{200f}!", 9), Ok(()));
    }
}
