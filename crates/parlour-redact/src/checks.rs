//! Checks of matches: functions that rules name in their field `check`.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use regex::Captures;

use super::{
    benign::{self, is_version},
    high_entropy, personal, placeholder,
    rules::redacted_range,
    shape::{self, CharCounts, char_boundary_before},
    words::{ALGORITHM_PREFIXES, NON_USERS},
};

/// Base64 with or without padding.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// The value of a match.
pub(crate) fn value<'t>(text: &'t str, found: &Captures<'_>) -> &'t str {
    text.get(redacted_range(found)).unwrap_or_default()
}

/// Decodes Base64 or Base64url.
pub(crate) fn decode_base64(value: &str) -> Option<Vec<u8>> {
    let is_url = value.contains(['-', '_']);
    if is_url { URL.decode(value).ok() } else { PLAIN.decode(value).ok() }
}

/// No example key of the documentation of a cloud.
pub(crate) fn is_not_sample(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    !value.ends_with("EXAMPLE") && !placeholder::is_filler(value)
}

/// Letters and digits, or both cases: no word and no repeated character.
pub(crate) fn is_mixed(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    let is_mix =
        counts.digits > 0 && counts.letters() > 0 || counts.upper > 2 && counts.lower > 2 && !shape::is_words(value);
    is_mix
        && !value.ends_with("EXAMPLEKEY")
        && !placeholder::is_filler(value)
        && shape::entropy(value) >= 250
        && !shape::is_own_id(value)
}

/// Random, and no placeholder.
pub(crate) fn is_random(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    shape::is_random(value) && !placeholder::is_placeholder(value) && !shape::is_own_id(value)
}

/// Random, and no UUID: those are visitor ids, and in logs everywhere.
pub(crate) fn is_session(text: &str, found: &Captures<'_>) -> bool {
    is_random(text, found) && !shape::is_uuid(value(text, found))
}

/// High entropy: upper case, lower case and digits alternate.
pub(crate) fn is_high_entropy(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    high_entropy::is_high_entropy(value) && !placeholder::is_placeholder(value) && !shape::is_own_id(value)
}

/// Neither a placeholder nor code.
pub(crate) fn is_not_placeholder(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    !placeholder::is_placeholder(value) && !placeholder::is_code(value)
}

/// The same at a position that only values have, so that words with dots are no code.
pub(crate) fn is_not_placeholder_or_call(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    !placeholder::is_placeholder(value) && (!placeholder::is_code(value) || placeholder::is_dotted(value))
}

/// A password that is piped to a digest program: no sentence and no file.
pub(crate) fn is_piped_password(text: &str, found: &Captures<'_>) -> bool {
    !value(text, found).contains(char::is_whitespace) && is_command_password(text, found)
}

/// The output of a command that prints a secret: one word, and no message.
pub(crate) fn is_printed(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    // `Holzwurm-im-Regal`: joined words, unlike a message.
    let is_joined = counts.upper > 0 && counts.letters() > 5 && value.contains(['-', '_']) && counts.lower > 0;
    let is_one =
        (counts.digits > 0 || is_joined) && counts.letters() > 2 && !value.ends_with([':', '$', '#', '%', '>']);
    is_one
        && !personal::is_file(value)
        && !value.starts_with(['/', '-', '~'])
        && !value.contains("://")
        && is_not_placeholder(text, found)
}

/// A password after an option that may also take a port, a folder or a name.
pub(crate) fn is_command_password(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    let is_distinctive = counts.digits > 0 && counts.letters() > 0 || counts.symbols > 0 && counts.letters() > 3;
    is_distinctive && !value.contains(['/', ':']) && is_not_placeholder(text, found)
}

/// Both cases and digits, unlike the name of a machine or file: for positions that say little.
pub(crate) fn is_mixed_word(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    let is_sheet = value.to_ascii_lowercase().starts_with("sheet");
    counts.upper > 0
        && counts.lower > 1
        && counts.digits > 0
        && !value.contains(['/', ':', '=', '(', '[', '{', '<', '|', '\\', '$'])
        && !is_sheet
        && !benign::is_technical_term(value)
        && !benign::is_version(value)
        && !personal::is_file(value)
        && !benign::has_code_noun(value)
        && is_not_placeholder(text, found)
}

/// A value after a default user that is no identifier, which may begin with the name of the user.
pub(crate) fn is_user_password(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let user = found.get(0).map_or("", |whole| whole.as_str()).split(|char: char| !char.is_alphanumeric()).next();
    let is_same = user.is_some_and(|user| value.get(..user.len()).is_some_and(|head| head.eq_ignore_ascii_case(user)));
    let is_name = benign::is_identifier(value)
        || CharCounts::of(value).symbols == 0 && value.chars().skip(1).any(char::is_uppercase);
    is_mixed_word(text, found) && !(is_same && is_name)
}

/// The second value of an unlabelled pair: mixed, and no id or name.
pub(crate) fn is_pair_password(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    is_mixed_word(text, found)
        && !benign::is_prefixed_id(value)
        && shape::is_random(value)
        && counts.digits > 1
        && counts.digits + counts.symbols > 2
}

/// A value in code, and no sentence.
pub(crate) fn is_set_value(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    counts.digits + counts.symbols > value.matches(' ').count() && is_not_placeholder(text, found)
}

/// An encoded key in code that is not public.
pub(crate) fn is_encoded_key(text: &str, found: &Captures<'_>) -> bool {
    let whole = found.get(0).map_or("", |whole| whole.as_str()).to_ascii_lowercase();
    let is_known = ["public", "pub_", "pubkey", "verify", "cache", "primary", "nonce=", ", iv="]
        .iter()
        .any(|word| whole.contains(word));
    !is_known && is_not_placeholder(text, found)
}

/// The same, written as text.
pub(crate) fn is_encoded_value(text: &str, found: &Captures<'_>) -> bool {
    is_encoded_key(text, found) && is_set_value(text, found)
}

/// A part of a random secret.
pub(crate) fn is_secret_part(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    let is_both = counts.upper > 1 && counts.lower > 1;
    // Lower case and digits may be anything: they count only where the text mentions a secret.
    let is_low = || counts.digits > 1 && shape::is_random(value) && value.len() >= 12 && mentions_secret(text, found);
    let is_high_entropy = high_entropy::changes(value) * 4 >= value.len()
        && (is_both && (counts.digits > 0 || !shape::is_words(value)) || is_low());
    is_high_entropy && shape::entropy(value) >= 260 && !placeholder::is_placeholder(value)
}

/// Bytes before a returned signing key that are searched for JWTs.
const SIGNING_BYTES_MAX: usize = 400;
/// Bytes around a match that are searched for words about secrets.
const AROUND_BYTES_MAX: usize = 200;

/// Whether the text near the match mentions a secret.
pub(crate) fn mentions_secret(text: &str, found: &Captures<'_>) -> bool {
    let range = redacted_range(found);
    let from = char_boundary_before(text, range.start.saturating_sub(AROUND_BYTES_MAX));
    let to = char_boundary_before(text, (range.end + AROUND_BYTES_MAX).min(text.len()));
    let around = text[from..to].to_lowercase();
    ["password", "passwort", " pw", "psk", "secret", "token", " key", "key "].iter().any(|word| around.contains(word))
}

/// A list of codes: letters and digits, or more than one number.
pub(crate) fn are_codes(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let is_row = CharCounts::of(value).digits >= 12 && value.trim().contains(['\n', ',']);
    is_mixed(text, found) || is_row
}

/// A number without a unit after it.
pub(crate) fn is_not_measurement(text: &str, found: &Captures<'_>) -> bool {
    let after = text.get(redacted_range(found).end..).unwrap_or_default();
    !after.trim_start_matches([' ', '\t']).starts_with(|char: char| char.is_alphabetic() || char == '%')
}

/// The match contains a word for keys.
pub(crate) fn has_key_word(_text: &str, found: &Captures<'_>) -> bool {
    let whole = found.get(0).map_or("", |whole| whole.as_str()).to_ascii_lowercase();
    ["key", "token", "secret", "auth"].iter().any(|word| whole.contains(word))
}

/// The header of a JWT is an object that names its algorithm or type.
pub(crate) fn is_jwt(text: &str, found: &Captures<'_>) -> bool {
    let head = value(text, found).split('.').next().unwrap_or_default();
    // Truncated headers are decoded as far as possible.
    let bytes = decode_base64(head).or_else(|| decode_base64(head.get(..head.len() / 4 * 4)?));
    bytes.is_some_and(|bytes| {
        let head = String::from_utf8_lossy(&bytes);
        head.starts_with('{') && (head.contains("\"alg\"") || head.contains("\"enc\"") || head.contains("\"typ\""))
    })
}

/// The first part is an account id in Base64.
pub(crate) fn is_discord(text: &str, found: &Captures<'_>) -> bool {
    let first = value(text, found).split('.').next().unwrap_or_default();
    decode_base64(first).is_some_and(|bytes| bytes.len() >= 15 && bytes.iter().all(u8::is_ascii_digit))
        || is_mixed(text, found)
}

/// `user:password` in Base64.
pub(crate) fn is_user_and_password(text: &str, found: &Captures<'_>) -> bool {
    let decoded = decode_base64(value(text, found)).and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.is_some_and(|pair| {
        pair.chars().all(|char| !char.is_control())
            && pair.split_once(':').is_some_and(|(_, password)| password.len() > 2)
    })
}

/// A password in a URL. Default passwords of local databases are no secrets.
pub(crate) fn is_url_password(_text: &str, found: &Captures<'_>) -> bool {
    let group = |index| found.get(index).map_or("", |group: regex::Match<'_>| group.as_str());
    let (user, password, host) = (group(1), group(2), group(3));
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_near = !name.contains('.') || name.starts_with("127.");
    let is_port = password.bytes().all(|byte| byte.is_ascii_digit()) && password.len() < 6 && user.contains('.');
    // Words with dots are a password here: code would be in brackets.
    let is_code = placeholder::is_code(password) && !placeholder::is_dotted(password);
    let is_default = user.eq_ignore_ascii_case(password) && is_near;
    !(placeholder::is_placeholder(password) || is_code || is_default || is_port)
}

/// A secret in the query of a URL.
pub(crate) fn is_query_secret(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let whole = found.get(0).map_or("", |whole| whole.as_str());
    let name =
        whole.trim_start_matches(['?', '&', ';', '#']).split('=').next().unwrap_or_default().to_ascii_lowercase();
    if placeholder::is_placeholder(value) || placeholder::is_code(value) {
        return false;
    }
    let counts = CharCounts::of(value);
    match name.as_str() {
        "password" | "passwd" | "pwd" | "pass" | "pw" | "passwort" | "passcode" => {
            counts.digits + counts.symbols > 0 || counts.all() >= 8
        }
        "code" | "key" | "invite" | "ticket" | "auth" | "session" | "sid" | "signature" => {
            shape::is_random(value) && value.len() >= 10
        }
        "otp" => counts.digits >= 4,
        _ => {
            counts.digits > 0 && counts.letters() > 0 && value.len() >= 6 && !shape::is_name_with_number(value)
                || shape::is_random(value)
        }
    }
}

/// A cookie with a session in it.
pub(crate) fn is_session_cookie(text: &str, found: &Captures<'_>) -> bool {
    let pairs = value(text, found).split(';');
    pairs.filter_map(|pair| pair.trim().split_once('=')).any(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let is_distinctive =
            ["sess", "sid", "auth", "token", "jwt", "csrf", "login", "remember"].iter().any(|part| name.contains(part));
        let value = value.split_whitespace().next().unwrap_or_default();
        !placeholder::is_placeholder(value)
            && !placeholder::is_code(value)
            && (shape::is_random(value) && value.len() >= 12
                || is_distinctive && CharCounts::of(value).digits > 0 && value.len() >= 6)
    })
}

/// A value in the position of a signing key: no algorithm, file or sentence.
pub(crate) fn is_signing_key(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let lower = value.to_ascii_lowercase();
    let is_algorithm = ALGORITHM_PREFIXES.iter().any(|prefix| lower.starts_with(prefix)) && value.len() < 24;
    !is_algorithm
        && !value.contains(char::is_whitespace)
        && !value.contains("://")
        && !personal::is_file(value)
        && !placeholder::is_filler(value)
        && is_not_placeholder_or_call(text, found)
}

/// The same, where the code before mentions JWTs.
pub(crate) fn is_returned_signing_key(text: &str, found: &Captures<'_>) -> bool {
    let end = redacted_range(found).start;
    let before = text[char_boundary_before(text, end.saturating_sub(SIGNING_BYTES_MAX))..end].to_ascii_lowercase();
    before.contains("jwt") && is_signing_key(text, found)
}

/// A password after a user and an address: no folder, file or version.
pub(crate) fn is_relay_password(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    !value.contains('/') && !personal::is_file(value) && !is_version(value) && is_not_placeholder_or_call(text, found)
}

/// The same after a user name without an address: it has to look like a password.
pub(crate) fn is_user_of_relay(text: &str, found: &Captures<'_>) -> bool {
    let user = found.name("u").map_or("", |user| user.as_str()).to_ascii_lowercase();
    let value = value(text, found);
    let counts = CharCounts::of(value);
    let is_distinctive = counts.letters() > 3 && (counts.digits + counts.upper > 0 || counts.symbols > 1);
    is_distinctive && !NON_USERS.contains(user.as_str()) && is_relay_password(text, found)
}

/// The key of a network: any words, but no code.
pub(crate) fn is_network_key(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    !placeholder::is_placeholder(value)
        && (!placeholder::is_code(value) || placeholder::is_dotted_words(value))
        && !personal::is_file(value)
}

/// The key of a network in a sentence that does not mention a password: letters with digits, or with symbols that no
/// ordinary word has. Capitals with digits are the name of a network.
pub(crate) fn is_network_word(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let counts = CharCounts::of(value);
    let has_digits = counts.digits > 0
        && counts.lower > 2
        && counts.letters() > 3
        && !value.starts_with(|char: char| char.is_ascii_digit());
    let has_symbols = counts.letters() > 3 && value.contains(['!', '#', '$', '%', '&', '*', '+', '^', '@']);
    (has_digits || has_symbols)
        && !value.contains(['/', ':'])
        && !benign::is_technical_term(value)
        && !benign::is_version(value)
        && is_not_placeholder(text, found)
}

/// An SNMP community that is no default.
pub(crate) fn is_community(text: &str, found: &regex::Captures<'_>) -> bool {
    let value = value(text, found);
    !["public", "private", "default", "community"].contains(&value) && is_not_placeholder(text, found)
}
