//! What goes over the wire whoever made it: keys in blocks, signed tokens, headers, addresses.

use super::super::{
    check,
    rule::{Rule, rule},
};

/// Whole blocks first: what stands inside of them is nothing of its own.
pub(super) const KEYS: &[Rule] = &[
    rule(
        "private-key",
        &["private key"],
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-[^-]|--[^-]|---[^-]|----[^-])*(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    rule(
        "private-key",
        &["puttygen", "putty-user-key"],
        r"PuTTY-User-Key-File-\d:[\s\S]*?(?:Private-MAC: [a-f0-9]+|$)",
    ),
    rule("private-key", &["private key"], r"((?:[A-Za-z0-9+/=]{16,80}\n){1,60})-----END (?:[A-Z0-9]+ )*PRIVATE KEY"),
    rule("private-key", &["nsec1"], r"\bnsec1[a-z0-9]{50,60}\b"),
    rule("private-key", &["b3blbnnzac1rzxktdje"], r"\bb3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=\s]{20,}"),
    rule("private-key", &["\"kty\""], r#""(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{20,700})""#),
    rule("private-key", &["key", "pk"], r"(?i)\b(?:key|pk|priv)\b[^\n]{0,24}?\b(0x[a-f0-9]{64})\b"),
    rule("private-key", &["xprv", "yprv", "zprv"], r"\b[xyz]prv[A-Za-z0-9]{90,120}\b"),
];

pub(super) const RULES: &[Rule] = &[
    rule("jwt", &["eyj"], r"\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,3})").checked(check::is_jwt),
    rule("password-hash", &["$2a$", "$2b$", "$2y$", "$1$", "$5$", "$6$", "$y$", "$apr1$", "$argon2"], r"\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}|(?:1|apr1|5|6|y)\$[./A-Za-z0-9$=,]{20,}|argon2(?:id|i|d)\$[^\s]{20,200})"),
    rule(
        "basic-auth",
        &["basic "],
        r#"(?i)\bauthorization["']?\s{0,3}[:=]\s{0,3}["'`]?basic\s+([A-Za-z0-9+/_=-]{6,})"#,
    )
    .checked(check::is_no_stand_in),
    rule("basic-auth", &["basic "], r"(?i)\bbasic\s+([A-Za-z0-9+/_-]{8,}={0,2})").checked(check::is_user_and_password),
    rule(
        "bearer-token",
        &["authorization"],
        r#"(?i)\bauthorization["'\]]*\s{0,3}(?:[:=,]|=>)\s{0,3}["'`]?(?:bearer|token|apikey|api-key|key|ssws|negotiate|splunk|genie-?key|jwt|bot)[\s:=]+["'`]?([^\s"'`,;<>{}\\]{4,})"#,
    )
    .checked(check::is_no_stand_in),
    rule("basic-auth", &["digest "], r#"(?i)\bdigest\s[^\n]{0,400}?\bresponse="?([a-f0-9]{32,64})\b"#),
    rule("basic-auth", &["auth"], r#"(?i)["']?\b_?auth["']?\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9+/]{8,}={0,2})"#)
        .checked(check::is_user_and_password),
    rule("bearer-token", &["authorization"], r#"(?i)\bauthorization["'\]]*\s{0,3}[:=]\s{0,3}["'`]?([A-Za-z0-9_.+/=-]{16,})"#)
        .checked(check::is_random),
    rule("bearer-token", &["bearer"], r#"(?i)\bbearer[\s:=]+["'`]?([A-Za-z0-9_.~+/=-]{8,})"#).checked(check::is_random),
    rule("signature", &["aws4-hmac"], r"(?i)AWS4-HMAC-SHA256[^\n]{0,300}?Signature=([a-f0-9]{64})"),
    rule(
        "password",
        &["://"],
        r#"(?i)\b[a-z][a-z0-9+.-]{1,30}://([^\s:/@"'<>\[\]]{0,100}):(?P<v>[^\s/"'<>`]{1,200})@([^\s/"'<>`?#]{0,253})"#,
    )
    .checked(check::is_url_password),
    rule("token", &["://"], r#"(?i)\bhttps?://([A-Za-z0-9_-]{16,})@[A-Za-z0-9.-]+"#).checked(check::is_random),
    rule(
        "url-secret",
        &["="],
        r#"(?i)[?&;#](?:amp;)?(?:access[_-]?token|refresh[_-]?token|id[_-]?token|auth[_-]?token|authtoken|oauth[_-]?token|private[_-]?token|session[_-]?token|csrf[_-]?token|token|jwt|api[_-]?key|apikey|app[_-]?key|subscription-key|key|secret|client[_-]?secret|app[_-]?secret|password|passwd|passwort|pwd|pass|pw|auth|authorization|credential|credentials|sig|signature|hmac|x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|sessionid|session[_-]?id|session|sid|phpsessid|jsessionid|code|otp|hapikey|invite|ticket|nonce_secret|magic|login_token|reset_token|passcode)=([^\s&#"'<>`|\\)\]},;]{4,})"#,
    )
    .checked(check::is_query_secret),
    rule(
        "url-secret",
        &["/invite", "/reset", "/magic", "/verify", "/join", "/private", "/confirm", "/activate", "/hooks/", "/webhook"],
        r"(?i)https?://[^\s]{3,200}/(?:invite|invites|invitation|reset|reset-password|magic|magic-link|verify|join|confirm|activate|hooks?|webhooks?|private)[/-]([A-Za-z0-9_.-]{20,})",
    )
    .checked(check::is_random),
];
