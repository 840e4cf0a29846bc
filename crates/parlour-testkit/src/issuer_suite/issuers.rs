//! Tokens of a trusted foreign issuer.

use parlour_core::{
    Code, Timestamp, limits,
    scope::{Scope, Scopes},
};
use serde_json::{Value, json};

use super::TrustedIssuerFixture;
use parlour_hub::{Failure, ports::ForeignIdentity};

impl TrustedIssuerFixture {
    fn now_seconds(&self) -> i64 {
        self.now.as_millis() / 1000
    }

    /// Valid claims.
    fn claims(&self) -> Value {
        let now = self.now_seconds();
        json!({"iss": self.issuer, "aud": self.audience, "sub": "bo", "iat": now, "nbf": now, "exp": now + 300})
    }

    /// A token of the issuer in which one claim is replaced or, by `null`, removed.
    fn with(&self, claim: &str, value: Value) -> String {
        let mut claims = self.claims();
        let fields = claims.as_object_mut().expect("an object");
        match value {
            Value::Null => drop(fields.remove(claim)),
            value => drop(fields.insert(claim.to_owned(), value)),
        }
        (self.sign)(&claims)
    }

    async fn read(&self, token: &str) -> Result<ForeignIdentity, Failure> {
        self.issuers.read(token, self.now).await
    }

    /// Checks that the token is refused as unauthenticated.
    async fn assert_refused(&self, token: &str, why: &str) {
        let failure = self.read(token).await.expect_err(why);
        assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::Unauthenticated), "{why}: {failure}");
    }
}

/// Nothing is verified at this point.
pub async fn a_token_is_attributed_by_its_issuer_name_alone(one: TrustedIssuerFixture) {
    assert!(one.issuers.knows(&(one.sign)(&one.claims())));
    assert!(one.issuers.knows(&(one.forge)(&one.claims())), "the signature is not verified");
    for other in ["", "https://other.example", &format!("{}/", one.issuer)] {
        assert!(!one.issuers.knows(&one.with("iss", json!(other))), "{other}");
    }
}

/// Issuer and subject together are the identity.
pub async fn a_valid_token_returns_identity_and_expiry(one: TrustedIssuerFixture) {
    let identity = one.read(&(one.sign)(&one.claims())).await.expect("valid");
    let expires_at = Timestamp::from_millis((one.now_seconds() + 300) * 1000);
    assert_eq!(identity, ForeignIdentity { issuer: one.issuer, subject: "bo".into(), scopes: None, expires_at });
}

/// The issuer name alone proves nothing.
pub async fn a_forged_token_is_refused(one: TrustedIssuerFixture) {
    one.assert_refused(&(one.forge)(&one.claims()), "forged").await;
}

/// Every part is verified.
pub async fn a_changed_token_is_refused(one: TrustedIssuerFixture) {
    let (first, second) = ((one.sign)(&one.claims()), one.with("sub", json!("al")));
    let (a, b): (Vec<_>, Vec<_>) = (first.split('.').collect(), second.split('.').collect());
    for (mixed, why) in [
        ([a[0], b[1], a[2]], "other claims"),
        ([a[0], a[1], b[2]], "another signature"),
        ([a[0], a[1], ""], "no signature"),
        (["e30", a[1], a[2]], "an empty head"),
    ] {
        one.assert_refused(&mixed.join("."), why).await;
    }
}

/// A token that the same issuer made for another service is not accepted.
pub async fn a_token_for_another_audience_is_refused(one: TrustedIssuerFixture) {
    for other in [json!("other"), json!([]), json!(["other"]), json!(format!("{} ", one.audience))] {
        one.assert_refused(&one.with("aud", other), "another audience").await;
    }
    let both = one.with("aud", json!(["other", one.audience]));
    assert!(one.read(&both).await.is_ok(), "one of several is enough");
}

/// Times are compared with the clock of the hub.
pub async fn an_expired_or_not_yet_valid_token_is_refused(one: TrustedIssuerFixture) {
    let now = one.now_seconds();
    for (claim, seconds) in
        [("exp", now), ("exp", now - 9_999), ("exp", -1), ("nbf", now + 3_600), ("iat", now + 3_600)]
    {
        one.assert_refused(&one.with(claim, json!(seconds)), claim).await;
    }
}

/// A token without an expiry would be valid for ever.
pub async fn a_token_without_a_required_claim_is_refused(one: TrustedIssuerFixture) {
    for claim in ["iss", "aud", "sub", "exp"] {
        one.assert_refused(&one.with(claim, Value::Null), claim).await;
    }
}

/// Other scopes of the token are ignored.
pub async fn only_scopes_of_the_hub_are_granted(one: TrustedIssuerFixture) {
    let identity = one.read(&one.with("scope", json!("openid messages:read"))).await.expect("valid");
    assert_eq!(identity.scopes, Some(Scopes::from_iter([Scope::MessagesRead])));
    let identity = one.read(&one.with("scope", json!("openid profile"))).await.expect("valid");
    assert_eq!(identity.scopes, None);
}

/// A malformed token is a refusal, not a fault.
pub async fn a_malformed_token_is_refused_and_has_no_issuer(one: TrustedIssuerFixture) {
    let long = format!("{}{}", (one.sign)(&one.claims()), "A".repeat(limits::TOKEN_CHARS_MAX));
    for nonsense in ["", "..", "a.b.c", "\0.\0.\0", "e30.e30.", "ä.ö.ü", &long] {
        assert!(!one.issuers.knows(nonsense));
        one.assert_refused(nonsense, nonsense).await;
    }
}
