//! What stands where a secret would: placeholders, masks, names of variables, types, calls.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::{
    shape,
    words::{AFTERTHOUGHTS, STOP_WORDS},
};

/// What parts of names in code are, where a setting is read.
const CODE_PARTS: &[&str] = &[
    "args", "auth", "cfg", "client", "conf", "config", "context", "ctx", "data", "default", "env", "errors", "fields",
    "form", "hints", "input", "key", "labels", "local", "messages", "module", "network", "opts", "options", "params",
    "pass", "props", "psk", "request", "res", "response", "secret", "secrets", "self", "server", "settings", "shared",
    "ssid", "state", "text", "this", "title", "user", "value", "values", "var", "vars", "vault", "wifi", "wireless",
    "wlan",
];

/// Parts that only placeholders have.
const FILLERS: &[&str] = &[
    "example",
    "placeholder",
    "your_",
    "your-",
    "youra",
    "yourp",
    "yourt",
    "yours",
    "<your",
    "changeme",
    "change_me",
    "change-me",
    "redacted",
    "sensitive*data",
    "dummy",
    "xxxx",
    "****",
    "....",
    "sample",
    "insert",
    "replace",
    "key_here",
    "key-here",
    "token_here",
    "token-here",
    "secret_here",
    "secret-here",
    "password_here",
    "password-here",
    "pass_here",
    "pass-here",
    "value_here",
    "value-here",
    "id_here",
    "id-here",
    "url_here",
    "url-here",
    "goes_here",
    "fake",
    "not-a-real",
    "notreal",
    "todo",
    "foobar",
    "••",
    "●●",
    "___",
    "goes-here",
    "supersecret",
    "mysecret",
    "mypassword",
    "secretpassword",
    "mytoken",
    "my-secret",
    "my-token",
    "my_secret",
    "my_token",
    "some-secret",
    "some_secret",
];

/// Whether a value is filled with anything: a row of one sign, a part that says so.
pub(super) fn is_filler(value: &str) -> bool {
    let lower = value.to_lowercase();
    let mut chars: Vec<char> = lower.chars().filter(|char| char.is_alphanumeric()).collect();
    chars.sort_unstable();
    chars.dedup();
    (chars.len() < 3 && !(chars.len() == 2 && value.len() < 8 && chars.iter().all(char::is_ascii_digit)))
        && value.len() > 3
        && !is_number(value)
        || ["xxxxx", "*****", "00000000", "example", "placeholder", "redacted", "your_", "your-"]
            .iter()
            .any(|part| lower.contains(part))
}

fn is_number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit()) && value.len() < 7
}

/// Whether a value only stands in for a secret.
pub(super) fn is_stand_in(value: &str) -> bool {
    let bare = value.trim_matches(|char: char| "\"'`*_,;.!?()[]".contains(char));
    let lower = bare.to_lowercase();
    bare.chars().count() < 2
        || STOP_WORDS.contains(&lower)
        || is_filled(&lower)
        || is_row_of_one(bare)
        || is_bracketed(value)
        || names_itself(&lower)
}

/// Whether a part that only placeholders have is in it.
fn is_filled(lower: &str) -> bool {
    static PARTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(FILLERS).ok());
    PARTS.as_ref().is_some_and(|parts| parts.is_match(lower))
}

/// One sign again and again, or dots and dashes only.
fn is_row_of_one(value: &str) -> bool {
    let first = value.chars().next();
    value.chars().all(|char| Some(char) == first) && !value.bytes().all(|byte| byte.is_ascii_digit())
        || value.chars().all(|char| !char.is_alphanumeric())
        || value.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'-'))
}

/// In the brackets of templates and forms; a mark of ours is one of these.
fn is_bracketed(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'', '`']);
    let is_in = |open: &str, close: &str| value.starts_with(open) && (value.ends_with(close) || value.contains(close));
    is_in("<", ">")
        || is_in("{", "}")
        || is_in("${", "}")
        || is_in("$(", ")")
        || is_in("[", "]")
        || is_in("%", "%")
        || is_in("#{", "}")
        || value.starts_with("<")
        || value.starts_with("{{")
        || value.starts_with("ENC[")
}

/// Made of words only, one of which is what it should be the value of: `db-password`, `MY_SECRET`, `tokenValue`.
fn names_itself(lower: &str) -> bool {
    let has_digit = lower.bytes().any(|byte| byte.is_ascii_digit());
    let is_plain = lower.chars().all(|char| char.is_alphabetic() || "-_. ".contains(char));
    !has_digit
        && is_plain
        && [
            "password",
            "passwd",
            "passwort",
            "secret",
            "token",
            "apikey",
            "api_key",
            "api-key",
            "credential",
            "passphrase",
        ]
        .iter()
        .any(|word| lower.contains(word))
}

/// Whether a value is written in code and not meant as it stands: a variable, a call, a type, a path.
pub(super) fn is_code(value: &str) -> bool {
    let bare = value.trim_matches(['"', '\'', '`']);
    is_variable(bare) || is_call(bare) || is_type(bare) || is_path(bare) || is_reference(bare)
}

fn is_variable(value: &str) -> bool {
    let Some(name) = value.strip_prefix('$') else {
        return value.len() > 3
            && value.contains('_')
            && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    };
    name.starts_with(['{', '('])
        || !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
        || name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_->[]".contains(&byte))
}

fn is_call(value: &str) -> bool {
    let is_place = value.split_once('[').is_some_and(|(name, rest)| {
        !name.is_empty()
            && name.chars().all(|char| char.is_ascii_alphabetic() || "_.".contains(char))
            && (rest.is_empty() || rest.starts_with(['"', '\'']))
    });
    if is_place {
        return true;
    }
    let Some((name, rest)) = value.split_once('(') else { return false };
    !name.is_empty()
        && name.chars().all(|char| char.is_alphanumeric() || "_.:!$?&".contains(char))
        && (rest.is_empty()
            || rest.contains(')')
            || rest.starts_with(['"', '\'', '&', '$'])
            || rest.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'.'))
        && !name.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_type(value: &str) -> bool {
    let inner = value.trim_start_matches(['&', '*', '?']).trim_end_matches(['?', '!', ';', ',', ')']);
    let is_generic = inner.split_once(['<', '[']).is_some_and(|(name, rest)| {
        !name.is_empty()
            && name.chars().all(|char| char.is_alphabetic() || ":_.".contains(char))
            && rest.ends_with(['>', ']'])
    });
    is_generic
        || (inner != value && STOP_WORDS.contains(&inner.to_lowercase()))
        || value.contains("::") && shape::Makeup::of(value).digits < 8
}

fn is_path(value: &str) -> bool {
    let is_rooted =
        ["/", "./", "../", "~/", "C:\\", "c:\\", "file:", "file://"].iter().any(|root| value.starts_with(root));
    // `/reset?token=`: an address, and nothing behind it.
    let is_empty_query = value.starts_with('/') && value.ends_with('=') && value.contains('?');
    let parts = value.split(['/', '\\']).filter(|part| !part.is_empty());
    // `https:` and what it stands before.
    is_empty_query
        || value.starts_with("//")
        || is_rooted
            && value.len() < 200
            && parts.clone().count() > 1
            && parts.into_iter().all(|part| part.len() <= 30 && !shape::is_random(part))
}

/// Points to where the value is: `process.env.X`, `req.body.password`, `vault:secret/app`, `op://…`, `arn:…`.
pub(super) fn is_reference(value: &str) -> bool {
    let heads = [
        "process.env",
        "os.environ",
        "os.getenv",
        "import.meta",
        "env.",
        "secrets.",
        "vars.",
        "var.",
        "local.",
        "data.",
        "module.",
        "vault:",
        "op://",
        "arn:",
        "projects/",
        "secretsmanager:",
        "ssm:",
        "keyvault:",
        "!Ref",
        "!Sub",
        "!vault",
        "!secret",
        "{{",
        "@Microsoft.KeyVault",
        "ref+",
        "awssm://",
        "gcpsm://",
        "sops:",
        "self.",
        "this.",
        "args.",
        "config.",
        "settings.",
        "ctx.",
        "req.",
        "request.",
        "std::",
        "System.getenv",
        "ENV[",
        "ENV.",
        "Env.",
        "$env:",
        "Deno.env",
        "http://",
        "https://",
    ];
    // `password=@pw.txt`: what a command reads from a file.
    let is_file = || value.strip_prefix('@').is_some_and(|name| name.contains('/') || super::personal::is_file(name));
    if heads.iter().any(|head| value.starts_with(head)) || is_file() {
        return true;
    }
    let ends_so = || value.rsplit(['.', '_']).next().is_some_and(|last| AFTERTHOUGHTS.contains(last));
    is_dotted(value)
        || value.contains('_') && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') && ends_so()
}

/// Names with dots between them: `user.password`.
pub(super) fn is_dotted(value: &str) -> bool {
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|char| char.is_ascii_alphabetic() || char == '_');
    value.contains('.') && value.split('.').all(is_name)
}

/// The same of plain words: none that code has in such places, neither where settings are nor what they are named.
pub(super) fn is_dotted_words(value: &str) -> bool {
    let is_plain = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_lowercase())
            && !AFTERTHOUGHTS.contains(part)
            && !STOP_WORDS.contains(part)
            && !CODE_PARTS.contains(&part)
    };
    is_dotted(value) && value.split('.').count() > 2 && value.split('.').all(is_plain)
}
