use async_trait::async_trait;

use crate::Failure;

/// Slow hashes of passwords. At most `PASSWORD_CHECKS_MAX` are computed at once. A limited number of further requests
/// wait; the rest is refused as retryable (`Overloaded`).
#[async_trait]
pub trait Passwords: Send + Sync {
    /// Hashes a password with a fresh salt. The result contains the parameters of the hash.
    async fn hash(&self, password: String) -> Result<String, Failure>;

    /// Whether the password matches the hash. Without a hash the call takes equally long and returns false, so that the
    /// time does not reveal whether an account exists. A hash in another format is a fault.
    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Failure>;
}
