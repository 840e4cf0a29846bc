//! Rules for texts that people and agents write.

use crate::{Code, Refusal};

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

/// Takes a text that says something: more than white space.
pub fn check_not_blank(text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() { Err(Refusal::out_of_bounds("the text is empty")) } else { Ok(()) }
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
}
