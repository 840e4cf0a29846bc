//! The head of another issuer's token.

use jsonwebtoken::Algorithm;
use parlour_core::claims::TokenRejection;
use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// The algorithms that are taken, as heads name them. Each needs a key that everybody may know: with a secret that
/// two share, whoever checks a token could make one.
const ALGORITHMS: &[(&str, Algorithm)] = &[
    ("EdDSA", Algorithm::EdDSA),
    ("ES256", Algorithm::ES256),
    ("ES384", Algorithm::ES384),
    ("RS256", Algorithm::RS256),
    ("PS256", Algorithm::PS256),
];

/// The types of token that are taken; a head need not name one.
const TYPES: &[&str] = &["JWT", "at+jwt", "application/at+jwt"];

/// The head as it was sent. Others may stand in it, but none of those that bring a key or demand to be understood.
#[derive(Deserialize)]
pub(super) struct Head {
    alg: String,
    #[serde(default)]
    typ: Option<String>,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default, deserialize_with = "is_there")]
    crit: bool,
    #[serde(default, deserialize_with = "is_there")]
    jwk: bool,
    #[serde(default, deserialize_with = "is_there")]
    jku: bool,
    #[serde(default, deserialize_with = "is_there")]
    x5c: bool,
    #[serde(default, deserialize_with = "is_there")]
    x5u: bool,
    #[serde(default, deserialize_with = "is_there")]
    b64: bool,
}

/// Which key a token needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WantedKey {
    pub(super) algorithm: Algorithm,
    /// The name of the key; an issuer with one key need not name it.
    pub(super) id: Option<String>,
}

impl Head {
    /// Refuses heads that want something else than to name a key and an algorithm.
    pub(super) fn check(self) -> Result<WantedKey, TokenRejection> {
        if self.crit || self.jwk || self.jku || self.x5c || self.x5u || self.b64 {
            return Err(TokenRejection("the head of this token brings or demands something that is not taken here"));
        }
        if self.typ.is_some_and(|typ| !TYPES.iter().any(|known| known.eq_ignore_ascii_case(&typ))) {
            return Err(TokenRejection("this token is of another type"));
        }
        let known = ALGORITHMS.iter().find(|(name, _)| *name == self.alg);
        let (_, algorithm) =
            known.ok_or(TokenRejection("this token is signed by an algorithm that is not taken here"))?;
        Ok(WantedKey { algorithm: *algorithm, id: self.kid })
    }
}

/// Whatever it is, it is there.
fn is_there<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(input).map(|_| true)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(head: Value) -> Option<WantedKey> {
        serde_json::from_value::<Head>(head).ok()?.check().ok()
    }

    #[test]
    fn a_head_names_an_algorithm_and_may_name_a_key() {
        let wanted = check(json!({"alg": "ES256", "typ": "jwt", "kid": "1", "x5t": "thumb"}));
        assert_eq!(wanted, Some(WantedKey { algorithm: Algorithm::ES256, id: Some("1".into()) }));
        assert_eq!(check(json!({"alg": "EdDSA"})).map(|wanted| wanted.id), Some(None));
    }

    #[test]
    fn algorithms_are_taken_by_their_exact_name_and_none_shares_a_secret() {
        for (name, _) in ALGORITHMS {
            assert!(check(json!({"alg": name})).is_some(), "{name}");
            assert!(check(json!({"alg": name.to_lowercase()})).is_none(), "{name}");
        }
        for other in ["none", "None", "", "HS256", "HS384", "HS512", "RS512", "ES512", "ES256K", "RSA1_5", "dir"] {
            assert!(check(json!({"alg": other})).is_none(), "{other}");
        }
    }

    #[test]
    fn what_brings_a_key_or_demands_something_is_refused() {
        for name in ["crit", "jwk", "jku", "x5c", "x5u", "b64"] {
            for value in [json!(null), json!([]), json!("https://evil.example/keys"), json!({"kty": "oct"})] {
                assert!(check(json!({"alg": "ES256", name: value})).is_none(), "{name}");
            }
        }
        assert!(check(json!({"alg": "ES256", "typ": "dpop+jwt"})).is_none());
        assert!(check(json!({"alg": "ES256", "kid": ["1"]})).is_none());
    }
}
