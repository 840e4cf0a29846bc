//! The label of a value: whether an identifier or word announces a secret, and of which class.

use std::ops::Range;

use super::{
    super::{
        shape::char_boundary_before,
        words::{
            DATA_KEY_QUALIFIERS, ENCRYPTED_THINGS, FINGERPRINT_QUALIFIERS, KEY_PURPOSES, LOGIN_WORDS,
            MESSAGE_NAMESPACES, METADATA_SUFFIXES, NETWORK_QUALIFIERS, NETWORK_WORDS, PASSWORD_MANAGERS,
            PROXY_DIRECTIVES, SECRET_CODE_QUALIFIERS, SECRET_KEY_QUALIFIERS, SHARED_SECRET_QUALIFIERS,
            SOURCE_EXTENSIONS, SecretClass, USER_LABELS, secret_label,
        },
    },
    BEFORE_BYTES_MAX,
    classify::{LabelledValue, Separator},
    text_before,
    value::Value,
};

/// Bytes of an identifier on each side of the word, and bytes of context around it.
const NAME_BYTES_MAX: usize = 64;
/// Hexadecimal digits of a 128-bit key.
const KEY_DIGITS: usize = 32;

/// A word or identifier that announces a secret.
#[derive(Debug)]
pub(super) struct Label<'t> {
    pub(super) class: SecretClass,
    pub(super) range: Range<usize>,
    pub(super) name: &'t str,
    /// Whether it is the password of a network.
    pub(super) is_network: bool,
    /// Whether the text before it is about a network.
    pub(super) is_near_network: bool,
    /// Whether the text before it is about signing in.
    pub(super) is_login: bool,
    /// Whether the line above names the user: `user: …`.
    pub(super) is_below_user: bool,
    /// Whether it is written like a setting: joined by symbols, or in capital letters.
    pub(super) is_setting: bool,
}

impl<'t> Label<'t> {
    /// The label around a word, if it announces a secret.
    pub(super) fn around(text: &'t str, word: Range<usize>) -> Option<Self> {
        let range = name_around(text, word.clone());
        let name = &text[range.clone()];
        let parts = parts(name);
        let mut indexes = label_parts(&parts);
        // Labels of two words or in other scripts are no parts of an identifier; they count as a whole.
        if indexes.is_empty() && text[word.clone()].contains(|char: char| !char.is_ascii_alphanumeric()) {
            indexes.push(0);
        }
        let first = indexes.first().copied()?;
        let before = word_before(text, range.start);
        let words = text[word.clone()].split(' ').count();
        let is_metadata = |index: usize| parts.iter().skip(index + words).any(|part| METADATA_SUFFIXES.contains(part));
        let lower = text[word].to_lowercase();
        let after_end = (range.end + NAME_BYTES_MAX).min(text.len());
        let after = &text[range.end..char_boundary_before(text, after_end)];
        let lead = text_before(text, range.start, BEFORE_BYTES_MAX).to_lowercase();
        let is_message_name = parts.iter().take(first).any(|part| MESSAGE_NAMESPACES.contains(part));
        if is_other_name(text, &range, after) || is_message_name || is_reference(&lead, after) {
            return None;
        }
        let class_of_part = |index: &usize| class_of(&parts, *index, &before, &lower);
        let class = network_key(&lower, &lead, after)
            .or_else(|| indexes.iter().filter(|index| !is_metadata(**index)).find_map(class_of_part))
            .or_else(|| key_class(&before, &lower, after).filter(|_| !is_metadata(first)))?;
        let is_network =
            NETWORK_QUALIFIERS.iter().any(|network| before == *network || parts.iter().any(|part| part == network));
        let is_setting = name.contains(['_', '-', '.']) && name.len() > 4
            || name.len() > 1
                && !name.bytes().any(|byte| byte.is_ascii_lowercase())
                // `PW`, `PSK`: also an abbreviation in a sentence.
                && (name.len() > 4 || after.starts_with('='));
        let is_near_network = is_network || has_any(&lead, &NETWORK_WORDS);
        let (is_login, is_below_user) = (has_any(&lead, &LOGIN_WORDS), is_below_user(&lead));
        Some(Self { class, range, name, is_network, is_near_network, is_login, is_below_user, is_setting })
    }

    /// Whether it is an option of a command.
    pub(super) fn is_flag(&self, text: &str) -> bool {
        self.name.starts_with("--")
            || text[..self.range.start].ends_with("--")
            || self.name.starts_with('-') && self.name.len() > 4
    }

    /// The range of a value in its window, if the value is a secret.
    pub(super) fn accept(&self, separator: Separator, value: &Value<'_>, window: &str) -> Option<Range<usize>> {
        LabelledValue { label: self, separator, value, window, is_flag: false }.accept()
    }
}

/// The word before an identifier, in lower case.
fn word_before(text: &str, start: usize) -> String {
    let near = text_before(text, start, NAME_BYTES_MAX).trim_end_matches([' ', '\t']);
    let word = near.rsplit(|char: char| !char.is_alphanumeric() && char != '-').next();
    word.unwrap_or_default().to_lowercase()
}

/// A source file (`src/chpasswd.c`), a function in a change log (`(read_passphrase): …`), a password manager or a directive
/// of a web server.
fn is_other_name(text: &str, range: &Range<usize>, after: &str) -> bool {
    let name = &text[range.clone()];
    name.rsplit_once('.').is_some_and(|(_, extension)| SOURCE_EXTENSIONS.contains(extension))
        || text[..range.start].ends_with('(') && after.starts_with("): ")
        || PASSWORD_MANAGERS.iter().any(|manager| name.eq_ignore_ascii_case(manager))
        || PROXY_DIRECTIVES.contains(name) && after.starts_with([' ', '\t'])
}

/// A template, a value (`reason=bad_password`) or a part of an ARN.
fn is_reference(lead: &str, after: &str) -> bool {
    is_template(lead)
        || is_assigned(lead, after)
        || lead.rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("arn:"))
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Whether the line above consists of a user label and a value.
fn is_below_user(lead: &str) -> bool {
    let Some((above, line)) = lead.rsplit_once('\n') else { return false };
    let above = above.rsplit('\n').next().unwrap_or_default();
    let label = above.split([':', '=']).next().unwrap_or_default().trim_matches([' ', '\t', '-', '*', '>', '•']);
    let is_first = line.trim_matches([' ', '\t', '-', '*', '>', '•']).is_empty();
    is_first && above.contains([':', '=']) && USER_LABELS.contains(label)
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

/// The words of an identifier in lower case: `dbPassword_v2` is `db`, `password`, `v2`.
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

/// The positions of the parts that are labels, the most specific class first. Login phrases and services count only as the
/// whole identifier.
fn label_parts(parts: &[String]) -> Vec<usize> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        // `JWT_SECRET` is a secret, `LOGIN_PASSWORD` a password and `CODE_PUSH_KEY` a key.
        let rank = match secret_label(part).map(|label| label.class) {
            Some(SecretClass::Password) => 0,
            Some(SecretClass::Secret) => 1,
            Some(SecretClass::Token | SecretClass::Key) => 2,
            Some(SecretClass::Pin | SecretClass::Code) => 3,
            Some(SecretClass::Credentials) => 4,
            Some(SecretClass::LoginPhrase | SecretClass::Service) if parts.len() == 1 => 5,
            _ => continue,
        };
        found.push((rank, index));
    }
    found.sort_unstable();
    found.into_iter().map(|(_, index)| index).collect()
}

/// `reason=bad_password`: the word is a value and no name of a setting.
fn is_assigned(lead: &str, after: &str) -> bool {
    let is_named =
        after.starts_with(|char: char| "=:\"'])".contains(char)) || after.starts_with(" =") || after.starts_with(" :");
    // `key=mail.password, value=…` in a log.
    let is_logged = after.trim_start_matches(['"', '\'', ',', ';', ' ']).starts_with("value");
    lead.ends_with('=') && !is_named && !is_logged
}

/// Within the open braces of a template: `{{ .Values.password | b64enc }}`.
fn is_template(lead: &str) -> bool {
    let line = lead.rsplit('\n').next().unwrap_or_default();
    let opened = line
        .rfind("{{")
        .filter(|at| line[at + 2..].starts_with(|char: char| " .-".contains(char) || char.is_alphabetic()));
    opened.is_some_and(|at| !line[at..].contains("}}"))
}

/// `the wifi is Lobby and the key is …`: a typed key in a line about a network.
fn network_key(word: &str, lead: &str, after: &str) -> Option<SecretClass> {
    let line = lead.rsplit('\n').next().unwrap_or_default();
    let is_network = ["wifi", "wi-fi", "wlan", "ssid", "hotspot"].iter().any(|network| line.contains(network));
    let is_linked = [" is ", " was ", " ist ", " est ", " es ", " è ", ":", " :", " =", "=", " `", " \"", " →", " to "]
        .iter()
        .any(|link| after.starts_with(link));
    (is_network && is_linked && matches!(word, "key" | "code") && !line.ends_with('-')).then_some(SecretClass::Password)
}

/// The class of `key` without a qualifier: a password if the text names what it opens, a key if 128 bits in hexadecimal
/// follow.
fn key_class(before: &str, word: &str, after: &str) -> Option<SecretClass> {
    if word != "key" {
        return None;
    }
    let value = after.trim_start_matches([' ', ':', '=']);
    let len = value.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    let is_whole = value.as_bytes().get(len).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-');
    let is_hex = len == KEY_DIGITS && is_whole && value.len() < after.len();
    let opens_thing = || after.split([' ', ':', ',']).take(6).any(|word| ENCRYPTED_THINGS.contains(word));
    let is_opener = KEY_PURPOSES.iter().any(|purpose| after.starts_with(purpose));
    if is_opener || after.starts_with(" for ") && opens_thing() {
        return Some(SecretClass::Password);
    }
    (is_hex && !DATA_KEY_QUALIFIERS.contains(before) && !FINGERPRINT_QUALIFIERS.contains(before))
        .then_some(SecretClass::Key)
}

fn class_of(parts: &[String], index: usize, before: &str, word: &str) -> Option<SecretClass> {
    let part = parts.get(index).map_or(word, String::as_str);
    let previous = index.checked_sub(1).and_then(|index| parts.get(index)).map_or(before, String::as_str);
    let is_joined = index > 0;
    // A label of two words is more specific than each of them.
    let whole = word.contains(' ').then(|| secret_label(word)).flatten();
    let label = whole.or_else(|| secret_label(part)).or_else(|| secret_label(word))?;
    let is_shared = NETWORK_QUALIFIERS.contains(previous)
        || previous == "preshared"
        || previous == "shared" && parts.iter().any(|part| part == "pre");
    // A shared secret of two machines is typed like a password.
    if label.word == "secret" && SHARED_SECRET_QUALIFIERS.contains(previous)
        || is_shared && matches!(label.class, SecretClass::Token | SecretClass::Key)
    {
        return Some(SecretClass::Password);
    }
    let is_secret = match label.word {
        "pin" => !["gpio", "pull", "arduino", "digital", "analog", "data", "output", "input"].contains(&previous),
        "code" => SECRET_CODE_QUALIFIERS.contains(previous),
        "key" => SECRET_KEY_QUALIFIERS.contains(previous) || is_joined && !DATA_KEY_QUALIFIERS.contains(previous),
        "token" => !["page", "next", "continuation", "pagination", "cursor", "sync", "resume"].contains(&previous),
        "salt" | "pepper" => is_joined || part.len() > label.word.len(),
        _ => true,
    };
    // `secret_key` is a key.
    let is_key = label.class == SecretClass::Secret && parts.get(index + 1).is_some_and(|next| next == "key");
    is_secret.then_some(if is_key { SecretClass::Key } else { label.class })
}
