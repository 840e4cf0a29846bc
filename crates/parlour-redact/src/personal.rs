//! Checks of personal data: check digits, known prefixes, and values that only look like it.

use std::net::{Ipv4Addr, Ipv6Addr};

use regex::Captures;

use super::{
    checks::value,
    rules::redacted_range,
    shape::char_boundary_before,
    words::{DOCUMENT_EXTENSIONS, FILE_EXTENSIONS},
};

/// Whether a name has the extension of a file.
pub(crate) fn is_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        let ending = ending.to_ascii_lowercase();
        FILE_EXTENSIONS.contains(ending.as_str()) || DOCUMENT_EXTENSIONS.contains(ending.as_str())
    })
}

/// Commands whose argument is a user and a host, like a mail address.
const LOGIN_COMMANDS: &[&str] = &["ssh", "scp", "sftp", "rsync", "mosh", "ssh-copy-id", "autossh"];
/// Public DNS resolvers.
const KNOWN_HOSTS: &[[u8; 4]] = &[[8, 8, 8, 8], [8, 8, 4, 4], [1, 1, 1, 1], [1, 0, 0, 1], [9, 9, 9, 9]];

/// Bytes before a value that contain forty characters at most.
const LEAD_BYTES_MAX: usize = 160;

/// The last forty characters before the value on its line, in lower case.
fn before(text: &str, found: &Captures<'_>) -> String {
    let end = redacted_range(found).start;
    let start = char_boundary_before(text, end.saturating_sub(LEAD_BYTES_MAX));
    let head = text.get(start..end).unwrap_or_default();
    let line = head.rsplit('\n').next().unwrap_or_default();
    let near = line.char_indices().rev().nth(39).map_or(line, |(at, _)| &line[at..]);
    near.to_lowercase()
}

fn digits_of(value: &str) -> Vec<u8> {
    value.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect()
}

fn has_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Whether the check digit is valid (Luhn).
fn is_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| match (index % 2, u32::from(*digit) * 2) {
            (0, doubled) => doubled / 2,
            (_, doubled) => doubled / 10 + doubled % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// A payment card: the prefix and length of a known brand, and a valid check digit.
pub(crate) fn is_card(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let digits = digits_of(value);
    let head = digits.iter().take(4).fold(0_u32, |head, digit| head * 10 + u32::from(*digit));
    let lens: &[usize] = match head {
        4000..=4999 => &[13, 16, 19],
        5100..=5599 | 2221..=2720 => &[16],
        3400..=3499 | 3700..=3799 => &[15],
        3000..=3059 | 3600..=3699 | 3800..=3899 => &[14],
        6011 | 6440..=6599 | 3528..=3589 | 6200..=6299 => &[16, 19],
        5000..=5099 | 5600..=5899 | 6304 | 6759 | 6761..=6763 => &[16],
        _ => return false,
    };
    let is_split = value.contains([' ', '-']);
    let is_grouped = is_split && (has_groups(value, &[4, 4, 4]) || has_groups(value, &[4, 6]));
    let is_named =
        || has_word(&before(text, found), &["card", "visa", "master", "amex", "karte", "carte", "tarjeta", "pan"]);
    let is_usual = !is_split && matches!(digits.len(), 14..=16);
    lens.contains(&digits.len())
        && is_luhn(&digits)
        && !digits.iter().all(|digit| *digit == digits[0])
        && (is_grouped || is_usual || is_named())
}

/// Whether the groups of digits begin with groups of these lengths.
fn has_groups(value: &str, lens: &[usize]) -> bool {
    let mut groups = value.split([' ', '-']).map(str::len);
    lens.iter().all(|len| groups.next() == Some(*len))
}

/// An IBAN with valid check digits.
pub(crate) fn is_iban(text: &str, found: &Captures<'_>) -> bool {
    let plain: String = value(text, found).chars().filter(|char| *char != ' ').collect();
    if !(15..=34).contains(&plain.len()) {
        return false;
    }
    let rest = plain.bytes().skip(4).chain(plain.bytes().take(4)).fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    rest == 1
}

/// A mail address, and no SSH login, package or file.
pub(crate) fn is_mail(text: &str, found: &Captures<'_>) -> bool {
    let range = redacted_range(found);
    let value = value(text, found);
    let Some((user, host)) = value.split_once('@') else { return false };
    let ending = host.rsplit('.').next().unwrap_or_default().to_lowercase();
    let after = text.get(range.end..).unwrap_or_default();
    let is_remote_path = after
        .strip_prefix(':')
        .is_some_and(|rest| rest.starts_with(|char: char| char.is_alphanumeric() || "/~.".contains(char)));
    let before = before(text, found);
    let is_message = has_word(&before, &["message-id", "in-reply-to", "references:"]);
    let is_credential_pair =
        is_message || before.split_whitespace().any(|word| LOGIN_COMMANDS.contains(&word)) || before.ends_with("://");
    let is_password = before.rsplit_once("://").is_some_and(|(_, rest)| !rest.contains([' ', '/']));
    user != "git"
        && !FILE_EXTENSIONS.contains(ending.as_str())
        && !is_remote_path
        && !is_credential_pair
        && !is_password
}

/// An international telephone number, and no count.
pub(crate) fn is_phone(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let digits = digits_of(value).len();
    let after = text.get(redacted_range(found).end..).unwrap_or_default();
    let is_whole = !after.starts_with(|char: char| char.is_alphanumeric() || char == '_' || char == '%');
    let has_groups = value.contains([' ', '-', '(', '.', '/']);
    let is_count = has_word(after.trim_start().get(..5).unwrap_or_default(), &["line", "inser", "delet", "byte", "ms"]);
    (9..=15).contains(&digits) && is_whole && !is_count && (has_groups || digits >= 10) && !value.contains("--")
}

/// A national telephone number, and no hex dump or id.
pub(crate) fn is_national_phone(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let digits = digits_of(value).len();
    let after = text.get(redacted_range(found).end..).unwrap_or_default();
    let is_dump = after
        .split_whitespace()
        .next()
        .is_some_and(|next| next.len() == 2 && next.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let before = before(text, found);
    let is_dump = is_dump
        || before
            .split_whitespace()
            .next_back()
            .is_some_and(|last| last.len() == 2 && last.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let is_other = has_word(
        &before,
        &["order", "invoice", "ticket", "isbn", "serial", "id ", "offset", "rechnung", "version", "build"],
    );
    (9..=14).contains(&digits) && !is_dump && !is_other
}

/// A telephone number after a label, and no date or address.
pub(crate) fn is_named_phone(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let digits = digits_of(value).len();
    let is_date = value.len() == 10 && value.as_bytes().get(4) == Some(&b'-') && value.as_bytes().get(7) == Some(&b'-');
    let is_address = value.split('.').count() == 4 && !value.contains(' ');
    let is_dotted_date = value.matches('.').count() == 2 && digits < 9;
    (7..=15).contains(&digits) && !is_date && !is_address && !is_dotted_date
}

/// An IPv4 address. Loopback addresses, masks, networks and public resolvers identify nobody, and versions with four parts
/// are no addresses.
pub(crate) fn is_ip(text: &str, found: &Captures<'_>) -> bool {
    let range = redacted_range(found);
    let value = value(text, found);
    let Ok(address) = value.parse::<Ipv4Addr>() else { return false };
    let parts = address.octets();
    let after = text.get(range.end..).unwrap_or_default();
    let is_harmless = address.is_loopback()
        || address.is_unspecified()
        || address.is_broadcast()
        || address.is_multicast()
        || parts[0] >= 224
        || (parts[0] == 169 && parts[1] == 254)
        || KNOWN_HOSTS.contains(&parts)
        // A route in a private network.
        || address.is_private() && after.starts_with('/') && after[1..].starts_with(|char: char| char.is_ascii_digit())
        || (parts[3] == 0 && (parts[0] == 0 || after.starts_with('/')));
    let before = before(text, found);
    let is_version = has_word(
        &before,
        &[
            "version", "release", "upgrade", "chrome", "firefox", "build ", "section", "chapter", "bump", "driver",
            "firmware", "oid", " ver ", "ver.",
        ],
    ) || before.ends_with(" v")
        || before.trim_end().ends_with("==")
        || before.ends_with(['<', '^', '~', '§']);
    let is_small = parts.iter().all(|part| *part < 25);
    let is_named = has_word(
        &before,
        &[
            "ip",
            "host",
            "server",
            "address",
            "ssh",
            "ping",
            "from",
            "connect",
            "client",
            "://",
            "@",
            "node",
            "forwarded",
        ],
    ) || after.starts_with(':');
    !is_harmless && (!is_version || after.starts_with(':')) && (!is_small || is_named)
}

/// An IPv6 address with a digit and enough groups to be no path in code.
pub(crate) fn is_ipv6(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let Ok(address) = value.parse::<Ipv6Addr>() else { return false };
    let groups = value.split(':').filter(|group| !group.is_empty()).count();
    let is_known = matches!(address.segments()[0], 0x2000..=0x3fff | 0xfc00..=0xfdff | 0xfe80..=0xfebf);
    !address.is_loopback()
        && !address.is_unspecified()
        && is_known
        && groups >= 2
        && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// A MAC address, and no time or broadcast address.
pub(crate) fn is_mac(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let plain: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_plain =
        plain.bytes().all(|byte| byte == b'0') || plain.to_ascii_lowercase().bytes().all(|byte| byte == b'f');
    let is_time = plain.bytes().all(|byte| byte.is_ascii_digit()) && value.contains('-');
    !is_plain && !is_time
}

/// A US social security number without parts that are never issued.
pub(crate) fn is_ssn(text: &str, found: &Captures<'_>) -> bool {
    let digits = digits_of(value(text, found));
    let number = |range: std::ops::Range<usize>| {
        digits.get(range).unwrap_or_default().iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
    let (area, group, serial) = (number(0..3), number(3..5), number(5..9));
    area != 0 && area != 666 && area < 900 && group != 0 && serial != 0
}

/// A Brazilian CPF with valid check digits.
pub(crate) fn is_cpf(text: &str, found: &Captures<'_>) -> bool {
    let digits = digits_of(value(text, found));
    let check = |len: usize| {
        let sum: usize =
            digits.iter().take(len).enumerate().map(|(index, digit)| usize::from(*digit) * (len + 1 - index)).sum();
        (sum * 10 % 11) % 10
    };
    digits.len() == 11 && usize::from(digits[9]) == check(9) && usize::from(digits[10]) == check(10)
}

/// A Swiss AHV number with a valid EAN check digit.
pub(crate) fn is_ahv(text: &str, found: &Captures<'_>) -> bool {
    let digits = digits_of(value(text, found));
    let sum: u32 =
        digits.iter().enumerate().map(|(index, digit)| u32::from(*digit) * if index % 2 == 0 { 1 } else { 3 }).sum();
    digits.len() == 13 && sum.is_multiple_of(10)
}

/// At least five digits.
pub(crate) fn has_digits(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    digits_of(value).len() >= 5 && value.len() <= 32
}
