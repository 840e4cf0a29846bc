//! Closer looks at personal data: check digits, known beginnings, and what only looks like it.

use std::net::{Ipv4Addr, Ipv6Addr};

use regex::Captures;

use super::rule::taken;

/// Endings that belong to files, not to hosts: `icon@2x.png` is no address.
const FILE_ENDINGS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "js", "mjs", "cjs", "ts", "tsx", "jsx", "css", "scss",
    "json", "yaml", "yml", "toml", "lock", "html", "xml", "txt", "log", "csv", "zip", "tgz", "gz", "tar", "whl", "jar",
    "service", "local", "target", "timer", "socket", "mount", "rb", "py", "go", "rs", "java", "kt", "swift", "cpp",
    "sock",
];
/// Whether a name ends as files do.
pub(super) fn is_file(name: &str) -> bool {
    let documents = [
        "doc", "docx", "xls", "xlsx", "ppt", "pptx", "pdf", "odt", "key", "pem", "crt", "md", "sql", "sh", "tf", "env",
        "conf",
    ];
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        let ending = ending.to_ascii_lowercase();
        FILE_ENDINGS.contains(&ending.as_str()) || documents.contains(&ending.as_str())
    })
}

/// Commands that take a user and a machine, written like a mail address.
const LOGIN_COMMANDS: &[&str] = &["ssh", "scp", "sftp", "rsync", "mosh", "ssh-copy-id", "autossh"];
/// Resolvers that everybody knows.
const KNOWN_HOSTS: &[[u8; 4]] = &[[8, 8, 8, 8], [8, 8, 4, 4], [1, 1, 1, 1], [1, 0, 0, 1], [9, 9, 9, 9]];

/// Bytes that are looked at before a value; more than its forty characters can have.
const LEAD_BYTES_MAX: usize = 160;

fn value<'t>(text: &'t str, found: &Captures<'_>) -> &'t str {
    text.get(taken(found)).unwrap_or_default()
}

/// What stands before the value, in the same line, in lower case; at most some words.
fn before(text: &str, found: &Captures<'_>) -> String {
    let end = taken(found).start;
    let start = super::told::floor(text, end.saturating_sub(LEAD_BYTES_MAX));
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

/// Whether the last digit is what the others make it (Luhn).
fn is_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, u32::from(*digit) * 2) {
            (0, doubled) => doubled / 2,
            (_, doubled) => doubled / 10 + doubled % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// A payment card: the digits of a known brand, of the right length, with its check digit.
pub(super) fn is_card(text: &str, found: &Captures<'_>) -> bool {
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

/// An account: two check digits over all of it.
pub(super) fn is_iban(text: &str, found: &Captures<'_>) -> bool {
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

/// A mail address, and not a login to a machine, a package or a file.
pub(super) fn is_mail(text: &str, found: &Captures<'_>) -> bool {
    let range = taken(found);
    let value = value(text, found);
    let Some((user, host)) = value.split_once('@') else { return false };
    let ending = host.rsplit('.').next().unwrap_or_default().to_lowercase();
    let after = text.get(range.end..).unwrap_or_default();
    let is_remote_path = after
        .strip_prefix(':')
        .is_some_and(|rest| rest.starts_with(|char: char| char.is_alphanumeric() || "/~.".contains(char)));
    let before = before(text, found);
    let is_message = has_word(&before, &["message-id", "in-reply-to", "references:"]);
    let is_login =
        is_message || before.split_whitespace().any(|word| LOGIN_COMMANDS.contains(&word)) || before.ends_with("://");
    let is_password = before.rsplit_once("://").is_some_and(|(_, rest)| !rest.contains([' ', '/']));
    user != "git" && !FILE_ENDINGS.contains(&ending.as_str()) && !is_remote_path && !is_login && !is_password
}

/// An international number: as many digits as there are, in groups, and no count of anything.
pub(super) fn is_phone(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let digits = digits_of(value).len();
    let after = text.get(taken(found).end..).unwrap_or_default();
    let is_whole = !after.starts_with(|char: char| char.is_alphanumeric() || char == '_' || char == '%');
    let has_groups = value.contains([' ', '-', '(', '.', '/']);
    let is_count = has_word(after.trim_start().get(..5).unwrap_or_default(), &["line", "inser", "delet", "byte", "ms"]);
    (9..=15).contains(&digits) && is_whole && !is_count && (has_groups || digits >= 10) && !value.contains("--")
}

/// A number as it is dialled at home: enough digits, and no date, time or id.
pub(super) fn is_national_phone(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let digits = digits_of(value).len();
    let after = text.get(taken(found).end..).unwrap_or_default();
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

/// A number beside a word that says so.
pub(super) fn is_named_phone(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let digits = digits_of(value).len();
    let is_date = value.len() == 10 && value.as_bytes().get(4) == Some(&b'-') && value.as_bytes().get(7) == Some(&b'-');
    let is_address = value.split('.').count() == 4 && !value.contains(' ');
    let is_dotted_date = value.matches('.').count() == 2 && digits < 9;
    (7..=15).contains(&digits) && !is_date && !is_address && !is_dotted_date
}

/// An address of a machine. Those of the machine itself, masks, whole networks and the resolvers that everybody knows say
/// nothing of anybody, and versions with four parts are none.
pub(super) fn is_ip(text: &str, found: &Captures<'_>) -> bool {
    let range = taken(found);
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
        // A route within a network of one's own.
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

/// The longer sort, with at least one digit and enough groups to be no path in code.
pub(super) fn is_ipv6(text: &str, found: &Captures<'_>) -> bool {
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

/// The address of a network card.
pub(super) fn is_mac(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    let plain: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_plain =
        plain.bytes().all(|byte| byte == b'0') || plain.to_ascii_lowercase().bytes().all(|byte| byte == b'f');
    let is_time = plain.bytes().all(|byte| byte.is_ascii_digit()) && value.contains('-');
    !is_plain && !is_time
}

/// A number of social security in the United States: no part of it is one that is never given out.
pub(super) fn is_ssn(text: &str, found: &Captures<'_>) -> bool {
    let digits = digits_of(value(text, found));
    let number = |range: std::ops::Range<usize>| {
        digits.get(range).unwrap_or_default().iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
    let (area, group, serial) = (number(0..3), number(3..5), number(5..9));
    area != 0 && area != 666 && area < 900 && group != 0 && serial != 0
}

/// Brazil's number of taxpayers, with two check digits.
pub(super) fn is_cpf(text: &str, found: &Captures<'_>) -> bool {
    let digits = digits_of(value(text, found));
    let check = |len: usize| {
        let sum: usize =
            digits.iter().take(len).enumerate().map(|(place, digit)| usize::from(*digit) * (len + 1 - place)).sum();
        (sum * 10 % 11) % 10
    };
    digits.len() == 11 && usize::from(digits[9]) == check(9) && usize::from(digits[10]) == check(10)
}

/// Switzerland's number of insurance, checked as goods in shops are.
pub(super) fn is_ahv(text: &str, found: &Captures<'_>) -> bool {
    let digits = digits_of(value(text, found));
    let sum: u32 =
        digits.iter().enumerate().map(|(place, digit)| u32::from(*digit) * if place % 2 == 0 { 1 } else { 3 }).sum();
    digits.len() == 13 && sum.is_multiple_of(10)
}

/// Enough digits to be a number of somebody.
pub(super) fn has_digits(text: &str, found: &Captures<'_>) -> bool {
    let value = value(text, found);
    digits_of(value).len() >= 5 && value.len() <= 32
}
