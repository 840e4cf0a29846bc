use async_trait::async_trait;

use crate::Failure;

/// Slow hashes of passwords. Only `PASSWORD_CHECKS_MAX` are made at once; some wait, and a crowd is refused as
/// retryable (`Overloaded`).
#[async_trait]
pub trait Passwords: Send + Sync {
    /// Hashes a password with a fresh salt, in a form that says how it was made.
    async fn hash(&self, password: String) -> Result<String, Failure>;

    /// Whether the password is the one that was hashed. Without a hash it takes as long and says no, so that the time
    /// does not tell whether there is such an account. A hash that was not made by this port is a fault.
    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Failure>;
}
