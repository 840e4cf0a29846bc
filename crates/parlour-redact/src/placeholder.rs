//! Values in the position of a secret that are none: placeholders, masks, variables, types, calls, paths.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::{
    personal, shape,
    words::{CODE_IDENTIFIERS, METADATA_SUFFIXES, NON_VALUES, PLACEHOLDER_PARTS},
};

/// Whether a token is masked or a documentation example: few different characters, or a part such as "example".
pub(crate) fn is_filler(value: &str) -> bool {
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

/// Whether a value is a placeholder.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let bare = value.trim_matches(|char: char| "\"'`*_,;.!?()[]".contains(char));
    let lower = bare.to_lowercase();
    bare.chars().count() < 2
        || NON_VALUES.contains(&lower)
        || contains_placeholder(&lower)
        || is_repeated_char(bare)
        || is_template(value)
        || names_secret(&lower)
}

/// Whether a value has a part that only placeholders have.
fn contains_placeholder(lower: &str) -> bool {
    static PARTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::new(PLACEHOLDER_PARTS.iter()).expect("an automaton of some dozen short words fits")
    });
    PARTS.is_match(lower)
}

/// One repeated character, or symbols only.
fn is_repeated_char(value: &str) -> bool {
    let first = value.chars().next();
    value.chars().all(|char| Some(char) == first) && !value.bytes().all(|byte| byte.is_ascii_digit())
        || value.chars().all(|char| !char.is_alphanumeric())
        || value.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'-'))
}

/// Whether a value is in the brackets of a template or form; marks are such values.
fn is_template(value: &str) -> bool {
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

/// Words only, one of which names a secret: `db-password`, `MY_SECRET`, `tokenValue`.
fn names_secret(lower: &str) -> bool {
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

/// Whether a value is code: a variable, a call, a type, a path or a reference.
pub(crate) fn is_code(value: &str) -> bool {
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
    let is_region_name = value.split_once('[').is_some_and(|(name, rest)| {
        !name.is_empty()
            && name.chars().all(|char| char.is_ascii_alphabetic() || "_.".contains(char))
            && (rest.is_empty() || rest.starts_with(['"', '\'']))
    });
    if is_region_name {
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
        || (inner != value && NON_VALUES.contains(&inner.to_lowercase()))
        || value.contains("::") && shape::CharCounts::of(value).digits < 8
}

fn is_path(value: &str) -> bool {
    let is_rooted =
        ["/", "./", "../", "~/", "C:\\", "c:\\", "file:", "file://"].iter().any(|root| value.starts_with(root));
    // `/reset?token=`: a URL with an empty value.
    let is_empty_query = value.starts_with('/') && value.ends_with('=') && value.contains('?');
    let parts = value.split(['/', '\\']).filter(|part| !part.is_empty());
    is_empty_query
        || value.starts_with("//")
        || is_rooted
            && value.len() < 200
            && parts.clone().count() > 1
            && parts.into_iter().all(|part| part.len() <= 30 && !shape::is_random(part))
}

/// A reference to where the value is: `process.env.X`, `req.body.password`, `vault:secret/app`, `op://…`, `arn:…`.
pub(crate) fn is_reference(value: &str) -> bool {
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
    // `password=@pw.txt`: a command reads it from a file.
    let is_file = || value.strip_prefix('@').is_some_and(|name| name.contains('/') || personal::is_file(name));
    if heads.iter().any(|head| value.starts_with(head)) || is_file() {
        return true;
    }
    let is_metadata = || value.rsplit(['.', '_']).next().is_some_and(|last| METADATA_SUFFIXES.contains(last));
    is_dotted(value)
        || value.contains('_') && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') && is_metadata()
}

/// Identifiers joined by dots: `user.password`.
pub(crate) fn is_dotted(value: &str) -> bool {
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|char| char.is_ascii_alphabetic() || char == '_');
    value.contains('.') && value.split('.').all(is_name)
}

/// Plain words joined by dots that are no identifiers of settings.
pub(crate) fn is_dotted_words(value: &str) -> bool {
    let is_plain = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_lowercase())
            && !METADATA_SUFFIXES.contains(part)
            && !NON_VALUES.contains(part)
            && !CODE_IDENTIFIERS.contains(part)
    };
    is_dotted(value) && value.split('.').count() > 2 && value.split('.').all(is_plain)
}
