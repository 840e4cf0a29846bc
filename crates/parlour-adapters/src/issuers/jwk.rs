//! The key set of an issuer (RFC 7517).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, crypto};
use parlour_core::limits;
use serde::Deserialize;

use super::header::RequiredKey;
use crate::keys::jws::Compact;

/// The minimum size of an RSA modulus: 2048 bits.
const MODULUS_BYTES_MIN: usize = 256;
/// A larger modulus would only cost time.
const MODULUS_BYTES_MAX: usize = 1024;

/// The usable keys of an issuer.
#[derive(Clone, Default)]
pub(super) struct JwkSet {
    keys: Vec<IssuerKey>,
}

/// One public key and the algorithms that it may verify.
#[derive(Clone)]
pub(super) struct IssuerKey {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    verifying: DecodingKey,
}

/// Why a key set cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadSet {
    #[error("it is no JWK set")]
    Form(#[source] serde_json::Error),
    #[error("it has more than {} keys", limits::ISSUER_KEYS_MAX)]
    Long,
    #[error("none of its keys fits EdDSA, ES256, ES384, RS256 or PS256")]
    Empty,
}

#[derive(Deserialize)]
struct JwkSetJson {
    keys: Vec<serde_json::Value>,
}

/// A key of a JWK set, with the fields that matter for verifying signatures.
#[derive(Deserialize)]
struct JwkJson {
    kty: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default, rename = "use")]
    purpose: Option<String>,
    #[serde(default)]
    key_ops: Option<Vec<String>>,
    #[serde(default)]
    alg: Option<String>,
    #[serde(default)]
    crv: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
    #[serde(default)]
    n: String,
    #[serde(default)]
    e: String,
}

impl JwkSet {
    /// Parses a key set. Keys of other types occur in many sets and are skipped.
    pub(super) fn parse(json: &[u8]) -> Result<Self, BadSet> {
        let written: JwkSetJson = serde_json::from_slice(json).map_err(BadSet::Form)?;
        if written.keys.len() > limits::ISSUER_KEYS_MAX {
            return Err(BadSet::Long);
        }
        let written = written.keys.into_iter().filter_map(|key| serde_json::from_value::<JwkJson>(key).ok());
        Ok(Self { keys: written.filter_map(JwkJson::into_key).collect() })
    }

    /// Refuses a set without a usable key. It is only used at the start: later an issuer may withdraw all its keys.
    pub(super) fn check_not_empty(self) -> Result<Self, BadSet> {
        if self.keys.is_empty() { Err(BadSet::Empty) } else { Ok(self) }
    }

    /// The key that a token needs. Without a key id it must be the only matching key.
    pub(super) fn find(&self, required: &RequiredKey) -> Option<&IssuerKey> {
        let mut matching = self.keys.iter().filter(|key| {
            key.algorithms.contains(&required.algorithm) && (required.id.is_none() || key.id == required.id)
        });
        let found = matching.next()?;
        matching.next().is_none().then_some(found)
    }
}

impl IssuerKey {
    /// Whether the signature of the token is valid for this key and algorithm.
    pub(super) fn has_signed(&self, algorithm: Algorithm, token: &Compact<'_>) -> bool {
        self.algorithms.contains(&algorithm)
            && crypto::verify(token.signature, token.signed.as_bytes(), &self.verifying, algorithm).unwrap_or(false)
    }
}

impl JwkJson {
    /// The key, if it may be used to verify signatures.
    fn into_key(self) -> Option<IssuerKey> {
        let is_for_signatures = self.purpose.as_deref().is_none_or(|purpose| purpose == "sig")
            && self.key_ops.as_deref().is_none_or(|list| list.iter().any(|one| one == "verify"));
        if !is_for_signatures {
            return None;
        }
        let (mut algorithms, verifying) = self.material()?;
        if let Some(only) = self.alg {
            algorithms.retain(|algorithm| format!("{algorithm:?}") == only);
        }
        (!algorithms.is_empty()).then_some(IssuerKey { id: self.kid, algorithms, verifying })
    }

    /// The algorithms of the key type, so that no key is used for an algorithm of another type.
    fn material(&self) -> Option<(Vec<Algorithm>, DecodingKey)> {
        match (self.kty.as_str(), self.crv.as_str()) {
            ("OKP", "Ed25519") if length(&self.x)? == 32 => {
                Some((vec![Algorithm::EdDSA], DecodingKey::from_ed_components(&self.x).ok()?))
            }
            ("EC", "P-256") => Some((vec![Algorithm::ES256], self.point(32)?)),
            ("EC", "P-384") => Some((vec![Algorithm::ES384], self.point(48)?)),
            ("RSA", _) if (MODULUS_BYTES_MIN..=MODULUS_BYTES_MAX).contains(&length(&self.n)?) => {
                let key = DecodingKey::from_rsa_components(&self.n, &self.e).ok()?;
                Some((vec![Algorithm::RS256, Algorithm::PS256], key))
            }
            _ => None,
        }
    }

    /// A point on a curve with coordinates of this length.
    fn point(&self, bytes: usize) -> Option<DecodingKey> {
        let is_whole = length(&self.x)? == bytes && length(&self.y)? == bytes;
        is_whole.then(|| DecodingKey::from_ec_components(&self.x, &self.y).ok()).flatten()
    }
}

/// The length of a base64url text in bytes.
fn length(text: &str) -> Option<usize> {
    URL_SAFE_NO_PAD.decode(text).ok().map(|bytes| bytes.len())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn ed(id: &str) -> Value {
        json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": id})
    }

    fn with(mut key: Value, name: &str, value: Value) -> Value {
        key[name] = value;
        key
    }

    fn set(keys: &[Value]) -> Result<JwkSet, BadSet> {
        JwkSet::parse(json!({"keys": keys}).to_string().as_bytes())
    }

    fn required(algorithm: Algorithm, id: Option<&str>) -> RequiredKey {
        RequiredKey { algorithm, id: id.map(str::to_owned) }
    }

    #[test]
    fn a_key_is_found_by_id_and_algorithm() {
        let set = set(&[ed("1"), ed("2")]).expect("set");
        assert!(set.find(&required(Algorithm::EdDSA, Some("2"))).is_some());
        assert!(set.find(&required(Algorithm::EdDSA, Some("3"))).is_none());
        assert!(set.find(&required(Algorithm::RS256, Some("2"))).is_none());
    }

    #[test]
    fn without_a_key_id_only_a_unique_key_matches() {
        assert!(set(&[ed("1")]).expect("set").find(&required(Algorithm::EdDSA, None)).is_some());
        assert!(set(&[ed("1"), ed("2")]).expect("set").find(&required(Algorithm::EdDSA, None)).is_none());
        assert!(set(&[ed("1"), ed("1")]).expect("set").find(&required(Algorithm::EdDSA, Some("1"))).is_none());
    }

    #[test]
    fn keys_of_other_uses_and_types_are_skipped() {
        let point = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        for key in [
            with(ed("1"), "use", json!("enc")),
            with(ed("1"), "key_ops", json!(["sign"])),
            with(ed("1"), "alg", json!("ES256")),
            with(ed("1"), "alg", json!("HS256")),
            with(ed("1"), "crv", json!("X25519")),
            with(ed("1"), "x", json!("AAAA")),
            with(ed("1"), "kty", json!("EC")),
            json!({"kty": "oct", "k": "c2VjcmV0", "alg": "HS256", "kid": "1"}),
            json!({"kty": "EC", "crv": "P-521", "x": point, "y": point}),
            json!({"kty": "EC", "crv": "P-384", "x": point, "y": point}),
            json!({"kty": "RSA", "n": point, "e": "AQAB"}),
            json!({"kty": "RSA"}),
            json!("key"),
        ] {
            assert!(
                matches!(set(std::slice::from_ref(&key)).and_then(JwkSet::check_not_empty), Err(BadSet::Empty)),
                "{key}"
            );
            assert!(set(&[key, ed("2")]).and_then(JwkSet::check_not_empty).is_ok(), "others are not spoiled by it");
        }
    }

    #[test]
    fn long_and_malformed_key_sets_are_refused() {
        let many: Vec<_> = (0..=limits::ISSUER_KEYS_MAX).map(|id| ed(&id.to_string())).collect();
        assert!(matches!(set(&many), Err(BadSet::Long)));
        assert!(set(&many[1..]).is_ok());
        for text in ["", "[]", "{}", r#"{"keys": {}}"#, "<html>"] {
            assert!(matches!(JwkSet::parse(text.as_bytes()), Err(BadSet::Form(_))), "{text}");
        }
    }
}
