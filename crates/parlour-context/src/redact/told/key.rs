//! The name in front of a value: whether it is one of a secret, and of which sort.

use std::ops::Range;

use super::super::words::{
    AFTERTHOUGHTS, CODE_KINDS, KEY_KINDS, PASSWORD_ENDINGS, PASSWORD_WORDS, PLAIN_KEYS, SECRET_ENDINGS, TOKEN_ENDINGS,
};

/// Bytes of a name that are looked at, to each side of the word.
const NAME_BYTES_MAX: usize = 64;

/// The words that the scanner looks for; each may begin, end or be part of a name.
pub(in super::super) const WORDS: &[&str] = &[
    "password",
    "pasword",
    "passwrod",
    "passowrd",
    "passwort",
    "paswort",
    "pssword",
    "kennwort",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "pword",
    "pass",
    "pw",
    "psw",
    "mdp",
    "mot de passe",
    "contraseña",
    "contrasena",
    "clave",
    "senha",
    "wachtwoord",
    "hasło",
    "haslo",
    "lösenord",
    "adgangskode",
    "salasana",
    "parola",
    "Пароль",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "secret",
    "token",
    "apikey",
    "key",
    "credential",
    "creds",
    "zugangsdaten",
    "anmeldedaten",
    "login",
    "identifiants",
    "pin",
    "otp",
    "code",
    "salt",
    "pepper",
    "bearer",
    "jwt",
    "schlüssel",
    "geheimnis",
];

/// What a value of this name would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Password,
    Secret,
    Token,
    Key,
    Pin,
    Code,
    Credentials,
}

impl Class {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Password | Self::Credentials => "password",
            Self::Secret => "secret",
            Self::Token => "token",
            Self::Key => "api-key",
            Self::Pin => "pin",
            Self::Code => "code",
        }
    }
}

/// A name.
#[derive(Debug)]
pub(super) struct Key<'t> {
    pub(super) class: Class,
    pub(super) range: Range<usize>,
    pub(super) name: &'t str,
    /// Whether it is joined by signs or written in capital letters, as settings are.
    pub(super) is_setting: bool,
}

impl<'t> Key<'t> {
    /// The name that a word stands in, if it names a secret.
    pub(super) fn around(text: &'t str, word: Range<usize>) -> Option<Self> {
        let range = name_around(text, word.clone());
        let name = &text[range.clone()];
        let parts = parts(name);
        let place = parts.iter().position(|part| is_telling(part)).or_else(|| {
            // Names beyond ASCII and of two words are no parts: they count as they stand.
            text[word.clone()].contains(|char: char| !char.is_ascii() || char == ' ').then_some(0)
        })?;
        let before = text[..range.start]
            .trim_end_matches([' ', '\t'])
            .rsplit(|char: char| !char.is_alphanumeric() && char != '-')
            .next()
            .unwrap_or_default();
        let is_plain = parts.iter().skip(place + 1).any(|part| AFTERTHOUGHTS.contains(&part.as_str()));
        if is_plain {
            return None;
        }
        let lower = text[word.clone()].to_lowercase();
        let class = class_of(&parts, place, &before.to_lowercase(), &lower)?;
        let is_setting = name.contains(['_', '-', '.']) && name.len() > 4
            || name.len() > 1 && !name.bytes().any(|byte| byte.is_ascii_lowercase());
        Some(Self { class, range, name, is_setting })
    }

    /// Whether it is an option of a command.
    pub(super) fn is_flag(&self, text: &str) -> bool {
        self.name.starts_with("--")
            || text[..self.range.start].ends_with("--")
            || self.name.starts_with('-') && self.name.len() > 4
    }
}

fn name_around(text: &str, word: Range<usize>) -> Range<usize> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    let left = bytes[..word.start].iter().rev().take(NAME_BYTES_MAX).take_while(|byte| is_name(byte)).count();
    let right = bytes[word.end..].iter().take(NAME_BYTES_MAX).take_while(|byte| is_name(byte)).count();
    let mut end = word.end + right;
    // A full stop or a dash at the end belongs to the sentence.
    while end > word.end && !bytes[end - 1].is_ascii_alphanumeric() {
        end -= 1;
    }
    word.start - left..end
}

/// The words of a name in lower case: `dbPassword_v2` is `db`, `password`, `v2`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars() {
        let is_break = !char.is_alphanumeric();
        if is_break || (char.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        if !is_break && let Some(part) = parts.last_mut() {
            part.extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn ends_in(part: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| {
        part.ends_with(ending) || part.trim_end_matches(|char: char| char.is_ascii_digit()).ends_with(ending)
    })
}

fn is_telling(part: &str) -> bool {
    ends_in(part, PASSWORD_ENDINGS)
        || ends_in(part, TOKEN_ENDINGS)
        || ends_in(part, SECRET_ENDINGS)
        || PASSWORD_WORDS.contains(&part.trim_end_matches(|char: char| char.is_ascii_digit()))
        || [
            "key",
            "pin",
            "otp",
            "code",
            "creds",
            "credentials",
            "login",
            "logins",
            "zugangsdaten",
            "anmeldedaten",
            "identifiants",
        ]
        .contains(&part)
}

fn class_of(parts: &[String], place: usize, before: &str, word: &str) -> Option<Class> {
    let part = parts.get(place).map_or(word, String::as_str);
    let previous = place.checked_sub(1).and_then(|place| parts.get(place)).map_or(before, String::as_str);
    let is_joined = place > 0;
    let class = match part {
        "creds" | "credentials" | "login" | "logins" | "zugangsdaten" | "anmeldedaten" | "identifiants" => {
            Class::Credentials
        }
        "pin" if !["gpio", "pull", "arduino", "digital", "analog", "data", "output", "input"].contains(&previous) => {
            Class::Pin
        }
        "otp" => Class::Code,
        "code" if CODE_KINDS.contains(&previous) => Class::Code,
        "pin" | "code" => return None,
        "key" if KEY_KINDS.contains(&previous) || is_joined && !PLAIN_KEYS.contains(&previous) => Class::Key,
        "key" => return None,
        _ if ends_in(part, SECRET_ENDINGS) && !["salt", "pepper"].contains(&part)
            || is_joined && ["salt", "pepper"].contains(&part) =>
        {
            // `secret_key`, `secret-token`: what follows says more.
            match parts.get(place + 1).map(String::as_str) {
                Some("key") => Class::Key,
                _ => Class::Secret,
            }
        }
        "salt" | "pepper" => return None,
        _ if ends_in(part, TOKEN_ENDINGS) => {
            if part.ends_with("key") {
                Class::Key
            } else {
                Class::Token
            }
        }
        _ => Class::Password,
    };
    Some(class)
}
