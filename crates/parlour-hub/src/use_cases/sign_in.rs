//! Authentication of callers.

use parlour_core::{
    Code, Refusal, Timestamp,
    access::{Grant, Principal},
    claims::TokenRejection,
    limits,
    scope::Scopes,
    token::{TokenHash, TokenKey},
};
use sha2::{Digest as _, Sha256};

use crate::{Failure, Hub, ports::ForeignIdentity, token::hash_token};

/// A credential. Each is looked up among its own kind only.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Credential<'a> {
    /// A bearer token: random, or signed by the hub or a trusted issuer.
    Bearer(&'a str),
    /// The secret of a browser's session cookie.
    Session(&'a str),
    /// The SHA-256 of a client certificate that a trusted authority has signed.
    Certificate(&'a TokenHash),
}

impl<'a> From<&'a str> for Credential<'a> {
    fn from(token: &'a str) -> Self {
        Self::Bearer(token)
    }
}

impl<'a> From<&'a String> for Credential<'a> {
    fn from(token: &'a String) -> Self {
        Self::Bearer(token)
    }
}

impl Credential<'_> {
    fn is_too_long(&self) -> bool {
        match self {
            Self::Bearer(text) | Self::Session(text) => text.len() > limits::TOKEN_CHARS_MAX,
            Self::Certificate(_) => false,
        }
    }

    /// The cache key of a credential; the kind is part of it.
    fn fingerprint(&self) -> TokenHash {
        let (tag, bytes) = match self {
            Self::Bearer(text) => (b'b', text.as_bytes()),
            Self::Session(text) => (b's', text.as_bytes()),
            Self::Certificate(hash) => (b'c', hash.as_slice()),
        };
        Sha256::new().chain_update([tag]).chain_update(bytes).finalize().into()
    }
}

impl Hub {
    /// Authenticates a credential; an unknown, revoked, expired or forged one is refused (`Unauthenticated`).
    pub async fn sign_in<'a>(&self, credential: impl Into<Credential<'a>>) -> Result<Principal, Failure> {
        let credential = credential.into();
        if credential.is_too_long() {
            return Err(unknown().into());
        }
        let fingerprint = credential.fingerprint();
        let found = self.principals.get_or_load(&fingerprint, self.look_up(credential)).await?;
        let caller = found.ok_or_else(unknown)?;
        // An expired credential is removed from the cache.
        self.access.require_unexpired(&caller).inspect_err(|_| self.principals.remove(&fingerprint))?;
        Ok(caller)
    }

    async fn look_up(&self, credential: Credential<'_>) -> Result<Option<Principal>, Failure> {
        match credential {
            Credential::Bearer(token) if is_signed(token) => self.look_up_signed(token).await,
            Credential::Bearer(token) => self.store.principal(&TokenKey::Static(hash_token(token))).await,
            Credential::Session(secret) => self.store.principal(&TokenKey::Session(hash_token(secret))).await,
            Credential::Certificate(hash) => self.store.principal(&TokenKey::Certificate(*hash)).await,
        }
    }

    async fn look_up_signed(&self, token: &str) -> Result<Option<Principal>, Failure> {
        let now = self.clock.now();
        if self.issuers.knows(token) {
            let identity = self.issuers.read(token, now).await?;
            return self.look_up_identity(identity).await;
        }
        let claims = match self.keys.read(token) {
            Ok(claims) => claims,
            // An operator may have chosen a random token with dots.
            Err(distrust) => {
                let found = self.store.principal(&TokenKey::Static(hash_token(token))).await?;
                return Ok(Some(found.ok_or_else(|| refuse(distrust))?));
            }
        };
        claims.check(self.keys.issuer(), now).map_err(refuse)?;
        let scopes =
            claims.scope.parse().map_err(|_| refuse(TokenRejection("this token names a scope that is unknown")))?;
        let ends = Timestamp::from_millis(claims.exp.saturating_mul(1000));
        let found = self.store.principal(&TokenKey::Jwt(claims.jti.clone())).await?;
        Ok(found.filter(|caller| caller.member == claims.sub).map(|caller| narrowed(caller, scopes, ends)))
    }

    /// Looks up the member that is registered for a foreign identity.
    async fn look_up_identity(&self, identity: ForeignIdentity) -> Result<Option<Principal>, Failure> {
        let key = TokenKey::External(subject_hash(&identity.issuer, &identity.subject));
        let found = self.store.principal(&key).await?;
        Ok(found.map(|caller| {
            let scopes = identity.scopes.unwrap_or(caller.grant.scopes);
            narrowed(caller, scopes, identity.expires_at)
        }))
    }
}

/// The key of a member of another issuer. No two pairs of names share it.
pub(crate) fn subject_hash(issuer: &str, subject: &str) -> TokenHash {
    let length = (issuer.len() as u64).to_be_bytes();
    Sha256::new().chain_update(length).chain_update(issuer).chain_update(subject).finalize().into()
}

/// A signed token has three parts separated by dots.
fn is_signed(token: &str) -> bool {
    token.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// Combines the stored and the signed grant: the smaller of both applies.
fn narrowed(caller: Principal, scopes: Scopes, ends: Timestamp) -> Principal {
    let kept = caller.grant.clone();
    let expires_at = Some(kept.expires_at.map_or(ends, |kept| kept.min(ends)));
    caller.granted(Grant { scopes: kept.scopes.and(scopes), expires_at, ..kept })
}

pub(crate) fn unknown() -> Refusal {
    Refusal::new(Code::Unauthenticated, "this token is not known here; it may have been revoked or replaced")
}

#[expect(clippy::needless_pass_by_value, reason = "it takes an error in map_err")]
fn refuse(distrust: TokenRejection) -> Refusal {
    Refusal::new(Code::Unauthenticated, distrust.to_string())
}
