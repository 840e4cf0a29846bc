//! The name in front of a value: whether it is one of a secret, and of which sort.

use std::ops::Range;

use super::super::words::{
    AFTERTHOUGHTS, CODE_KINDS, KEEPERS, KEY_KINDS, PLAIN_KEYS, USER_LABELS, USER_WORDS, telling,
};

pub(super) use super::super::words::Class;

/// Bytes of a name that are looked at, to each side of the word.
const NAME_BYTES_MAX: usize = 64;

/// What a key that people type in belongs to.
const NETWORKS: &[&str] = &["wlan", "wifi", "wi-fi", "network", "netzwerk", "wpa", "wpa2", "wpa3", "router", "hotspot"];
/// What is said of a network before its password is.
const NEAR_NETWORKS: &[&str] = &["wlan", "wifi", "wi-fi", "ssid", "hotspot", "guest network", "gastnetz", "gästenetz"];
/// What a key does that is a password: `the key to decrypt the archive`.
const OPENS: &[&str] = &[
    " to decrypt",
    " to unlock",
    " to open",
    " to unzip",
    " for the zip",
    " for the archive",
    " for the backup",
    " for the wifi",
    " for the wi-fi",
    " for the volume",
    " for the vault",
];

/// What stands before `secret` when people type it in.
const SHARED: &[&str] = &["shared", "vpn", "ipsec", "radius", "tacacs", "l2tp", "pairing"];
/// What a key opens that people type in.
const OPENED: &[&str] = &[
    "usb",
    "stick",
    "drive",
    "disk",
    "volume",
    "container",
    "backup",
    "archive",
    "zip",
    "vault",
    "router",
    "laptop",
    "luks",
    "veracrypt",
    "bitlocker",
    "encrypted",
];
/// Where a server of the web passes a request on to.
const PASSING: &[&str] = &["proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass"];

/// What stands before the word in names of texts about a secret: `errors.password`.
const LABELS: &[&str] = &[
    "error",
    "errors",
    "err",
    "label",
    "labels",
    "message",
    "messages",
    "msg",
    "placeholder",
    "placeholders",
    "hint",
    "i18n",
    "locale",
    "validation",
];

/// How files of code and of texts end.
const SOURCE_ENDINGS: &[&str] = &[
    "c", "h", "cc", "cpp", "hpp", "py", "rs", "go", "js", "ts", "tsx", "jsx", "java", "kt", "rb", "pl", "php", "cs",
    "swift", "sh", "md", "rst", "txt", "html", "css", "po", "vue",
];
/// Hexadecimal digits of a key of 128 bits.
const KEY_DIGITS: usize = 32;
/// What stands before `key` when its print is told, or where something lies.
const PRINTED_KEYS: &[&str] = &["gpg", "pgp", "rsa", "dsa", "ssh", "under", "by", "with", "map", "redis", "entry"];

/// A name.
#[derive(Debug)]
pub(super) struct Key<'t> {
    pub(super) class: Class,
    pub(super) range: Range<usize>,
    pub(super) name: &'t str,
    /// Whether it opens a network.
    pub(super) is_network: bool,
    /// Whether the text speaks of a network before it.
    pub(super) is_near_network: bool,
    /// Whether somebody logs in before it.
    pub(super) is_login: bool,
    /// Whether the line above says who logs in: `user: …`.
    pub(super) is_below_user: bool,
    /// Whether it is joined by signs or written in capital letters, as settings are.
    pub(super) is_setting: bool,
}

impl<'t> Key<'t> {
    /// The name that a word stands in, if it names a secret.
    pub(super) fn around(text: &'t str, word: Range<usize>) -> Option<Self> {
        let range = name_around(text, word.clone());
        let name = &text[range.clone()];
        let parts = parts(name);
        let mut places = telling_parts(&parts);
        // Names beyond ASCII and of two words are no parts: they count as they stand.
        if places.is_empty() && text[word.clone()].contains(|char: char| !char.is_ascii_alphanumeric()) {
            places.push(0);
        }
        let near = &text[super::floor(text, range.start.saturating_sub(NAME_BYTES_MAX))..range.start];
        let before = near
            .trim_end_matches([' ', '\t'])
            .rsplit(|char: char| !char.is_alphanumeric() && char != '-')
            .next()
            .unwrap_or_default();
        let first = places.first().copied()?;
        let words = text[word.clone()].split(' ').count();
        let is_plain = |place: usize| parts.iter().skip(place + words).any(|part| AFTERTHOUGHTS.contains(part));
        let lower = text[word.clone()].to_lowercase();
        let after = &text[range.end..super::floor(text, (range.end + NAME_BYTES_MAX).min(text.len()))];
        let before = before.to_lowercase();
        // Lists of changes: `src/chpasswd.c: …`, `(read_passphrase): …`.
        let is_source = name.rsplit_once('.').is_some_and(|(_, ending)| SOURCE_ENDINGS.contains(&ending));
        if is_source || text[..range.start].ends_with('(') && after.starts_with("): ") {
            return None;
        }
        let is_keeper = KEEPERS.iter().any(|keeper| name.eq_ignore_ascii_case(keeper));
        if is_keeper || PASSING.contains(&name) && after.starts_with([' ', '\t']) {
            return None;
        }
        let lead = &text[super::floor(text, range.start.saturating_sub(super::BEFORE_BYTES_MAX))..range.start];
        let lead = lead.to_lowercase();
        let is_label = parts.iter().take(first).any(|part| LABELS.contains(&part.as_str()));
        if is_label
            || is_template(&lead)
            || is_assigned(&lead, after)
            || lead.rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("arn:"))
        {
            return None;
        }
        let class = network_key(&lower, &lead, after)
            .or_else(|| {
                places
                    .iter()
                    .filter(|place| !is_plain(**place))
                    .find_map(|place| class_of(&parts, *place, &before, &lower))
            })
            .or_else(|| opener(&before, &lower, after).filter(|_| !is_plain(first)))?;
        let is_network = NETWORKS.iter().any(|network| before == *network || parts.iter().any(|part| part == network));
        let is_setting = name.contains(['_', '-', '.']) && name.len() > 4
            || name.len() > 1
                && !name.bytes().any(|byte| byte.is_ascii_lowercase())
                // `PW`, `PSK`: short for a word in a sentence too.
                && (name.len() > 4 || after.starts_with('='));
        let is_login = super::has_any(&lead, USER_WORDS);
        let is_near_network = is_network || super::has_any(&lead, NEAR_NETWORKS);
        let is_below_user = is_below_user(&lead);
        Some(Self { class, range, name, is_network, is_near_network, is_login, is_below_user, is_setting })
    }

    /// Whether it is an option of a command.
    pub(super) fn is_flag(&self, text: &str) -> bool {
        self.name.starts_with("--")
            || text[..self.range.start].ends_with("--")
            || self.name.starts_with('-') && self.name.len() > 4
    }
}

/// Whether nothing but the name of who logs in, and a word for it, stands in the line above.
fn is_below_user(lead: &str) -> bool {
    let Some((above, line)) = lead.rsplit_once('\n') else { return false };
    let above = above.rsplit('\n').next().unwrap_or_default();
    let label = above.split([':', '=']).next().unwrap_or_default().trim_matches([' ', '\t', '-', '*', '>', '•']);
    let is_first = line.trim_matches([' ', '\t', '-', '*', '>', '•']).is_empty();
    is_first && above.contains([':', '=']) && USER_LABELS.contains(&label)
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

/// The parts of a name that tell, the one that says most first. A word that only says that somebody is let in counts where it
/// is the whole name.
fn telling_parts(parts: &[String]) -> Vec<usize> {
    let class = |part: &String| telling(part).map(|(_, _, class)| *class);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        // `JWT_SECRET` is a secret, `LOGIN_PASSWORD` a password and `CODE_PUSH_KEY` a key.
        let rank = match class(part) {
            Some(Class::Password) => 0,
            Some(Class::Secret) => 1,
            Some(Class::Token | Class::Key) => 2,
            Some(Class::Pin | Class::Code) => 3,
            Some(Class::Credentials) => 4,
            Some(Class::Door | Class::Site) if parts.len() == 1 => 5,
            _ => continue,
        };
        found.push((rank, place));
    }
    found.sort_unstable();
    found.into_iter().map(|(_, place)| place).collect()
}

/// `reason=bad_password`: what is set, and no name of something that is.
fn is_assigned(lead: &str, after: &str) -> bool {
    let is_named =
        after.starts_with(|char: char| "=:\"'])".contains(char)) || after.starts_with(" =") || after.starts_with(" :");
    // `key=mail.password, value=…`: a line of a log.
    let is_logged = after.trim_start_matches(['"', '\'', ',', ';', ' ']).starts_with("value");
    lead.ends_with('=') && !is_named && !is_logged
}

/// Within the braces of a template that are not closed yet: `{{ .Values.password | b64enc }}`.
fn is_template(lead: &str) -> bool {
    let line = lead.rsplit('\n').next().unwrap_or_default();
    let opened = line
        .rfind("{{")
        .filter(|at| line[at + 2..].starts_with(|char: char| " .-".contains(char) || char.is_alphabetic()));
    opened.is_some_and(|at| !line[at..].contains("}}"))
}

/// `the wifi is Lobby and the key is …`: what is typed in where the same line speaks of a network.
fn network_key(word: &str, lead: &str, after: &str) -> Option<Class> {
    let line = lead.rsplit('\n').next().unwrap_or_default();
    let is_network = ["wifi", "wi-fi", "wlan", "ssid", "hotspot"].iter().any(|network| line.contains(network));
    let is_linked = [" is ", " was ", " ist ", " est ", " es ", " è ", ":", " :", " =", "=", " `", " \"", " →", " to "]
        .iter()
        .any(|link| after.starts_with(link));
    (is_network && is_linked && matches!(word, "key" | "code") && !line.ends_with('-')).then_some(Class::Password)
}

/// What follows `key` where what stands before it says nothing: what it opens, or as many digits as a key has.
fn opener(before: &str, word: &str, after: &str) -> Option<Class> {
    let value = after.trim_start_matches([' ', ':', '=']);
    let len = value.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    let is_whole = value.as_bytes().get(len).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-');
    let is_hex = len == KEY_DIGITS && is_whole && value.len() < after.len();
    match word {
        "key" if OPENS.iter().any(|opens| after.starts_with(opens)) => Some(Class::Password),
        "key"
            if after.starts_with(" for ")
                && after.split([' ', ':', ',']).take(6).any(|word| OPENED.contains(&word)) =>
        {
            Some(Class::Password)
        }
        "key" if is_hex && !PLAIN_KEYS.contains(&before) && !PRINTED_KEYS.contains(&before) => Some(Class::Key),
        _ => None,
    }
}

fn class_of(parts: &[String], place: usize, before: &str, word: &str) -> Option<Class> {
    let part = parts.get(place).map_or(word, String::as_str);
    let previous = place.checked_sub(1).and_then(|place| parts.get(place)).map_or(before, String::as_str);
    let is_joined = place > 0;
    // A word of two says more than each of them.
    let whole = word.contains(' ').then(|| telling(word)).flatten();
    let (found, _, class) = whole.or_else(|| telling(part)).or_else(|| telling(word))?;
    let is_shared = NETWORKS.contains(&previous)
        || previous == "preshared"
        || previous == "shared" && parts.iter().any(|part| part == "pre");
    // What two machines share is typed in as a password is.
    if *found == "secret" && SHARED.contains(&previous) {
        return Some(Class::Password);
    }
    if is_shared && matches!(class, Class::Token | Class::Key) {
        return Some(Class::Password);
    }
    let is_meant = match *found {
        "pin" => !["gpio", "pull", "arduino", "digital", "analog", "data", "output", "input"].contains(&previous),
        "code" => CODE_KINDS.contains(&previous),
        "key" => KEY_KINDS.contains(&previous) || is_joined && !PLAIN_KEYS.contains(&previous),
        "token" => !["page", "next", "continuation", "pagination", "cursor", "sync", "resume"].contains(&previous),
        "salt" | "pepper" => is_joined || part.len() > found.len(),
        _ => true,
    };
    // `secret_key`: what follows says more.
    let is_key = *class == Class::Secret && parts.get(place + 1).is_some_and(|next| next == "key");
    is_meant.then_some(if is_key { Class::Key } else { *class })
}
