//! Whom another issuer names, and when that is believed.

use parlour_core::{
    Code, Timestamp, limits,
    scope::{Scope, Scopes},
};
use serde_json::{Value, json};

use super::TrustedOne;
use parlour_hub::{Failure, ports::ForeignIdentity};

impl TrustedOne {
    fn now_seconds(&self) -> i64 {
        self.now.as_millis() / 1000
    }

    /// Claims that are believed.
    fn claims(&self) -> Value {
        let now = self.now_seconds();
        json!({"iss": self.issuer, "aud": self.audience, "sub": "bo", "iat": now, "nbf": now, "exp": now + 300})
    }

    /// A token of the issuer in which one claim was set or, by `null`, taken away.
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

    /// Fails unless the token is refused as one of nobody.
    async fn assert_refused(&self, token: &str, why: &str) {
        let failure = self.read(token).await.expect_err(why);
        assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::Unauthenticated), "{why}: {failure}");
    }
}

/// Nothing is checked yet: it only says who has to check it.
pub async fn a_token_of_the_issuer_is_known_by_its_name_alone(one: TrustedOne) {
    assert!(one.issuers.knows(&(one.sign)(&one.claims())));
    assert!(one.issuers.knows(&(one.forge)(&one.claims())), "who has signed it is not looked at");
    for other in ["", "https://other.example", &format!("{}/", one.issuer)] {
        assert!(!one.issuers.knows(&one.with("iss", json!(other))), "{other}");
    }
}

/// Issuer and subject together are who it is.
pub async fn a_good_token_tells_who_it_is_and_until_when(one: TrustedOne) {
    let identity = one.read(&(one.sign)(&one.claims())).await.expect("believed");
    let expires_at = Timestamp::from_millis((one.now_seconds() + 300) * 1000);
    assert_eq!(identity, ForeignIdentity { issuer: one.issuer, subject: "bo".into(), scopes: None, expires_at });
}

/// The name of an issuer is no proof.
pub async fn a_forged_token_is_refused(one: TrustedOne) {
    one.assert_refused(&(one.forge)(&one.claims()), "forged").await;
}

/// Every part counts.
pub async fn a_changed_token_is_refused(one: TrustedOne) {
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

/// A token that another service got from the same issuer opens nothing here.
pub async fn a_token_for_another_audience_is_refused(one: TrustedOne) {
    for other in [json!("other"), json!([]), json!(["other"]), json!(format!("{} ", one.audience))] {
        one.assert_refused(&one.with("aud", other), "another audience").await;
    }
    let both = one.with("aud", json!(["other", one.audience]));
    assert!(one.read(&both).await.is_ok(), "one of several is enough");
}

/// The hub's clock decides.
pub async fn an_ended_token_and_one_not_begun_are_refused(one: TrustedOne) {
    let now = one.now_seconds();
    for (claim, seconds) in
        [("exp", now), ("exp", now - 9_999), ("exp", -1), ("nbf", now + 3_600), ("iat", now + 3_600)]
    {
        one.assert_refused(&one.with(claim, json!(seconds)), claim).await;
    }
}

/// A token without an end would live for ever.
pub async fn a_token_without_a_needed_claim_is_refused(one: TrustedOne) {
    for claim in ["iss", "aud", "sub", "exp"] {
        one.assert_refused(&one.with(claim, Value::Null), claim).await;
    }
}

/// What else the issuer allows is for others.
pub async fn scopes_are_those_of_ours_that_the_issuer_names(one: TrustedOne) {
    let identity = one.read(&one.with("scope", json!("openid messages:read"))).await.expect("believed");
    assert_eq!(identity.scopes, Some(Scopes::from_iter([Scope::MessagesRead])));
    let identity = one.read(&one.with("scope", json!("openid profile"))).await.expect("believed");
    assert_eq!(identity.scopes, None);
}

/// Whatever is shown, it is no fault of the hub.
pub async fn nonsense_is_refused_and_known_by_nobody(one: TrustedOne) {
    let long = format!("{}{}", (one.sign)(&one.claims()), "A".repeat(limits::TOKEN_CHARS_MAX));
    for nonsense in ["", "..", "a.b.c", "\0.\0.\0", "e30.e30.", "ä.ö.ü", &long] {
        assert!(!one.issuers.knows(nonsense));
        one.assert_refused(nonsense, nonsense).await;
    }
}
