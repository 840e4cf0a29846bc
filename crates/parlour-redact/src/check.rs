//! Closer looks at what a pattern has found.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use regex::Captures;

use super::{drawn, personal, rule::taken, shape, stand_in, told};

/// Base64 as people copy it: with or without padding.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

fn value<'t>(text: &'t str, found: &Captures<'_>) -> &'t str {
    text.get(taken(found)).unwrap_or_default()
}

/// The bytes of a text in base64 or base64url.
pub(super) fn unbase64(value: &str) -> Option<Vec<u8>> {
    let is_url = value.contains(['-', '_']);
    if is_url { URL.decode(value).ok() } else { PLAIN.decode(value).ok() }
}

/// Documentation of a cloud has keys that say so at their end.
pub(super) fn is_no_sample(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    !value.ends_with("EXAMPLE") && !stand_in::is_filler(value)
}

/// Letters and digits, or both cases: no word and no row of one sign.
pub(super) fn is_mixed(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let makeup = shape::Makeup::of(value);
    let is_mix =
        makeup.digits > 0 && makeup.letters() > 0 || makeup.upper > 2 && makeup.lower > 2 && !shape::is_words(value);
    is_mix
        && !value.ends_with("EXAMPLEKEY")
        && !stand_in::is_filler(value)
        && shape::entropy(value) >= 250
        && !shape::is_own_id(value)
}

/// Random to look at, and nothing that stands in for a secret.
pub(super) fn is_random(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    shape::is_random(value) && !stand_in::is_stand_in(value) && !shape::is_own_id(value)
}

/// Random, and no id that programs count visits with: those are UUIDs, and in logs everywhere.
pub(super) fn is_session(text: &str, found: &Captures<'_>) -> bool {
    is_random(text, found) && !shape::is_uuid(value(text, found))
}

/// Letters of both cases and digits that change places all the time.
pub(super) fn is_drawn(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    drawn::is_drawn(value) && !stand_in::is_stand_in(value) && !shape::is_own_id(value)
}

/// Anything that does not stand in for a secret.
pub(super) fn is_no_stand_in(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    !stand_in::is_stand_in(value) && !stand_in::is_code(value)
}

/// The same, where a name with dots is no code: it stands where only values do.
pub(super) fn is_no_stand_in_word(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    !stand_in::is_stand_in(value) && (!stand_in::is_code(value) || stand_in::is_dotted(value))
}

/// What is made into a hash or a code: no sentence and no file.
pub(super) fn is_piped_password(text: &str, found: &Captures<'_>) -> bool {
    !value(text, found).contains(char::is_whitespace) && is_command_password(text, found)
}

/// What a command has printed that prints a secret: one word, and no message.
pub(super) fn is_printed(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let makeup = shape::Makeup::of(value);
    // `Holzwurm-im-Regal`: joined words, as no message of a command is one.
    let is_joined = makeup.upper > 0 && makeup.letters() > 5 && value.contains(['-', '_']) && makeup.lower > 0;
    let is_one =
        (makeup.digits > 0 || is_joined) && makeup.letters() > 2 && !value.ends_with([':', '$', '#', '%', '>']);
    is_one
        && !personal::is_file(value)
        && !value.starts_with(['/', '-', '~'])
        && !value.contains("://")
        && is_no_stand_in(text, found)
}

/// The same, where a command may also take a port, a folder or a name behind the same letter.
pub(super) fn is_command_password(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let makeup = shape::Makeup::of(value);
    let is_telling = makeup.digits > 0 && makeup.letters() > 0 || makeup.signs > 0 && makeup.letters() > 3;
    is_telling && !value.contains(['/', ':']) && is_no_stand_in(text, found)
}

/// Letters of both cases with digits, as no name of a machine or file has them: for places where hardly anything says so.
pub(super) fn is_mixed_word(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let makeup = shape::Makeup::of(value);
    let is_sheet = value.to_ascii_lowercase().starts_with("sheet");
    makeup.upper > 0
        && makeup.lower > 1
        && makeup.digits > 0
        && !value.contains(['/', ':', '=', '(', '[', '{', '<', '|', '\\', '$'])
        && !is_sheet
        && !told::is_trade(value)
        && !told::is_version(value)
        && !personal::is_file(value)
        && !told::has_code_noun(value)
        && is_no_stand_in(text, found)
}

/// What stands behind a user whom every machine has: no name in code, which may begin as the user does.
pub(super) fn is_user_password(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let user = found.get(0).map_or("", |whole| whole.as_str()).split(|char: char| !char.is_alphanumeric()).next();
    let is_same = user.is_some_and(|user| value.get(..user.len()).is_some_and(|head| head.eq_ignore_ascii_case(user)));
    let is_name = told::is_identifier(value)
        || shape::Makeup::of(value).signs == 0 && value.chars().skip(1).any(char::is_uppercase);
    is_mixed_word(text, found) && !(is_same && is_name)
}

/// The second of a pair, where no word says what the two are: mixed, and nothing that has a name.
pub(super) fn is_pair_password(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let makeup = shape::Makeup::of(value);
    is_mixed_word(text, found)
        && !told::is_prefixed_id(value)
        && shape::is_random(value)
        && makeup.digits > 1
        && makeup.digits + makeup.signs > 2
}

/// Set in code, and no sentence that asks for one.
pub(super) fn is_set_value(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let makeup = shape::Makeup::of(value);
    makeup.digits + makeup.signs > value.matches(' ').count() && is_no_stand_in(text, found)
}

/// In code within code, and no key that everybody may know.
pub(super) fn is_coded_secret(text: &str, found: &Captures<'_>) -> bool {
    let whole = found.get(0).map_or("", |whole| whole.as_str()).to_ascii_lowercase();
    let is_known = ["public", "pub_", "pubkey", "verify", "cache", "primary", "nonce=", ", iv="]
        .iter()
        .any(|word| whole.contains(word));
    !is_known && is_no_stand_in(text, found)
}

/// The same, as it is typed.
pub(super) fn is_coded_value(text: &str, found: &Captures<'_>) -> bool {
    is_coded_secret(text, found) && is_set_value(text, found)
}

/// A piece of something drawn by lot.
pub(super) fn is_piece(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let makeup = shape::Makeup::of(value);
    let is_both = makeup.upper > 1 && makeup.lower > 1;
    // Small letters and digits may be anything: only where the text speaks of a secret are they a piece of one.
    let is_low = || makeup.digits > 1 && shape::is_random(value) && value.len() >= 12 && says_secret(text, found);
    let is_drawn = drawn::changes(value) * 4 >= value.len()
        && (is_both && (makeup.digits > 0 || !shape::is_words(value)) || is_low());
    is_drawn && shape::entropy(value) >= 260 && !stand_in::is_stand_in(value)
}

/// Bytes around a match in which the text may speak of a secret.
const AROUND_BYTES_MAX: usize = 200;

/// Whether the text speaks of a secret near the match.
pub(super) fn says_secret(text: &str, found: &Captures<'_>) -> bool {
    let range = taken(found);
    let from = super::told::floor(text, range.start.saturating_sub(AROUND_BYTES_MAX));
    let to = super::told::floor(text, (range.end + AROUND_BYTES_MAX).min(text.len()));
    let around = text[from..to].to_lowercase();
    ["password", "passwort", " pw", "psk", "secret", "token", " key", "key "].iter().any(|word| around.contains(word))
}

/// Codes in a row: some with letters and digits, or more than one of digits.
pub(super) fn are_codes(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let is_row = shape::Makeup::of(value).digits >= 12 && value.trim().contains(['\n', ',']);
    is_mixed(text, found) || is_row
}

/// A number that counts nothing: no unit stands behind it.
pub(super) fn is_no_measure(text: &str, found: &Captures<'_>) -> bool {
    let after = text.get(taken(found).end..).unwrap_or_default();
    !after.trim_start_matches([' ', '\t']).starts_with(|char: char| char.is_alphabetic() || char == '%')
}

/// A key word stands in the match itself.
pub(super) fn has_key_word(text: &str, found: &Captures<'_>) -> bool {
    let whole = found.get(0).map_or("", |whole| whole.as_str()).to_ascii_lowercase();
    let _ = text;
    ["key", "token", "secret", "auth"].iter().any(|word| whole.contains(word))
}

/// The head of a signed token is an object that names the way it was signed.
pub(super) fn is_jwt(text: &str, found: &Captures<'_>) -> bool {
    let head = value(text, found).split('.').next().unwrap_or_default();
    // Heads that were cut or changed still begin as all of them do.
    let bytes = unbase64(head).or_else(|| unbase64(head.get(..head.len() / 4 * 4)?));
    bytes.is_some_and(|bytes| {
        let head = String::from_utf8_lossy(&bytes);
        head.starts_with('{') && (head.contains("\"alg\"") || head.contains("\"enc\"") || head.contains("\"typ\""))
    })
}

/// The first part is the id of an account, in base64.
pub(super) fn is_discord(text: &str, found: &Captures<'_>) -> bool {
    let first = value(text, found).split('.').next().unwrap_or_default();
    unbase64(first).is_some_and(|bytes| bytes.len() >= 15 && bytes.iter().all(u8::is_ascii_digit))
        || is_mixed(text, found)
}

/// `user:password` in base64.
pub(super) fn is_user_and_password(text: &str, found: &Captures<'_>) -> bool {
    let decoded = unbase64(value(text, found)).and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.is_some_and(|pair| {
        pair.chars().all(|char| !char.is_control())
            && pair.split_once(':').is_some_and(|(_, password)| password.len() > 2)
    })
}

/// A password in an address. Defaults of a database on the own machine protect nothing.
pub(super) fn is_url_password(_text: &str, found: &Captures<'_>) -> bool {
    let group = |index| found.get(index).map_or("", |group: regex::Match<'_>| group.as_str());
    let (user, password, host) = (group(1), group(2), group(3));
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_near = !name.contains('.') || name.starts_with("127.");
    let is_port = password.bytes().all(|byte| byte.is_ascii_digit()) && password.len() < 6 && user.contains('.');
    // A name with dots is a password here: code would stand in brackets.
    let is_code = stand_in::is_code(password) && !stand_in::is_dotted(password);
    let is_default = user.eq_ignore_ascii_case(password) && is_near;
    !(stand_in::is_stand_in(password) || is_code || is_default || is_port)
}

/// A value in the query of an address.
pub(super) fn is_query_secret(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let whole = found.get(0).map_or("", |whole| whole.as_str());
    let name =
        whole.trim_start_matches(['?', '&', ';', '#']).split('=').next().unwrap_or_default().to_ascii_lowercase();
    if stand_in::is_stand_in(value) || stand_in::is_code(value) {
        return false;
    }
    let makeup = shape::Makeup::of(value);
    match name.as_str() {
        "password" | "passwd" | "pwd" | "pass" | "pw" | "passwort" | "passcode" => {
            makeup.digits + makeup.signs > 0 || makeup.all() >= 8
        }
        "code" | "key" | "invite" | "ticket" | "auth" | "session" | "sid" | "signature" => {
            shape::is_random(value) && value.len() >= 10
        }
        "otp" => makeup.digits >= 4,
        _ => {
            makeup.digits > 0 && makeup.letters() > 0 && value.len() >= 6 && !shape::is_name_with_number(value)
                || shape::is_random(value)
        }
    }
}

/// Some pair of a cookie is more than a setting.
pub(super) fn is_session_cookie(text: &str, found: &Captures<'_>) -> bool {
    let pairs = value(text, found).split(';');
    pairs.filter_map(|pair| pair.trim().split_once('=')).any(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let is_telling =
            ["sess", "sid", "auth", "token", "jwt", "csrf", "login", "remember"].iter().any(|part| name.contains(part));
        let value = value.split_whitespace().next().unwrap_or_default();
        !stand_in::is_stand_in(value)
            && !stand_in::is_code(value)
            && (shape::is_random(value) && value.len() >= 12
                || is_telling && shape::Makeup::of(value).digits > 0 && value.len() >= 6)
    })
}
