//! What a signed token says. The signature is checked elsewhere; what it says is checked here.

mod foreign;

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    id::{MemberId, TokenId},
    limits::TOKEN_SECONDS_MAX,
};

pub use foreign::{ForeignClaims, OneOrMany};

/// Seconds that the clock of another issuer may differ from ours.
pub const CLOCK_SKEW_SECONDS: i64 = 60;

/// The claims of a token that this hub has signed (RFC 9068).
///
/// There are no others: what this hub has signed holds these, each once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The hub that signed it.
    pub iss: String,
    /// The hub that it is for: the same.
    pub aud: String,
    /// Whom it lets in.
    pub sub: MemberId,
    /// The id of the token, by which it is listed and revoked.
    pub jti: TokenId,
    /// What it may be used for, with blanks between.
    pub scope: String,
    /// When it was signed, in seconds.
    pub iat: i64,
    /// When it ends, in seconds.
    pub exp: i64,
}

/// Why a token is not believed, in words for the caller. They never repeat the token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TokenRejection(pub &'static str);

impl Claims {
    /// Refuses claims of or for another hub, and those that have ended or have not begun.
    pub fn check(&self, hub: &str, now: Timestamp) -> Result<(), TokenRejection> {
        if self.iss != hub {
            return Err(TokenRejection("another issuer has signed this token"));
        }
        if self.aud != hub {
            return Err(TokenRejection("this token is for another audience"));
        }
        check_times(self.iat, self.exp, now)
    }

    /// Refuses claims that live longer than any token may: a key is forgotten when the last of its tokens has ended.
    pub fn check_life(&self) -> Result<(), TokenRejection> {
        let is_bounded = self.exp.checked_sub(self.iat).is_some_and(|seconds| seconds <= TOKEN_SECONDS_MAX as i64);
        if self.iat < 0 || !is_bounded {
            return Err(TokenRejection("this token lives longer than a token may"));
        }
        Ok(())
    }
}

/// Refuses what has ended, and what says that it was made in the future.
pub fn check_times(begins: i64, ends: i64, now: Timestamp) -> Result<(), TokenRejection> {
    let now = now.as_millis().div_euclid(1000);
    if ends <= now {
        return Err(TokenRejection("this token has expired"));
    }
    if begins > now.saturating_add(CLOCK_SKEW_SECONDS) {
        return Err(TokenRejection("this token is not valid yet"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const HUB: &str = "urn:parlour:1";
    const NOW: i64 = 1_000_000;

    fn good() -> Value {
        json!({"iss": HUB, "aud": HUB, "sub": "agt_coder", "jti": "tok_1", "scope": "messages:read", "iat": NOW, "exp": NOW + 60})
    }

    /// What comes of a good token after one claim was set.
    fn checked(claim: &str, value: Value) -> Result<(), String> {
        let mut claims = good();
        claims[claim] = value;
        let claims: Claims = serde_json::from_value(claims).map_err(|error| error.to_string())?;
        let check = || claims.check_life().and_then(|()| claims.check(HUB, Timestamp::from_millis(NOW * 1000)));
        check().map_err(|distrust| distrust.to_string())
    }

    #[test]
    fn claims_are_for_this_hub_and_of_it() {
        assert_eq!(checked("iss", json!(HUB)), Ok(()));
        for claim in ["iss", "aud"] {
            for other in ["", "urn:parlour:2", "urn:parlour:1 ", "URN:parlour:1"] {
                assert!(checked(claim, json!(other)).is_err(), "{claim} {other:?}");
            }
        }
    }

    #[test]
    fn an_end_is_exact_and_a_beginning_may_be_off_by_the_skew() {
        assert!(checked("exp", json!(NOW)).is_err_and(|reason| reason.contains("expired")));
        assert_eq!(checked("exp", json!(NOW + 1)), Ok(()));
        assert_eq!(checked("iat", json!(NOW + CLOCK_SKEW_SECONDS)), Ok(()));
        assert!(checked("iat", json!(NOW + CLOCK_SKEW_SECONDS + 1)).is_err());
    }

    #[test]
    fn no_token_lives_longer_than_the_limit() {
        let longest = NOW + TOKEN_SECONDS_MAX as i64;
        assert_eq!(checked("exp", json!(longest)), Ok(()));
        for (claim, value) in [("exp", longest + 1), ("exp", i64::MAX), ("iat", i64::MIN), ("iat", -1)] {
            assert!(checked(claim, json!(value)).is_err(), "{claim} {value}");
        }
    }

    #[test]
    fn claims_have_one_form() {
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
        let twice = good().to_string().replacen('{', "{\"sub\":\"agt_other\",", 1);
        assert!(serde_json::from_str::<Claims>(&twice).is_err(), "{twice}");
    }
}
