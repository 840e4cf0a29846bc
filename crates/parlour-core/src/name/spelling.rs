//! The allowed characters of names.

use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_security::{
    GeneralSecurityProfile, MixedScript, RestrictionLevel, RestrictionLevelDetection,
    general_security_profile::IdentifierType,
};

use super::bad_name;
use crate::{
    Refusal,
    limits::{NAME_MARKS_MAX, NAME_STACKED_MARKS_MAX},
};

/// The role of a character in a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharRole {
    Letter,
    Mark,
    Separator,
}

impl CharRole {
    /// None for characters that are not allowed in a name. The identifier types exclude everything invisible,
    /// unassigned, private or extinct, and whatever is only another form of an ordinary letter.
    fn of(sign: char) -> Option<Self> {
        use IdentifierType::{Inclusion, Limited_Use, Recommended};
        if matches!(sign, ' ' | '-' | '_' | '.' | '\'') {
            return Some(Self::Separator);
        }
        match sign.identifier_type()? {
            Recommended | Inclusion | Limited_Use if is_combining_mark(sign) => Some(Self::Mark),
            Recommended | Inclusion | Limited_Use if sign.is_alphanumeric() => Some(Self::Letter),
            _ => None,
        }
    }
}

/// Accepts letters with few marks, and single blanks or other separators between them.
pub(super) fn check_letters(name: &str) -> Result<(), Refusal> {
    let mut before: Option<(CharRole, char)> = None;
    let mut marks = Vec::with_capacity(NAME_MARKS_MAX);
    for sign in name.chars() {
        let role = CharRole::of(sign).ok_or_else(|| bad_char(sign, "is not allowed in a name"))?;
        match (role, before) {
            (CharRole::Letter, _) => marks.clear(),
            (CharRole::Mark, None | Some((CharRole::Separator, _))) => {
                return Err(bad_char(sign, "must follow a letter"));
            }
            (CharRole::Mark, _) => add_mark(&mut marks, sign)?,
            (CharRole::Separator, None) => return Err(bad_char(sign, "cannot start a name")),
            (CharRole::Separator, Some((_, ' '))) if sign == ' ' => {
                return Err(bad_char(sign, "must not be repeated"));
            }
            (CharRole::Separator, _) => {}
        }
        before = Some((role, sign));
    }
    match before {
        Some((CharRole::Separator, sign)) => Err(bad_char(sign, "cannot end a name")),
        _ => Ok(()),
    }
}

fn add_mark(marks: &mut Vec<char>, sign: char) -> Result<(), Refusal> {
    let is_repeated = marks.last() == Some(&sign);
    marks.push(sign);
    // Classes from 200 on attach above or below; lower ones belong to the spelling of their script.
    let stacked = marks.iter().filter(|mark| canonical_combining_class(**mark) >= 200).count();
    if is_repeated || marks.len() > NAME_MARKS_MAX || stacked > NAME_STACKED_MARKS_MAX {
        return Err(bad_char(sign, "exceeds the number of combining marks on one letter"));
    }
    Ok(())
}

/// Accepts letters of one script, or of scripts that are usually written together.
pub(super) fn check_scripts(name: &str) -> Result<(), Refusal> {
    if name.is_ascii() {
        return Ok(());
    }
    let mut letters = String::with_capacity(name.len());
    for sign in name.chars().filter(|sign| CharRole::of(*sign) != Some(CharRole::Separator)) {
        letters.push(sign);
        if !is_one_writing(&letters) {
            return Err(bad_char(sign, "belongs to another script than the letters before it"));
        }
    }
    Ok(())
}

fn is_one_writing(letters: &str) -> bool {
    letters.is_single_script() || letters.check_restriction_level(RestrictionLevel::HighlyRestrictive)
}

fn bad_char(sign: char, problem: &str) -> Refusal {
    bad_name(format!("the character U+{:04X} {problem}", u32::from(sign)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::*;
    use crate::{limits, name::Name};

    fn detail(text: &str) -> String {
        Name::parse(text).expect_err(text).detail
    }

    #[test]
    fn usual_names_are_accepted_unchanged() {
        let ascii = "Admin|Coder|Coder-2|Project Manager|J. Doe|O'Brien|my_agent|v1.2|7|x|Ali|ALI|agt 1|Team - Ops";
        let scripts = "Jürgen|Ærø|Łukasz|Nguyễn|Алексей|Ελένη|משה|محمد|太郎|たろう|김철수\
                       |ज़िंदगी|မြို့|สมชาย|ᏣᎳᎩ|AIエージェント|Dev 太郎";
        for text in ascii.split('|').chain(scripts.split('|')) {
            assert_eq!(Name::parse(text).expect(text).as_str(), text);
        }
    }

    #[test]
    fn the_offending_character_is_named() {
        let invisible =
            "\0\n\t\u{200B}\u{200D}\u{202E}\u{2066}\u{E000}\u{FEFF}\u{E0041}\u{FE0F}\u{A0}\u{3164}\u{34F}\u{378}";
        let visible = "@#/\"<>\\:*`|😀Ａﬁ½²’µ\u{20DD}";
        for sign in invisible.chars().chain(visible.chars()) {
            let code = format!("U+{:04X} is not allowed", u32::from(sign));
            assert!(detail(&format!("a{sign}b")).contains(&code), "{code}");
        }
    }

    #[test]
    fn a_name_starts_and_ends_with_a_letter_or_digit() {
        for text in [" a", "-a", "_a", ".a", "'a"] {
            assert!(detail(text).contains("cannot start"), "{text}");
        }
        for text in ["a ", "a-", "a_", "a.", "a'"] {
            assert!(detail(text).contains("cannot end"), "{text}");
        }
    }

    #[test]
    fn repeated_spaces_are_refused() {
        assert!(detail("a  b").contains("repeated"));
    }

    #[test]
    fn stacked_and_leading_combining_marks_are_refused() {
        assert!(detail("x\u{323}\u{302}\u{30C}").contains("combining marks on one letter"));
        assert!(detail("x\u{30C}\u{30C}").contains("combining marks on one letter"));
        assert!(detail("\u{301}a").contains("must follow a letter"));
        assert!(detail("a \u{301}").contains("must follow a letter"));
    }

    #[test]
    fn unusual_mixes_of_scripts_are_refused() {
        assert!(detail("Cоder").contains("U+043E"), "Cyrillic o");
        assert!(detail("Αdam").contains("U+0064"), "Greek capital alpha");
        assert!(detail("Aבג").contains("U+05D1"));
        assert!(detail("太ж").contains("U+0436"));
        assert!(detail("Dev 太郎 ж").contains("U+0436"), "Latin and Han may mix, Cyrillic is the stranger");
    }

    proptest! {
        #[test]
        fn accepted_names_contain_only_visible_normalised_characters(text in crate::name::tests::near_names()) {
            if let Ok(name) = Name::parse(&text) {
                prop_assert!(name.as_str().chars().all(|sign| CharRole::of(sign).is_some()));
                prop_assert_eq!(name.as_str().nfkc().collect::<String>(), name.as_str());
                prop_assert!(name.as_str().chars().count() <= limits::NAME_CHARS_MAX);
            }
        }
    }
}
