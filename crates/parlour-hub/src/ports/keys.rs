use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    claims::{Claims, TokenRejection},
    scope::Scopes,
};
use serde_json::Value;

use crate::{Failure, Fault};

/// The keys with which the hub signs tokens.
#[async_trait]
pub trait Keys: Send + Sync {
    /// The name of this hub in the tokens that it signs, as issuer and as audience. It never changes.
    fn issuer(&self) -> &str;

    /// Signs claims with the newest key. Claims that live longer than `TOKEN_SECONDS_MAX` are a fault.
    fn sign(&self, claims: &Claims) -> Result<String, Fault>;

    /// Reads a token that one of the kept keys has signed.
    ///
    /// Only one algorithm is taken (EdDSA), and the key is the one that the head names among those that are kept: a
    /// head cannot bring a key, an address of one or another algorithm. Claims that are unknown, stand twice or live too
    /// long are not believed. Who it is from and for, and its times, are for [`Claims::check`].
    fn read(&self, token: &str) -> Result<Claims, TokenRejection>;

    /// The public halves of the kept keys, as a JWK set (RFC 7517), the newest first.
    fn jwks(&self) -> Value;

    /// Makes a new key, with which everything is signed from now on, and answers its id. Older keys are kept as long
    /// as a token that they have signed can live, and forgotten after that. When `KEYS_KEPT_MAX` of them are kept, a
    /// further one is refused (`Full`) and the newest goes on signing.
    async fn rotate(&self, now: Timestamp) -> Result<String, Failure>;
}

/// Somebody as another issuer knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignIdentity {
    /// The issuer.
    pub issuer: String,
    /// What it calls the member.
    pub subject: String,
    /// What it lets the member do; absent when it says nothing about that.
    pub scopes: Option<Scopes>,
    /// When the token ends.
    pub expires_at: Timestamp,
}

/// Other issuers whose tokens the hub was told to trust.
#[async_trait]
pub trait Issuers: Send + Sync {
    /// Whether the token says that a trusted issuer has signed it. Nothing is checked yet.
    fn knows(&self, token: &str) -> bool;

    /// Reads a token of a trusted issuer: signature, algorithm, audience and times are checked. A token that is not to
    /// be believed is refused (`Unauthenticated`); it is a fault when the issuer's keys cannot be had.
    async fn read(&self, token: &str, now: Timestamp) -> Result<ForeignIdentity, Failure>;
}

/// Nobody else is trusted.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIssuers;

#[async_trait]
impl Issuers for NoIssuers {
    fn knows(&self, _: &str) -> bool {
        false
    }

    async fn read(&self, _: &str, _: Timestamp) -> Result<ForeignIdentity, Failure> {
        Err(Fault::new("read a token", "no other issuer is trusted").into())
    }
}
