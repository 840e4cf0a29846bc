//! The claims of signed tokens. The adapter checks the signature; this module checks the claims.

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::{
    Timestamp,
    id::{MemberId, TokenId},
    limits::TOKEN_SECONDS_MAX,
    scope::{Scope, Scopes},
};

/// Seconds that the clock of another issuer may differ from ours.
pub const CLOCK_SKEW_SECONDS: i64 = 60;

/// The claims of a token that this hub has signed (RFC 9068).
///
/// A token of this hub contains exactly these claims, each once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The hub that signed it.
    pub iss: String,
    /// The hub that it is for: the same.
    pub aud: String,
    /// The member that it authenticates.
    pub sub: MemberId,
    /// The id of the token, by which it is listed and revoked.
    pub jti: TokenId,
    /// The scopes, separated by spaces.
    pub scope: String,
    /// When it was signed, in seconds.
    pub iat: i64,
    /// When it ends, in seconds.
    pub exp: i64,
}

/// The reason for rejecting a token, as text for the caller. It never contains the token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TokenRejection(pub &'static str);

impl Claims {
    /// Refuses claims of or for another hub, expired claims, and claims that are not valid yet.
    pub fn check(&self, hub: &str, now: Timestamp) -> Result<(), TokenRejection> {
        if self.iss != hub {
            return Err(TokenRejection("the token was signed by another issuer"));
        }
        if self.aud != hub {
            return Err(TokenRejection("the token is for another audience"));
        }
        check_times(self.iat, self.exp, now)
    }

    /// Refuses a lifetime over `TOKEN_SECONDS_MAX`: a signing key is deleted when its last token must have expired.
    pub fn check_life(&self) -> Result<(), TokenRejection> {
        let is_bounded = self.exp.checked_sub(self.iat).is_some_and(|seconds| seconds <= TOKEN_SECONDS_MAX as i64);
        if self.iat < 0 || !is_bounded {
            return Err(TokenRejection("the lifetime of the token is longer than allowed"));
        }
        Ok(())
    }
}

/// Refuses a token that has expired, or that was issued in the future.
pub fn check_times(begins: i64, ends: i64, now: Timestamp) -> Result<(), TokenRejection> {
    let now = now.as_millis().div_euclid(1000);
    if ends <= now {
        return Err(TokenRejection("the token has expired"));
    }
    if begins > now.saturating_add(CLOCK_SKEW_SECONDS) {
        return Err(TokenRejection("the token is not valid yet"));
    }
    Ok(())
}

/// The claims of another issuer's token that count here (RFC 7519); it may hold more.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ForeignClaims {
    /// The issuer.
    pub iss: String,
    /// Whom it is for: one name or several.
    pub aud: OneOrMany,
    /// The subject, as the issuer names it.
    pub sub: String,
    /// When it ends, in seconds.
    pub exp: i64,
    /// When it begins, in seconds.
    #[serde(default, deserialize_with = "given")]
    pub nbf: Option<i64>,
    /// When it was signed, in seconds.
    #[serde(default, deserialize_with = "given")]
    pub iat: Option<i64>,
    /// The scopes, separated by spaces or as a list.
    #[serde(default)]
    pub scope: OneOrMany,
    /// The same under the name that some issuers use.
    #[serde(default)]
    pub scp: OneOrMany,
}

/// One text or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OneOrMany(pub Vec<String>);

impl ForeignClaims {
    /// Refuses claims of another issuer, for another audience, without a subject, expired or not yet valid.
    pub fn check(&self, issuer: &str, audience: &str, now: Timestamp) -> Result<(), TokenRejection> {
        if self.iss != issuer {
            return Err(TokenRejection("the token was signed by another issuer"));
        }
        if !self.aud.0.iter().any(|name| name == audience) {
            return Err(TokenRejection("the token is for another audience"));
        }
        if self.sub.is_empty() {
            return Err(TokenRejection("the token has no subject"));
        }
        let begins = self.nbf.into_iter().chain(self.iat).max().unwrap_or(i64::MIN);
        check_times(begins, self.exp, now)
    }

    /// The scopes of this hub among the claimed ones; `None` if there are none, because the claim has another meaning
    /// then.
    pub fn scopes(&self) -> Option<Scopes> {
        let named = self.scope.0.iter().chain(&self.scp.0).flat_map(|text| text.split(' '));
        let ours: Scopes = named.filter_map(|text| text.parse::<Scope>().ok()).collect();
        (ours != Scopes::NONE).then_some(ours)
    }
}

/// Refuses `null`: an optional claim is absent or has a value.
fn given<'de, D: Deserializer<'de>>(input: D) -> Result<Option<i64>, D::Error> {
    i64::deserialize(input).map(Some)
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> de::Visitor<'de> for Either {
            type Value = OneOrMany;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a text or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany(vec![text.to_owned()]))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<OneOrMany, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                Ok(OneOrMany(texts))
            }
        }
        input.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const HUB: &str = "urn:parlour:1";
    const NOW: i64 = 1_000_000;

    fn valid_claims() -> Value {
        json!({"iss": HUB, "aud": HUB, "sub": "agt_coder", "jti": "tok_1", "scope": "messages:read", "iat": NOW, "exp": NOW + 60})
    }

    /// The result of checking a valid token after one claim was set.
    fn checked(claim: &str, value: Value) -> Result<(), String> {
        let mut claims = valid_claims();
        claims[claim] = value;
        let claims: Claims = serde_json::from_value(claims).map_err(|error| error.to_string())?;
        let check = || claims.check_life().and_then(|()| claims.check(HUB, Timestamp::from_millis(NOW * 1000)));
        check().map_err(|rejection| rejection.to_string())
    }

    #[test]
    fn issuer_and_audience_must_be_this_hub() {
        assert_eq!(checked("iss", json!(HUB)), Ok(()));
        for claim in ["iss", "aud"] {
            for other in ["", "urn:parlour:2", "urn:parlour:1 ", "URN:parlour:1"] {
                assert!(checked(claim, json!(other)).is_err(), "{claim} {other:?}");
            }
        }
    }

    #[test]
    fn expiry_is_exact_and_the_issue_time_may_be_off_by_the_clock_skew() {
        assert!(checked("exp", json!(NOW)).is_err_and(|reason| reason.contains("expired")));
        assert_eq!(checked("exp", json!(NOW + 1)), Ok(()));
        assert_eq!(checked("iat", json!(NOW + CLOCK_SKEW_SECONDS)), Ok(()));
        assert!(checked("iat", json!(NOW + CLOCK_SKEW_SECONDS + 1)).is_err());
    }

    #[test]
    fn a_lifetime_over_the_limit_is_refused() {
        let longest = NOW + TOKEN_SECONDS_MAX as i64;
        assert_eq!(checked("exp", json!(longest)), Ok(()));
        for (claim, value) in [("exp", longest + 1), ("exp", i64::MAX), ("iat", i64::MIN), ("iat", -1)] {
            assert!(checked(claim, json!(value)).is_err(), "{claim} {value}");
        }
    }

    #[test]
    fn claims_of_another_type_unknown_or_repeated_are_refused() {
        for (claim, value) in [
            ("exp", json!("1000060")),
            ("exp", json!(1_000_060.5)),
            ("exp", json!(1e300)),
            ("aud", json!([HUB])),
            ("sub", json!("coder")),
            ("sub", Value::Null),
            ("jti", json!("agt_1")),
            ("scope", json!(["messages:read"])),
            ("nbf", json!(NOW)),
            ("admin", json!(true)),
        ] {
            assert!(checked(claim, value.clone()).is_err(), "{claim} {value}");
        }
        let twice = valid_claims().to_string().replacen('{', "{\"sub\":\"agt_other\",", 1);
        assert!(serde_json::from_str::<Claims>(&twice).is_err(), "{twice}");
    }

    const ISSUER: &str = "https://id.example";

    /// The result of checking a valid foreign token after one claim was set or, by `null`, removed.
    fn checked_foreign(claim: &str, value: Value) -> Result<(), String> {
        let mut claims =
            json!({"iss": ISSUER, "aud": "parlour", "sub": "bo", "iat": NOW - 5, "nbf": NOW - 5, "exp": NOW + 60});
        let fields = claims.as_object_mut().expect("an object");
        match value {
            Value::Null => drop(fields.remove(claim)),
            value => drop(fields.insert(claim.to_owned(), value)),
        }
        let claims: ForeignClaims = serde_json::from_value(claims).map_err(|error| error.to_string())?;
        claims.check(ISSUER, "parlour", Timestamp::from_millis(NOW * 1000)).map_err(|rejection| rejection.to_string())
    }

    #[test]
    fn a_valid_foreign_token_is_accepted_with_additional_or_without_optional_claims() {
        assert_eq!(checked_foreign("email", json!("bo@example")), Ok(()));
        for optional in ["iat", "nbf"] {
            assert_eq!(checked_foreign(optional, Value::Null), Ok(()));
        }
        assert_eq!(checked_foreign("aud", json!(["other", "parlour"])), Ok(()));
    }

    #[test]
    fn issuer_audience_subject_and_expiry_are_required_and_exact() {
        for claim in ["iss", "aud", "sub", "exp"] {
            assert!(checked_foreign(claim, Value::Null).is_err(), "{claim}");
        }
        for (claim, value) in [
            ("iss", json!("https://id.example/")),
            ("iss", json!("https://ID.example")),
            ("iss", json!([ISSUER])),
            ("aud", json!("Parlour")),
            ("aud", json!("parlour other")),
            ("aud", json!([])),
            ("aud", json!([["parlour"]])),
            ("aud", json!({"parlour": true})),
            ("sub", json!("")),
            ("sub", json!(7)),
        ] {
            assert!(checked_foreign(claim, value.clone()).is_err(), "{claim} {value}");
        }
    }

    #[test]
    fn foreign_expiry_is_exact_and_the_start_may_be_off_by_the_clock_skew() {
        assert!(checked_foreign("exp", json!(NOW)).is_err());
        assert!(checked_foreign("exp", json!(NOW + 1)).is_ok());
        for claim in ["nbf", "iat"] {
            assert!(checked_foreign(claim, json!(NOW + CLOCK_SKEW_SECONDS)).is_ok(), "{claim}");
            assert!(checked_foreign(claim, json!(NOW + CLOCK_SKEW_SECONDS + 1)).is_err(), "{claim}");
        }
        for nonsense in [json!("9999999999"), json!(1e300), json!(u64::MAX), json!(NOW as f64 + 9.5), json!([NOW + 9])]
        {
            assert!(checked_foreign("exp", nonsense.clone()).is_err() && checked_foreign("nbf", nonsense).is_err());
        }
    }

    #[test]
    fn unknown_scopes_are_ignored() {
        let scopes = |claim: &str, value: Value| {
            let claims = json!({"iss": ISSUER, "aud": "parlour", "sub": "bo", "exp": 1, claim: value});
            serde_json::from_value::<ForeignClaims>(claims).expect("claims").scopes().map(|scopes| scopes.to_string())
        };
        assert_eq!(scopes("scope", json!("openid messages:read")).as_deref(), Some("messages:read"));
        assert_eq!(scopes("scp", json!(["admin", "x"])).as_deref(), Some("admin"));
        assert_eq!(scopes("scope", json!("openid Messages:Read")), None);
        assert_eq!(scopes("other", json!("admin")), None);
    }
}
