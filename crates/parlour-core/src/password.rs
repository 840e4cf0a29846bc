//! Rules for passwords. A refusal never repeats a password.

use unicode_normalization::UnicodeNormalization;

use crate::{Refusal, limits, name::Name, text};

/// The commonest passwords that are long enough, in the form in which they are compared.
const COMMON: &str = "0123456789 0987654321 11223344556677 1234512345 123451234512345 1234567890 12345678910 123456789a \
                      123qwe123qwe 147258369a 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc 9876543210 a123456789 aa12345678 \
                      abc1234567 abcd123456 abcdefghij admin12345 admin123456 administrator asdfghjkl1 asdfghjklm \
                      baseball123 changeme123 changemenow charlie123 dragon1234 football123 iloveyou123 letmein123 \
                      michael123 monkey1234 p@ssword123 p@ssw0rd123 parlour123 parlour1234 passw0rd123 password12 \
                      password123 password1234 passwordpassword princess123 q1w2e3r4t5 qwerty1234 qwerty12345 \
                      qwerty123456 qwertyuiop qwertyuiop123 sunshine123 superman123 trustno123 welcome123 welcome1234 \
                      zaq12wsxcde zxcvbnm123";

/// The form in which a password is hashed (NFC): equal letters of two keyboards give the same password.
pub fn normal_form(password: &str) -> String {
    password.nfc().collect()
}

/// Whether a text is short enough to be checked as a password.
pub fn may_be_password(password: &str) -> bool {
    password.len() <= limits::PASSWORD_BYTES_MAX
}

/// Refuses a password, in its normal form, that is too short, too long or common.
pub fn check(password: &str, owner: &Name) -> Result<(), Refusal> {
    check_strength(password, owner).map_err(|refusal| refusal.at("password"))
}

fn check_strength(password: &str, owner: &Name) -> Result<(), Refusal> {
    text::check_bytes(password, limits::PASSWORD_BYTES_MAX)?;
    if password.chars().count() < limits::PASSWORD_CHARS_MIN {
        let detail = format!("a password has at least {} characters", limits::PASSWORD_CHARS_MIN);
        return Err(Refusal::out_of_bounds(detail));
    }
    let folded = Name::fold(password);
    if folded == Name::fold(owner.as_str()) {
        return Err(Refusal::out_of_bounds("the password must not be your name"));
    }
    let mut signs = folded.chars();
    let first = signs.next();
    if signs.all(|sign| Some(sign) == first) || COMMON.split(' ').any(|common| common == folded) {
        return Err(Refusal::out_of_bounds("the password is one of the most common ones; choose another"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(password: &str) -> Refusal {
        check(password, &Name::parse("Mara Example").expect("name")).expect_err(password)
    }

    #[test]
    fn a_long_and_uncommon_password_is_accepted() {
        let longest = "ä1".repeat(85);
        for password in ["correct horse", "Zwölf Kekse", &longest] {
            assert_eq!(check(password, &Name::parse("Mara").expect("name")), Ok(()), "{password}");
        }
    }

    #[test]
    fn common_passwords_are_refused() {
        for password in ["password123", "PassWord123", "1234567890", "aaaaaaaaaaaa", "mara example", "Mara Example"] {
            assert_eq!(refusal(password).field.as_deref(), Some("password"), "{password}");
        }
    }

    #[test]
    fn too_short_and_too_long_ones_are_refused() {
        for password in ["", "ninechars", "äöüäöüäöü", &"x1".repeat(129), "with\0a zero byte"] {
            assert_eq!(refusal(password).field.as_deref(), Some("password"), "{password:?}");
        }
    }

    #[test]
    fn a_refusal_never_contains_the_password() {
        for password in ["hunter2", "qwertyuiop", &"secret ".repeat(60)] {
            assert!(!refusal(password).to_string().contains(password));
        }
    }

    #[test]
    fn common_passwords_are_listed_in_the_form_in_which_they_are_compared() {
        for common in COMMON.split(' ') {
            assert_eq!(Name::fold(common), common);
            assert!(common.chars().count() >= limits::PASSWORD_CHARS_MIN, "{common} is refused anyway");
        }
    }

    #[test]
    fn composed_and_decomposed_letters_are_the_same_password() {
        assert_eq!(normal_form("zwo\u{308}lf Kekse"), normal_form("zw\u{f6}lf Kekse"));
    }

    #[test]
    fn a_text_longer_than_any_password_is_not_checked() {
        assert!(may_be_password(&"x".repeat(limits::PASSWORD_BYTES_MAX)));
        assert!(!may_be_password(&"x".repeat(limits::PASSWORD_BYTES_MAX + 1)));
    }
}
