//! Words that tell keys from other names, and values from what only stands where a value would.

/// Endings of names that make a password of what follows.
pub(super) const PASSWORD_ENDINGS: &[&str] = &[
    "password", "passwort", "kennwort", "passwd", "passphrase", "passcode", "wachtwoord", "contraseña", "contrasena", "senha", "hasło",
    "haslo", "lösenord", "пароль", "пароля", "密码", "密碼", "密码是", "パスワード", "비밀번호", "adgangskode", "salasana", "parola",
];
/// Names that do when they stand alone, or as the last word of a name.
pub(super) const PASSWORD_WORDS: &[&str] =
    &["pass", "pw", "pwd", "pword", "mdp", "dbpass", "rootpw", "dbpw", "userpass", "smtppass", "rootpass", "adminpass", "clave", "psw", "wifi-pw"];
/// Endings of names that make a token of what follows.
pub(super) const TOKEN_ENDINGS: &[&str] = &["token", "apikey", "bearer", "authkey", "accesskey", "secretkey", "privatekey", "licensekey", "jwt", "schlüssel"];
pub(super) const SECRET_ENDINGS: &[&str] = &["secret", "geheimnis", "credential", "salt", "pepper"];
/// What stands before `key` when it is a secret one.
pub(super) const KEY_KINDS: &[&str] = &[
    "api", "access", "secret", "private", "signing", "encryption", "auth", "master", "license", "licence", "account", "storage", "service",
    "admin", "deploy", "app", "application", "client", "consumer", "subscription", "webhook", "aes", "hmac", "jwt", "root", "shared",
    "integration", "live", "server", "crypto", "cookie", "session", "activation", "product", "recovery", "decryption", "wallet", "ingest",
    "write", "routing",
];
/// What stands before `key` in a joined name when it is none.
pub(super) const PLAIN_KEYS: &[&str] = &[
    "public", "primary", "foreign", "cache", "partition", "sort", "idempotency", "translation", "lookup", "row", "hash", "object", "group",
    "routing", "composite", "unique", "shard", "index", "host", "hot", "return", "registry", "event", "config", "json", "map", "dict",
    "sorted", "i18n", "s3", "blob", "storage_path", "pub", "dedupe", "query", "lock", "react", "list", "item", "data", "state", "column",
];
/// What stands before `code` when it lets somebody in.
pub(super) const CODE_KINDS: &[&str] = &[
    "verification", "access", "login", "one-time", "onetime", "2fa", "mfa", "tfa", "auth", "authentication", "confirmation", "backup",
    "recovery", "door", "gate", "entry", "alarm", "sms", "unlock", "otp", "totp", "authenticator", "bestätigungs", "sicherheits", "pairing",
    "lock", "safe", "garage", "sign-in", "signin", "security", "keypad", "building",
];
/// What stands behind the word in a name when it is not the value itself.
pub(super) const AFTERTHOUGHTS: &[&str] = &[
    "hash", "hashed", "hashes", "field", "policy", "policies", "name", "names", "type", "id", "ids", "count", "counts", "max", "min", "length", "len",
    "limit", "limits", "url", "uri", "path", "file", "files", "dir", "folder", "expiry", "expires", "expiration", "expire", "ttl", "lifetime", "age",
    "budget", "usage", "used", "input", "label", "placeholder", "manager", "service", "provider", "store", "storage", "rotation", "reset",
    "ref", "arn", "env", "var", "index", "kind", "form", "prompt", "validator", "regex", "pattern", "required", "enabled", "visible",
    "changed", "at", "hint", "strength", "error", "errors", "ok", "valid", "invalid", "version", "size", "sum", "total", "rate", "cost", "price",
    "endpoint", "issuer", "audience", "scope", "scopes", "format", "prefix", "suffix", "algorithm", "alg", "header", "param", "parser",
    "bucket", "ring", "vault", "generator", "check", "checker", "confirm", "confirmation", "status", "state", "mode", "method", "s",
    "tests", "test", "less", "estimate", "window", "per", "cache", "handler", "update", "change", "column", "table", "fingerprint",
    "digest", "checksum", "encoder", "encoding", "class", "model", "schema", "settings", "config", "reader", "writer", "bytes", "chars",
];
/// What is said of a password in a sentence, and what stands for one in a form or in code.
pub(super) const STOP_WORDS: &[&str] = &[
    "string", "str", "text", "varchar", "char", "number", "int", "integer", "bool", "boolean", "object", "any", "void", "bytes", "byte",
    "buffer", "float", "optional", "required", "none", "null", "nil", "undefined", "true", "false", "yes", "no", "nope", "empty", "blank", "unset",
    "set", "wrong", "incorrect", "invalid", "valid", "correct", "right", "missing", "unknown", "hidden", "secret", "password", "passwort",
    "passwd", "pass", "token", "key", "user", "username", "admin", "changeme", "change_me", "change-me", "changeit", "todo", "tbd", "fixme", "na",
    "n/a", "here", "there", "below", "above", "attached", "inside", "outside", "somewhere", "elsewhere", "safe", "unsafe", "secure", "insecure", "weak",
    "strong", "short", "long", "good", "bad", "fine", "okay", "ok", "old", "new", "same", "different", "unique", "random", "default", "temporary",
    "private", "public", "plain", "plaintext", "cleartext", "encrypted", "hashed", "salted", "masked", "redacted", "removed", "rotated", "expired", "revoked",
    "stored", "saved", "sent", "shared", "leaked", "exposed", "compromised", "broken", "stolen", "lost", "forgotten", "gone", "out", "over", "up", "down",
    "on", "off", "in", "at", "for", "from", "with", "without", "by", "of", "to", "the", "a", "an", "my", "your", "our", "their", "his", "her", "its", "this",
    "that", "these", "it", "not", "now", "still", "just", "only", "also", "already", "always", "never", "too", "very", "so", "really", "probably", "maybe",
    "currently", "being", "been", "be", "needed", "mandatory", "used", "unused", "reused", "generated", "created", "changed", "updated", "checked", "validated", "verified",
    "accepted", "rejected", "denied", "refused", "ignored", "cached", "passed", "printed", "logged", "read", "written", "loaded", "defined", "configured",
    "case-sensitive", "case", "read-only", "available", "unavailable", "visible", "working", "failing", "coming", "going", "getting", "something", "nothing", "anything",
    "everything", "what", "which", "where", "when", "who", "how", "why", "if", "then", "else", "and", "or", "but", "as", "than", "because", "since",
    "until", "unless", "while", "see", "ask", "check", "use", "using", "enter", "type", "example", "sample", "test", "demo", "dummy", "placeholder", "foo", "bar",
    "baz", "foobar", "value", "values", "input", "output", "field", "env", "environment", "config", "settings", "vault", "keychain", "bitwarden", "1password",
    "lastpass", "keepass", "file", "prompt", "form", "login", "reset", "protected", "based", "free", "less", "stuff", "thing", "x", "y", "xxx", "abc",
    "self", "this.state", "request", "response", "result", "data", "body", "payload", "args", "kwargs", "options", "opts", "props", "params",
    "secretstring", "option", "result", "vec", "bearer", "basic", "oauth", "jwt", "opaque", "scoped", "limited", "valid.", "falsch", "richtig", "ungültig",
    "abgelaufen", "vergessen", "geändert", "sicher", "unsicher", "geheim", "nicht", "noch", "schon", "zu", "im", "am", "bei", "der", "die", "das", "ein", "eine",
    "erforderlich", "leer", "incorrecta", "correcta", "incorrecto", "incorrect.", "obligatoire", "expiré", "perdu", "errata", "sbagliata", "neu", "alt", "weg",
];
/// Passwords that everybody has seen: plain words that are meant where one is told.
pub(super) const COMMON_PASSWORDS: &[&str] = &[
    "letmein", "swordfish", "opensesame", "qwerty", "qwertz", "qwertyuiop", "iloveyou", "dragon", "monkey", "sunshine", "princess", "trustno1",
    "hunter2", "correcthorsebatterystaple", "asdfgh", "asdf", "zxcvbn", "shadow", "superman", "batman", "football", "baseball", "welcome", "master", "whatever",
    "passw0rd", "starwars", "kittycat", "cheesecake", "bananas", "pokemon", "solo", "hallo", "geheim123", "schatz", "azerty", "motdepasse", "sesame",
];
/// Words with digits that are names of things in our trade.
pub(super) const TRADE_WORDS: &[&str] = &[
    "sha1", "sha256", "sha-256", "sha512", "sha-512", "sha3", "md5", "base64", "base64url", "base32", "utf8", "utf-8", "utf16", "ascii", "oauth2", "oauth2.0", "oauth1",
    "argon2", "argon2id", "bcrypt", "scrypt", "pbkdf2", "http2", "http/2", "http3", "ipv4", "ipv6", "x509", "x.509", "ed25519", "es256", "rs256", "hs256", "rs512",
    "hs512", "eddsa", "aes128", "aes256", "aes-256", "aes-128", "rsa2048", "rsa4096", "python3", "k8s", "s3", "ec2", "i18n", "l10n", "a11y", "h264", "mp3", "mp4", "web3",
    "auth0", "1password", "2fa", "mfa", "o200k", "cl100k", "gpt-4", "gpt-4o", "gpt4", "win32", "x86", "x86_64", "arm64", "amd64", "log4j", "rfc6238", "rfc7519", "oidc",
    "fido2", "u2f", "totp", "sso", "saml2", "krb5", "ntlmv2", "pkcs8", "pkcs12", "pkcs#8", "p12", "tls1.2", "tls1.3", "chacha20", "curve25519", "secp256k1",
];
/// Words that sentences are made of and passwords are not.
pub(super) const SENTENCE_WORDS: &[&str] = &[
    "must", "a", "an", "the", "is", "are", "be", "at", "least", "not", "contain", "contains", "of", "to", "for", "your", "enter", "please", "and", "or", "with", "in",
    "on", "has", "have", "you", "we", "i", "it", "this", "that", "should", "can", "cannot", "was", "will", "from", "by", "as", "if", "too", "than", "characters",
    "required", "invalid", "does", "match", "new", "forgot", "reset", "change", "my", "no", "use",
];
/// Who logs in: where one of them is near, what follows is meant as a password.
pub(super) const USER_WORDS: &[&str] =
    &["user", "login", "log in", "account", "admin", "root", "sign in", "email", "e-mail", "benutzer", "host", "ssh", "wifi", "wlan", "vpn", "utilisateur", "usuario"];
