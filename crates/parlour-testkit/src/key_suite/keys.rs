//! Signing, reading and rotating.

use std::{collections::BTreeSet, sync::Arc};

use parlour_core::{Timestamp, claims::Claims, limits};
use serde_json::Value;
use tokio::task::JoinSet;

use parlour_hub::ports::Keys;

/// The time at which the tests start.
const START_SECONDS: i64 = 1_800_000_000;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

/// Claims of this hub for itself.
fn claims(keys: &Arc<dyn Keys>, token: &str) -> Claims {
    Claims {
        iss: keys.issuer().to_owned(),
        aud: keys.issuer().to_owned(),
        sub: "agt_coder".parse().expect("id"),
        jti: token.parse().expect("id"),
        scope: "messages:read messages:write".to_owned(),
        iat: START_SECONDS,
        exp: START_SECONDS + limits::TOKEN_SECONDS_MAX as i64,
    }
}

fn sign(keys: &Arc<dyn Keys>, token: &str) -> String {
    keys.sign(&claims(keys, token)).expect("a token")
}

/// The published keys.
fn published(keys: &Arc<dyn Keys>) -> Vec<Value> {
    keys.jwks()["keys"].as_array().expect("a list of keys").clone()
}

fn ids(keys: &Arc<dyn Keys>) -> Vec<String> {
    published(keys).iter().map(|key| key["kid"].as_str().expect("an id").to_owned()).collect()
}

pub async fn signed_claims_are_read_unchanged(keys: Arc<dyn Keys>) {
    assert_eq!(keys.read(&sign(&keys, "tok_1")), Ok(claims(&keys, "tok_1")));
}

/// Tokens name the hub by it, so a rotation does not change it.
pub async fn the_issuer_never_changes(keys: Arc<dyn Keys>) {
    let before = keys.issuer().to_owned();
    assert!(before.starts_with("urn:parlour:") && before.len() > 20, "{before}");
    keys.rotate(at(START_SECONDS)).await.expect("rotated");
    assert_eq!(keys.issuer(), before);
}

/// This is the compact form of RFC 7515.
pub async fn a_token_is_three_parts_of_url_safe_text(keys: Arc<dyn Keys>) {
    let token = sign(&keys, "tok_1");
    let parts: Vec<_> = token.split('.').collect();
    assert_eq!(parts.len(), 3);
    let is_url_safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    assert!(parts.iter().all(|part| !part.is_empty() && part.bytes().all(is_url_safe)), "{token}");
    assert!(token.len() < limits::TOKEN_CHARS_MAX);
}

/// Every character of header, claims and signature is verified.
pub async fn a_token_with_any_change_is_rejected(keys: Arc<dyn Keys>) {
    let token = sign(&keys, "tok_1");
    for index in 0..token.len() {
        let mut changed = token.clone().into_bytes();
        changed[index] = if changed[index] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).expect("ASCII");
        assert!(keys.read(&changed).is_err(), "the character at {index} is not verified");
        assert!(keys.read(&token[..index]).is_err(), "{index} characters are enough");
    }
}

/// The signature covers header and claims together.
pub async fn parts_of_two_tokens_do_not_make_a_valid_token(keys: Arc<dyn Keys>) {
    let (first, second) = (sign(&keys, "tok_1"), sign(&keys, "tok_2"));
    let (a, b): (Vec<_>, Vec<_>) = (first.split('.').collect(), second.split('.').collect());
    for mixed in [[a[0], b[1], a[2]], [a[0], a[1], b[2]], [a[1], a[0], a[2]], [a[0], a[1], ""], ["", a[1], a[2]]] {
        assert!(keys.read(&mixed.join(".")).is_err());
    }
    assert!(keys.read(&format!("{}.{}.{}.", a[0], a[1], a[2])).is_err(), "nothing may follow");
}

/// Otherwise a token could outlive its key.
pub async fn claims_with_a_too_long_lifetime_are_not_signed(keys: Arc<dyn Keys>) {
    let good = claims(&keys, "tok_1");
    for exp in [good.exp + 1, i64::MAX] {
        assert!(keys.sign(&Claims { exp, ..good.clone() }).is_err());
    }
}

pub async fn a_new_key_signs_at_once_and_older_tokens_stay_valid(keys: Arc<dyn Keys>) {
    let older = sign(&keys, "tok_1");
    let before = ids(&keys);
    let id = keys.rotate(at(START_SECONDS)).await.expect("rotated");
    assert!(!before.contains(&id));
    let newer = sign(&keys, "tok_2");
    assert_ne!(older.split('.').next(), newer.split('.').next(), "the head names another key");
    assert!(keys.read(&older).is_ok() && keys.read(&newer).is_ok());
}

pub async fn the_newest_key_is_published_first_and_without_its_secret(keys: Arc<dyn Keys>) {
    let newest = keys.rotate(at(START_SECONDS)).await.expect("rotated");
    assert_eq!(ids(&keys)[0], newest);
    for key in published(&keys) {
        let names: BTreeSet<_> = key.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(names, BTreeSet::from(["alg", "crv", "kid", "kty", "use", "x"]));
        assert_eq!((&key["kty"], &key["crv"], &key["alg"]), (&"OKP".into(), &"Ed25519".into(), &"EdDSA".into()));
    }
}

/// A token names its key by the id alone.
pub async fn key_ids_are_unique(keys: Arc<dyn Keys>) {
    for _ in 0..8 {
        keys.rotate(at(START_SECONDS)).await.expect("rotated");
    }
    assert_eq!(ids(&keys).into_iter().collect::<BTreeSet<_>>().len(), 9);
}

/// Old keys do not accumulate, and no key is deleted while one of its tokens is valid.
pub async fn a_key_is_deleted_when_its_last_token_has_expired(keys: Arc<dyn Keys>) {
    let token = sign(&keys, "tok_1");
    let first = ids(&keys).remove(0);
    keys.rotate(at(START_SECONDS)).await.expect("rotated");
    keys.rotate(at(START_SECONDS + limits::TOKEN_SECONDS_MAX as i64 - 1)).await.expect("rotated");
    assert!(keys.read(&token).is_ok() && ids(&keys).contains(&first));
    keys.rotate(at(START_SECONDS + limits::TOKEN_SECONDS_MAX as i64 + 3_600)).await.expect("rotated");
    assert!(keys.read(&token).is_err() && !ids(&keys).contains(&first));
}

/// Each rotation returns the id of a stored key.
pub async fn concurrent_rotations_lose_no_key(keys: Arc<dyn Keys>) {
    let mut rotations = JoinSet::new();
    for _ in 0..8 {
        let keys = Arc::clone(&keys);
        rotations.spawn(async move { keys.rotate(at(START_SECONDS)).await.expect("rotated") });
    }
    let answered: BTreeSet<_> = rotations.join_all().await.into_iter().collect();
    assert_eq!(answered.len(), 8);
    assert!(answered.iter().all(|id| ids(&keys).contains(id)));
}

/// The error does not contain the token.
pub async fn a_malformed_token_is_rejected_and_not_repeated(keys: Arc<dyn Keys>) {
    let long = format!("s3cret.{}.x", "A".repeat(limits::TOKEN_CHARS_MAX));
    for nonsense in ["", ".", "..", "...", "s3cret", "s3cret.s3cret.s3cret", "\0.\0.\0", "ä.ö.ü", " . . ", &long] {
        let distrust = keys.read(nonsense).expect_err("no token");
        assert!(!distrust.to_string().contains("s3cret"), "{distrust}");
    }
}
