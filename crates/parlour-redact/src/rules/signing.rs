//! Keys that are given to what signs, checks or encrypts: only their place in the call says what they are.

use regex::Captures;

use super::super::{
    check, personal,
    rule::{Rule, rule, taken},
    stand_in, told,
};

/// What turns the letters of a key into bytes, up to two of them, and the quotation mark behind.
macro_rules! key {
    () => {
        r#"(?:(?:new\s{1,2}key|buffer\.from|(?:bytes|bytearray)(?:\.fromhex)?|(?:binascii\.)?(?:unhexlify|a2b_hex)|(?:base64\.)?[a-z0-9_]{0,16}b64decode|\[\]byte|hex2bin|base64_decode|hex\.(?:decodehex|decode|parse)|base64\.getdecoder\(\)\.decode|base64\.decodebase64|decoders\.base64(?:url)?\.decode|parse(?:hex|base64)binary|hexformat\.of\(\)\.parsehex|(?:system\.text\.)?encoding\.[a-z0-9]{3,8}\.getbytes|convert\.from(?:hex|base64)string|new\s{1,2}textencoder\(\)\.encode|base64\.[a-z]{0,8}_?decode64|uint8array\.from|cryptojs\.enc\.[a-z0-9]{3,8}\.parse|keys\.hmacshakeyfor|hex::decode)\(\s{0,20}){0,2}b?["'`](?P<v>[^"'`\n]{8,200})["'`]"#
    };
}

/// Something that is given before the key: a name, a call, a text or an object, and a comma.
macro_rules! other {
    () => {
        r#"(?:\{[^{}\n]*\}|\[[^\[\]\n]*\]|(?:[^(){}\[\],\n"']|"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)|\[[^\[\]\n]*\])+),\s{0,20}"#
    };
}

pub(super) const RULES: &[Rule] = &[
    // The key comes first.
    rule(
        "secret",
        &[
            "hmac", "fernet(", "messageverifier", "messageencryptor", "symmetricsecuritykey", ".new(", "newcipher(", "poly1305.new", "secretkeyspec(", "serializer(",
            "timestampsigner(", "signedstring(", "secretbox(", "aesgcm(", "setsigningkey(", "verifywith(", "from_secret(", "new_from_slice(", "cookieparser(",
        ],
        concat!(
            r"(?i)\b(?:hmac\.new|hmac|(?:multi)?fernet|message(?:verifier|encryptor)\.new|new\s{1,4}hmac(?:sha\d{1,3}|md5)|hmacsha\d{1,3}\.(?:try)?hashdata|symmetricsecuritykey|(?:aes|des3?|blowfish|arc4|chacha20(?:_poly1305)?|salsa20)\.new|(?:aes|des|blowfish|rc4)\.newcipher|chacha20poly1305\.newx?|secretkeyspec|algorithm\.hmac\d{3}|(?:urlsafe(?:timed)?|timed|jsonwebsignature)serializer|timestampsigner|signedstring|hmacshakeyfor|secretbox|aesgcm|setsigningkey|verifywith|(?:en|de)codingkey::from_secret|new_from_slice|cookieparser)\(\s{0,20}(?:\[\s{0,4})?(?:key\s{0,2}[=:]\s{0,2})?",
            key!()
        ),
    )
    .checked(is_given_key),
    // It comes behind the way to sign, or behind what is signed.
    rule(
        "secret",
        &["hmac", "createcipher", "createdecipher", "signwith(", "jwt", "cryptojs.", "importkey(", "jsonwebtoken", "unsign(", "signature.sign("],
        concat!(
            r"(?i)\b(?:createhmac|create(?:de)?cipher(?:iv)?|(?-i:hmac\.New)|hmac|cryptojs\.hmac(?:sha\d{1,3}|md5)|signwith|hmac\.(?:hex|base64)?digest|(?:jwt|jsonwebtoken|jose)(?:\.|::)(?:sign|verify|encode|decode)|cryptojs\.(?:aes|des|tripledes|rc4|rabbit)\.(?:en|de)crypt|importkey|hmac\.(?:sign|verify)|cookie\.(?:un)?sign|signature\.(?:un)?sign)\(\s{0,20}",
            other!(),
            key!()
        ),
    )
    .checked(is_given_key),
    // It comes third.
    rule(
        "secret",
        &["hash_hmac", "openssl_encrypt(", "openssl_decrypt(", "secretbox"],
        concat!(
            r"(?i)\b(?:hash_hmac(?:_file)?|openssl_(?:en|de)crypt|(?:sodium_)?crypto_secretbox(?:_open)?)\(\s{0,20}",
            other!(),
            other!(),
            key!()
        ),
    )
    .checked(is_given_key),
    // What is called at the end of a row of calls.
    rule(
        "secret",
        &["signjwt", "jwtverify", "jwt.builder", "jwts.", "signer", "withsecret(", "with_secret("],
        concat!(r"(?i)\b(?:signjwt|jwts?\.builder|jwts?\.parser|jwtbuilder)\b[^\n]{0,300}?\.(?:sign|signwith|with_?secret|setsigningkey|verifywith)\(\s{0,20}", key!()),
    )
    .checked(is_given_key),
    // A function that gives the key back.
    rule("secret", &["return []byte(", "return buffer.from("], r#"(?i)\breturn (?:\[\]byte|buffer\.from)\(["'`]([^"'`\n]{8,200})["'`]"#).checked(is_returned_key),
    rule("secret", &["jwtverify(", "compactverify("], concat!(r"(?i)\b(?:jwtverify|compactverify)\(\s{0,20}", other!(), key!())).checked(is_given_key),
];

/// How a way to sign, a coding or the like begins, where a call takes it in the same place as a key.
const WAYS: &[&str] = &[
    "sha", "aes", "hs2", "hs3", "hs5", "rs2", "rs5", "es2", "md5", "hex", "utf", "hmac", "base64", "rsa", "des-",
    "raw", "pkcs",
];

/// Whatever stands where a key does: no way to sign, no file and no sentence.
fn is_given_key(text: &str, found: &Captures<'_>) -> bool {
    let value = text.get(taken(found)).unwrap_or_default();
    let lower = value.to_ascii_lowercase();
    let is_way = WAYS.iter().any(|way| lower.starts_with(way)) && value.len() < 24;
    !is_way
        && !value.contains(char::is_whitespace)
        && !value.contains("://")
        && !personal::is_file(value)
        && !stand_in::is_filler(value)
        && check::is_no_stand_in_word(text, found)
}

/// Bytes before a key that a function gives back, in which the text says what it signs.
const BEFORE_BYTES_MAX: usize = 400;

/// The same, where the code before speaks of signed tokens.
fn is_returned_key(text: &str, found: &Captures<'_>) -> bool {
    let end = taken(found).start;
    let before = text[told::floor(text, end.saturating_sub(BEFORE_BYTES_MAX))..end].to_ascii_lowercase();
    before.contains("jwt") && is_given_key(text, found)
}
