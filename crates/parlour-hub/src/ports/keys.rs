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
    /// The issuer and audience of tokens that this hub signs. It never changes.
    fn issuer(&self) -> &str;

    /// Signs claims with the newest key. A lifetime of more than `TOKEN_SECONDS_MAX` is a fault.
    fn sign(&self, claims: &Claims) -> Result<String, Fault>;

    /// Verifies and reads a token that one of the stored keys has signed.
    ///
    /// Only EdDSA is accepted, with the stored key that the header names: a header cannot supply a key, the address of a
    /// key or another algorithm. Unknown or repeated claims and a lifetime that is too long are rejected.
    /// [`Claims::check`] checks issuer, audience and times.
    fn read(&self, token: &str) -> Result<Claims, TokenRejection>;

    /// The public keys as a JWK set (RFC 7517), newest first.
    fn jwks(&self) -> Value;

    /// Creates the key that signs from now on and returns its id. An older key is deleted when no token signed by it can
    /// be valid any more. When `REPLACED_KEYS_MAX` keys are stored, another one is refused (`Full`) and the newest stays in
    /// use.
    async fn rotate(&self, now: Timestamp) -> Result<String, Failure>;
}

/// An identity from a token of another issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignIdentity {
    pub issuer: String,
    /// The issuer's name of the member.
    pub subject: String,
    /// The scopes that the token grants; absent if it names none.
    pub scopes: Option<Scopes>,
    pub expires_at: Timestamp,
}

/// Other issuers whose tokens the hub trusts.
#[async_trait]
pub trait Issuers: Send + Sync {
    /// Whether the token names a trusted issuer. Verifies nothing.
    fn knows(&self, token: &str) -> bool;

    /// Verifies a token of a trusted issuer: signature, algorithm, audience and times. An invalid token is refused
    /// (`Unauthenticated`); if the keys of the issuer cannot be loaded, that is a fault.
    async fn read(&self, token: &str, now: Timestamp) -> Result<ForeignIdentity, Failure>;
}

/// Trusts no other issuer.
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
