//! What a signed token says. The signature is checked elsewhere; what it says is checked here.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    id::{MemberId, TokenId},
    limits::TOKEN_SECONDS_MAX,
};

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
pub struct Distrust(pub &'static str);

impl Claims {
    /// Refuses claims of or for another hub, and those that have ended or have not begun.
    pub fn check(&self, hub: &str, now: Timestamp) -> Result<(), Distrust> {
        if self.iss != hub {
            return Err(Distrust("another issuer has signed this token"));
        }
        if self.aud != hub {
            return Err(Distrust("this token is for another audience"));
        }
        check_times(self.iat, self.exp, now)
    }

    /// Refuses claims that live longer than any token may: a key is forgotten when the last of its tokens has ended.
    pub fn check_life(&self) -> Result<(), Distrust> {
        let is_bounded = self.exp.checked_sub(self.iat).is_some_and(|seconds| seconds <= TOKEN_SECONDS_MAX as i64);
        if self.iat < 0 || !is_bounded {
            return Err(Distrust("this token lives longer than a token may"));
        }
        Ok(())
    }
}

/// Refuses what has ended, and what says that it was made in the future.
pub fn check_times(begins: i64, ends: i64, now: Timestamp) -> Result<(), Distrust> {
    let now = now.as_millis().div_euclid(1000);
    if ends <= now {
        return Err(Distrust("this token has expired"));
    }
    if begins > now.saturating_add(CLOCK_SKEW_SECONDS) {
        return Err(Distrust("this token is not valid yet"));
    }
    Ok(())
}
