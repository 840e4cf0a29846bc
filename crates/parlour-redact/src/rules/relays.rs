//! Files that hold a user and a password behind the address of a machine, and settings of networks that hold nothing but a key.

use regex::Captures;

use super::super::{
    check, personal,
    rule::{Rule, rule, taken},
    shape::Makeup,
    stand_in, told,
};

pub(super) const RULES: &[Rule] = &[
    // `[mail.example.org]:587 relay@example.org:…`, as mail servers read it.
    rule(
        "password",
        &["]:", "sasl", "passw", "postmap"],
        r"(?m)(?:^|[\s`\x22'])(?:\[[0-9A-Za-z.-]{3,120}\](?::[0-9a-z]{2,12})?|[@.*]{0,2}[0-9A-Za-z-]{1,60}(?:\.[0-9A-Za-z-]{1,60}){1,6}(?::[0-9a-z]{2,12})?)[ \t]{1,20}(?:[0-9A-Za-z_.+-]{1,60}@[0-9A-Za-z.-]{3,120}|\[mail \d{1,4}\]):(?P<v>[^\s:`]{4,100})[`\x22']?[ \t]*$",
    )
    .checked(is_relay_password),
    rule(
        "password",
        &["]:", "sasl", "passw", "postmap"],
        r"(?m)(?:^|[\s`\x22'])(?:\[[0-9A-Za-z.-]{3,120}\](?::[0-9a-z]{2,12})?|[@.*]{0,2}[0-9A-Za-z-]{1,60}(?:\.[0-9A-Za-z-]{1,60}){1,6}(?::[0-9a-z]{2,12})?)[ \t]{1,20}(?P<u>[0-9A-Za-z_.+-]{1,60}):(?P<v>[^\s:`]{5,100})[`\x22']?[ \t]*$",
    )
    .checked(is_user_of_relay),
    rule(
        "password",
        &["passwd.client", "exim"],
        r"(?m)^[ \t>]{0,4}[0-9A-Za-z.*_-]{1,120}:(?:[0-9A-Za-z_.+@-]{1,120}|\[mail \d{1,4}\]):(?P<v>[^\s:]{4,100})[ \t]*$",
    )
    .checked(is_relay_password),
    rule("password", &["authinfo"], r#"(?i)\bauthinfo\b[^\n]{0,240}?"P[:=]([^"\n]{4,100})""#).checked(check::is_no_stand_in_word),
    rule("password", &["cache_peer"], r"(?i)\bcache_peer\s[^\n]{0,160}?\blogin=[^\s:]{1,60}:(\S{4,100})").checked(check::is_no_stand_in_word),
    rule(
        "password",
        &["chap-secrets", "pap-secrets"],
        r#"(?m)^[ \t>]{0,4}(?:"[^"\n]{1,80}"|[^\s#'"]{1,80})[ \t]+(?:\*|"\*"|"[^"\n]{1,80}"|\S{1,60})[ \t]+"([^"\n]{3,100})""#,
    )
    .checked(check::is_no_stand_in_word),
    rule(
        "password",
        &[": psk", ":psk", ": xauth", ": eap", ": ntlm", ": rsa", ": ecdsa", ": p12", ": pkcs"],
        r#"(?:^|\s):\s{0,2}(?:PSK|XAUTH|EAP|NTLM|(?:RSA|ECDSA|P12|PKCS\d{1,2})\s+\S{1,80})\s+(?:"([^"\n]{3,120})"|'([^'\n]{3,120})'|([^\s"']{4,120}))"#,
    )
    .checked(check::is_no_stand_in_word),
    rule(
        "password",
        &["msmtp", "netrc", "fetchmail", "mbsync", "muttrc"],
        r#"(?im)^[ \t>]{0,8}(?:password|passwd|pass)[ \t]{1,8}["']?([^\s"']{4,100})["']?[ \t]*$"#,
    )
    .checked(check::is_no_stand_in_word),
    // Settings of networks: words with dots or blanks are a key where nothing else is ever set.
    rule(
        "password",
        &["psk", "wpa_passphrase", "sae_password"],
        r#"(?i)\b(?:psk|wpa_passphrase|wpa_psk|sae_password)["']?\s{0,3}[:=]\s{0,3}(?:"([^"\n]{8,64})"|'([^'\n]{8,64})')"#,
    )
    .checked(is_network_key),
    rule(
        "password",
        &["psk", "passphrase", "sae_password"],
        r#"(?im)^[ \t>]{0,8}(?:psk|wpa_passphrase|wpa_psk|sae_password|passphrase)=([^\n#"'$<{(\[]{8,64})$"#,
    )
    .checked(is_network_key),
    rule("password", &["psk", "wpa_passphrase"], r#"(?i)\b(?:psk|wpa_passphrase)\s*=\s*["']?([^\s"']{8,64})"#).checked(check::is_no_stand_in),
    rule(
        "password",
        &["nmcli"],
        r#"\bnmcli\b[^\n|;]{0,160}?\s(?:password|(?:wifi-sec|wifi-security|802-11-wireless-security)\.(?:psk|wep-key\d))\s+(?:"([^"\n]{5,64})"|'([^'\n]{5,64})'|([^\s"']{5,64}))"#,
    )
    .checked(check::is_no_stand_in_word),
    rule(
        "password",
        &["option key", "option psk", "option sae_password", "option preshared_key", "option password", "wireless."],
        r#"(?i)(?:\boption[ \t]{1,8}(?:key\d?|psk|sae_password|preshared_key|password)[ \t]{1,8}|\bwireless\.\S{1,60}\.(?:key|sae_password)=)["']([^"'\n]{5,100})["']"#,
    )
    .checked(check::is_no_stand_in_word),
];

/// What may stand before a colon behind an address in a log, and is nobody.
const NOBODY: &[&str] = &[
    "http", "https", "imap", "imaps", "smtp", "smtps", "pop3", "tcp", "udp", "tls", "ssl", "status", "state", "error",
    "err", "warning", "code", "reason", "time", "port", "host", "from", "to", "said", "relay", "delay", "dsn", "nginx",
    "postgres", "redis", "mysql", "node", "python", "version", "latest", "alpine",
];

/// Behind a user and an address: no folder, no file and no name of what stands there.
fn is_relay_password(text: &str, found: &Captures<'_>) -> bool {
    let value = text.get(taken(found)).unwrap_or_default();
    !value.contains('/')
        && !personal::is_file(value)
        && !told::is_version(value)
        && check::is_no_stand_in_word(text, found)
}

/// The same for a user without an address: what looks like a password, and behind somebody.
fn is_user_of_relay(text: &str, found: &Captures<'_>) -> bool {
    let user = found.name("u").map_or("", |user| user.as_str()).to_ascii_lowercase();
    let value = text.get(taken(found)).unwrap_or_default();
    let makeup = Makeup::of(value);
    let is_telling = makeup.letters() > 3 && (makeup.digits + makeup.upper > 0 || makeup.signs > 1);
    is_telling && !NOBODY.contains(&user.as_str()) && is_relay_password(text, found)
}

/// Whatever words, unless they are names in code: those end as the setting does, or begin with where settings are.
fn is_network_key(text: &str, found: &Captures<'_>) -> bool {
    let value = text.get(taken(found)).unwrap_or_default();
    !stand_in::is_stand_in(value)
        && (!stand_in::is_code(value) || stand_in::is_dotted_words(value))
        && !personal::is_file(value)
}
