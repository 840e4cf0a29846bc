//! Fuzz targets for the parsers of tokens and keys: input that the hub has not signed is refused.

use parlour_core::{
    claims::{Claims, ForeignClaims},
    fuzz::{FuzzPlan, FuzzTarget, SAMPLES, drive, text},
    limits,
};
use parlour_hub::ports::Keys as _;

use crate::{
    FileKeys,
    issuers::{KeySource, is_key_set},
    keys::{is_key_file, jws::Compact},
};

const TARGETS: &[FuzzTarget] = &[
    ("compact", compact),
    ("signed", signed),
    ("key set", key_set),
    ("key file", key_file),
    ("key source", key_source),
];

const TOKENS: &[&[u8]] = &[
    b"eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6IngifQ.eyJpc3MiOiJ4In0.AAAA",
    b"eyJhbGciOiJub25lIn0.e30.",
    b"..",
    b"a.b.c.d",
    br#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#,
    br#"{"keys":[{"kty":"RSA","alg":"RS256","n":"AQAB","e":"AQAB"},{"kty":"EC","crv":"P-256","x":"AA","y":"AA"},7]}"#,
    br#"{"issuer":"urn:parlour:0","signing":{"pkcs8":"AAAA","created_at":"2026-11-16T00:00:00Z"},"replaced":[]}"#,
    b"https://login.example/keys",
];

fn compact(bytes: &[u8]) {
    let token = text(bytes);
    if let Ok(parts) = Compact::parse(&token) {
        assert!(token.len() <= limits::TOKEN_CHARS_MAX && token.starts_with(parts.signed));
        let _ = (parts.header::<serde_json::Value>(), parts.claims::<Claims>(), parts.claims::<ForeignClaims>());
    }
}

fn signed(bytes: &[u8]) {
    thread_local! {
        static KEYS: (tempfile::TempDir, FileKeys) = {
            let folder = tempfile::tempdir().expect("folder");
            let keys = FileKeys::open(folder.path()).expect("keys");
            (folder, keys)
        };
    }
    KEYS.with(|(_, keys)| assert!(keys.read(&text(bytes)).is_err(), "an unsigned token was accepted"));
}

fn key_set(bytes: &[u8]) {
    let _ = is_key_set(bytes);
}

/// No input is a valid key file without a real private key.
fn key_file(bytes: &[u8]) {
    assert!(!is_key_file(bytes), "a key out of thin air");
}

fn key_source(bytes: &[u8]) {
    let _ = KeySource::parse(&text(bytes));
}

#[test]
fn a_sample_is_a_valid_key_set() {
    assert!(TOKENS.iter().any(|sample| is_key_set(sample)), "the samples reach the inner checks");
}

#[test]
fn no_fuzzed_input_is_accepted_as_a_token() {
    let samples = [SAMPLES, TOKENS].concat();
    assert!(drive(FuzzPlan::read(|name| std::env::var(name).ok()), TARGETS, &samples) > 1_000);
}
