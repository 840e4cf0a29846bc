//! The readers of tokens as fuzz targets: whatever is shown is refused, unless the hub has signed it.

use parlour_core::{
    claims::{Claims, ForeignClaims},
    fuzz::{Plan, SAMPLES, Target, drive, text},
    limits,
};
use parlour_hub::ports::Keys as _;

use crate::{FileKeys, keys::jws::Compact};

const TARGETS: &[Target] = &[("compact", compact), ("signed", signed)];

const TOKENS: &[&[u8]] = &[
    b"eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6IngifQ.eyJpc3MiOiJ4In0.AAAA",
    b"eyJhbGciOiJub25lIn0.e30.",
    b"..",
    b"a.b.c.d",
];

fn compact(bytes: &[u8]) {
    let token = text(bytes);
    if let Ok(parts) = Compact::parse(&token) {
        assert!(token.len() <= limits::TOKEN_CHARS_MAX && token.starts_with(parts.signed));
        let _ = (parts.head::<serde_json::Value>(), parts.claims::<Claims>(), parts.claims::<ForeignClaims>());
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
    KEYS.with(|(_, keys)| assert!(keys.read(&text(bytes)).is_err(), "a token that nobody has signed"));
}

#[test]
fn no_bytes_pass_for_a_token() {
    let samples = [SAMPLES, TOKENS].concat();
    assert!(drive(Plan::read(|name| std::env::var(name).ok()), TARGETS, &samples) > 1_000);
}
