//! Another issuer whose tokens the hub was told to trust.

mod cache;
mod fetch;
mod head;
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
use head::Head;

pub use source::{BadKeySource, KeySource};

/// One issuer besides the hub: an identity provider that signs for people or agents.
///
/// Its keys come from a file, from an address, or from where its own description says (OIDC discovery). They are kept
/// and asked for again when they have grown old, when the file has changed, and when a token names a key that is not
/// among them, but not more often than every `ISSUER_PAUSE_SECONDS`. When they cannot be had, those that are kept go on.
pub struct TrustedIssuers {
    issuer: String,
    audience: String,
    keys: KeyCache,
}

/// Whom a token says it is from; nothing of it is believed.
#[derive(Deserialize)]
struct Sender {
    iss: String,
}

impl TrustedIssuers {
    /// Trusts this issuer with tokens that are for this audience. A file with its keys is read at once; addresses are
    /// first asked when somebody shows a token.
    pub fn new(issuer: &str, audience: &str, source: KeySource) -> Result<Self, Failure> {
        let keys = KeyCache::new(source)?;
        Ok(Self { issuer: issuer.to_owned(), audience: audience.to_owned(), keys })
    }

    /// Reads a token with the keys that are there or can be had.
    async fn claims(&self, token: &Compact<'_>, now: Timestamp) -> Result<ForeignClaims, Failure> {
        let head: Head = token.head().map_err(refuse)?;
        let wanted = head.check().map_err(refuse)?;
        let key = self.keys.find(&wanted, now).await?;
        let key = key.ok_or_else(|| refuse(TokenRejection("no key of its issuer has signed this token")))?;
        if !key.has_signed(wanted.algorithm, token) {
            return Err(refuse(TokenRejection("the signature of this token is wrong")).into());
        }
        Ok(token.claims().map_err(refuse)?)
    }
}

#[async_trait]
impl Issuers for TrustedIssuers {
    fn knows(&self, token: &str) -> bool {
        let sender = Compact::parse(token).and_then(|token| token.claims::<Sender>());
        sender.is_ok_and(|sender| sender.iss == self.issuer)
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
fn refuse(distrust: TokenRejection) -> Refusal {
    Refusal::new(Code::Unauthenticated, distrust.to_string())
}

/// A fault that says what could not be had.
fn no_keys(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Fault {
    Fault::new("get the keys of the trusted issuer", cause)
}

/// Whether these bytes would be taken as the keys of an issuer.
#[cfg(test)]
pub(crate) fn is_key_set(json: &[u8]) -> bool {
    jwk::JwkSet::parse(json).is_ok_and(|set| set.check_begin().is_ok())
}
