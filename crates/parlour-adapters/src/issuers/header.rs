//! The JOSE header of a foreign token.

use jsonwebtoken::Algorithm;
use parlour_core::claims::TokenRejection;
use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// The accepted algorithms by name. All are asymmetric: with a shared secret, everybody who verifies tokens could also
/// forge them.
const ALGORITHMS: &[(&str, Algorithm)] = &[
    ("EdDSA", Algorithm::EdDSA),
    ("ES256", Algorithm::ES256),
    ("ES384", Algorithm::ES384),
    ("RS256", Algorithm::RS256),
    ("PS256", Algorithm::PS256),
];

/// The accepted token types; a header need not name one.
const TYPES: &[&str] = &["JWT", "at+jwt", "application/at+jwt"];

/// The header of a token. Unknown fields are ignored, but fields that carry a key or change the processing are refused.
#[derive(Deserialize)]
pub(super) struct JwsHeader {
    alg: String,
    #[serde(default)]
    typ: Option<String>,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default, deserialize_with = "is_present")]
    crit: bool,
    #[serde(default, deserialize_with = "is_present")]
    jwk: bool,
    #[serde(default, deserialize_with = "is_present")]
    jku: bool,
    #[serde(default, deserialize_with = "is_present")]
    x5c: bool,
    #[serde(default, deserialize_with = "is_present")]
    x5u: bool,
    #[serde(default, deserialize_with = "is_present")]
    b64: bool,
}

/// The key that a token needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequiredKey {
    pub(super) algorithm: Algorithm,
    /// The id of the key; optional for an issuer with one key.
    pub(super) id: Option<String>,
}

impl JwsHeader {
    /// Refuses headers that contain more than key id, type and algorithm require.
    pub(super) fn check(self) -> Result<RequiredKey, TokenRejection> {
        if self.crit || self.jwk || self.jku || self.x5c || self.x5u || self.b64 {
            return Err(TokenRejection("the head of this token brings or demands something that is not taken here"));
        }
        if self.typ.is_some_and(|typ| !TYPES.iter().any(|known| known.eq_ignore_ascii_case(&typ))) {
            return Err(TokenRejection("this token is of another type"));
        }
        let known = ALGORITHMS.iter().find(|(name, _)| *name == self.alg);
        let (_, algorithm) =
            known.ok_or(TokenRejection("this token is signed by an algorithm that is not taken here"))?;
        Ok(RequiredKey { algorithm: *algorithm, id: self.kid })
    }
}

/// True for any value of a present field.
fn is_present<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(input).map(|_| true)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(header: Value) -> Option<RequiredKey> {
        serde_json::from_value::<JwsHeader>(header).ok()?.check().ok()
    }

    #[test]
    fn a_header_has_an_algorithm_and_an_optional_key_id() {
        let required = check(json!({"alg": "ES256", "typ": "jwt", "kid": "1", "x5t": "thumb"}));
        assert_eq!(required, Some(RequiredKey { algorithm: Algorithm::ES256, id: Some("1".into()) }));
        assert_eq!(check(json!({"alg": "EdDSA"})).map(|required| required.id), Some(None));
    }

    #[test]
    fn only_exact_names_of_asymmetric_algorithms_are_accepted() {
        for (name, _) in ALGORITHMS {
            assert!(check(json!({"alg": name})).is_some(), "{name}");
            assert!(check(json!({"alg": name.to_lowercase()})).is_none(), "{name}");
        }
        for other in ["none", "None", "", "HS256", "HS384", "HS512", "RS512", "ES512", "ES256K", "RSA1_5", "dir"] {
            assert!(check(json!({"alg": other})).is_none(), "{other}");
        }
    }

    #[test]
    fn headers_with_a_key_or_critical_fields_are_refused() {
        for name in ["crit", "jwk", "jku", "x5c", "x5u", "b64"] {
            for value in [json!(null), json!([]), json!("https://evil.example/keys"), json!({"kty": "oct"})] {
                assert!(check(json!({"alg": "ES256", name: value})).is_none(), "{name}");
            }
        }
        assert!(check(json!({"alg": "ES256", "typ": "dpop+jwt"})).is_none());
        assert!(check(json!({"alg": "ES256", "kid": ["1"]})).is_none());
    }
}
