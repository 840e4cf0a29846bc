//! What a token of another issuer says.

use serde::{Deserialize, Deserializer, de};

use super::{TokenRejection, check_times};
use crate::{
    Timestamp,
    scope::{Scope, Scopes},
};

/// The claims of another issuer's token that count here (RFC 7519); it may hold more.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ForeignClaims {
    /// Who has signed it.
    pub iss: String,
    /// Whom it is for: one name or several.
    pub aud: OneOrMany,
    /// Whom it lets in, as the issuer calls it.
    pub sub: String,
    /// When it ends, in seconds.
    pub exp: i64,
    /// When it begins, in seconds.
    #[serde(default, deserialize_with = "given")]
    pub nbf: Option<i64>,
    /// When it was signed, in seconds.
    #[serde(default, deserialize_with = "given")]
    pub iat: Option<i64>,
    /// What it may be used for, with blanks between, or as a list.
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
    /// Refuses claims of another issuer, for another audience, about nobody, ended or not begun.
    pub fn check(&self, issuer: &str, audience: &str, now: Timestamp) -> Result<(), TokenRejection> {
        if self.iss != issuer {
            return Err(TokenRejection("another issuer has signed this token"));
        }
        if !self.aud.0.iter().any(|name| name == audience) {
            return Err(TokenRejection("this token is for another audience"));
        }
        if self.sub.is_empty() {
            return Err(TokenRejection("this token is about nobody"));
        }
        let begins = self.nbf.into_iter().chain(self.iat).max().unwrap_or(i64::MIN);
        check_times(begins, self.exp, now)
    }

    /// Those scopes of ours that the issuer names; absent when it names none, because then it speaks of other things.
    pub fn scopes(&self) -> Option<Scopes> {
        let named = self.scope.0.iter().chain(&self.scp.0).flat_map(|text| text.split(' '));
        let ours: Scopes = named.filter_map(|text| text.parse::<Scope>().ok()).collect();
        (ours != Scopes::NONE).then_some(ours)
    }
}

/// A claim that is there has a value: `null` is none.
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
    use crate::claims::CLOCK_SKEW_SECONDS;

    const ISSUER: &str = "https://id.example";
    const NOW: i64 = 1_000_000;

    /// What comes of a good token after one claim was set or, by `null`, taken away.
    fn checked(claim: &str, value: Value) -> Result<(), String> {
        let mut claims =
            json!({"iss": ISSUER, "aud": "parlour", "sub": "bo", "iat": NOW - 5, "nbf": NOW - 5, "exp": NOW + 60});
        let fields = claims.as_object_mut().expect("an object");
        match value {
            Value::Null => drop(fields.remove(claim)),
            value => drop(fields.insert(claim.to_owned(), value)),
        }
        let claims: ForeignClaims = serde_json::from_value(claims).map_err(|error| error.to_string())?;
        claims.check(ISSUER, "parlour", Timestamp::from_millis(NOW * 1000)).map_err(|distrust| distrust.to_string())
    }

    #[test]
    fn a_good_token_is_believed_whatever_else_it_says() {
        assert_eq!(checked("email", json!("bo@example")), Ok(()));
        for optional in ["iat", "nbf"] {
            assert_eq!(checked(optional, Value::Null), Ok(()));
        }
        assert_eq!(checked("aud", json!(["other", "parlour"])), Ok(()));
    }

    #[test]
    fn issuer_audience_subject_and_end_are_required_and_exact() {
        for claim in ["iss", "aud", "sub", "exp"] {
            assert!(checked(claim, Value::Null).is_err(), "{claim}");
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
            assert!(checked(claim, value.clone()).is_err(), "{claim} {value}");
        }
    }

    #[test]
    fn a_token_ends_to_the_second_and_begins_within_the_skew() {
        assert!(checked("exp", json!(NOW)).is_err());
        assert!(checked("exp", json!(NOW + 1)).is_ok());
        for claim in ["nbf", "iat"] {
            assert!(checked(claim, json!(NOW + CLOCK_SKEW_SECONDS)).is_ok(), "{claim}");
            assert!(checked(claim, json!(NOW + CLOCK_SKEW_SECONDS + 1)).is_err(), "{claim}");
        }
        for nonsense in [json!("9999999999"), json!(1e300), json!(u64::MAX), json!(NOW as f64 + 9.5), json!([NOW + 9])]
        {
            assert!(checked("exp", nonsense.clone()).is_err() && checked("nbf", nonsense).is_err());
        }
    }

    #[test]
    fn scopes_of_ours_count_and_others_are_passed_over() {
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
