//! A foreign issuer whose tokens the hub trusts.

mod cache;
mod fetch;
mod header;
mod jwk;
mod source;

use async_trait::async_trait;
use parlour_core::{
    Code, Refusal, Timestamp,
    claims::{ForeignClaims, TokenRejection},
};
use parlour_hub::{
    Failure, Fault,
    ports::{ForeignIdentity, Issuers},
};
use serde::Deserialize;

use crate::keys::jws::Compact;
use cache::KeyCache;
use header::JwsHeader;

pub use source::{BadKeySource, KeySource};

/// One foreign issuer: an identity provider that signs tokens for people or agents.
///
/// Its keys come from a file, from an address, or from its OIDC discovery document. They are cached, and fetched again
/// when they are too old, when the file has changed, or when a token names an unknown key, but not more often than
/// every `ISSUER_PAUSE_SECONDS`. If a fetch fails, the cached keys stay in use.
pub struct TrustedIssuers {
    issuer: String,
    audience: String,
    keys: KeyCache,
}

/// The unverified issuer claim of a token.
#[derive(Deserialize)]
struct ClaimedIssuer {
    iss: String,
}

impl TrustedIssuers {
    /// Trusts tokens of this issuer for this audience. A key file is read at once; addresses are fetched with the first
    /// token.
    pub fn new(issuer: &str, audience: &str, source: KeySource) -> Result<Self, Failure> {
        let keys = KeyCache::new(source)?;
        Ok(Self { issuer: issuer.to_owned(), audience: audience.to_owned(), keys })
    }

    /// Verifies the signature of a token and returns its claims.
    async fn claims(&self, token: &Compact<'_>, now: Timestamp) -> Result<ForeignClaims, Failure> {
        let header: JwsHeader = token.header().map_err(refuse)?;
        let required = header.check().map_err(refuse)?;
        let key = self.keys.find(&required, now).await?;
        let key = key.ok_or_else(|| refuse(TokenRejection("no key of its issuer has signed this token")))?;
        if !key.has_signed(required.algorithm, token) {
            return Err(refuse(TokenRejection("the signature of this token is wrong")).into());
        }
        Ok(token.claims().map_err(refuse)?)
    }
}

#[async_trait]
impl Issuers for TrustedIssuers {
    fn knows(&self, token: &str) -> bool {
        let claimed = Compact::parse(token).and_then(|token| token.claims::<ClaimedIssuer>());
        claimed.is_ok_and(|claimed| claimed.iss == self.issuer)
    }

    async fn read(&self, token: &str, now: Timestamp) -> Result<ForeignIdentity, Failure> {
        let token = Compact::parse(token).map_err(refuse)?;
        let claims = self.claims(&token, now).await?;
        claims.check(&self.issuer, &self.audience, now).map_err(refuse)?;
        let expires_at = Timestamp::from_millis(claims.exp.saturating_mul(1000));
        let scopes = claims.scopes();
        Ok(ForeignIdentity { issuer: claims.iss, subject: claims.sub, scopes, expires_at })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it takes an error in map_err")]
fn refuse(rejection: TokenRejection) -> Refusal {
    Refusal::new(Code::Unauthenticated, rejection.to_string())
}

fn no_keys(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Fault {
    Fault::new("get the keys of the trusted issuer", cause)
}

/// Whether these bytes are a valid key set with a usable key.
#[cfg(test)]
pub(crate) fn is_key_set(json: &[u8]) -> bool {
    jwk::JwkSet::parse(json).is_ok_and(|set| set.check_not_empty().is_ok())
}
