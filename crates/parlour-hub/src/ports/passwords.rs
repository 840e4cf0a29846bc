use async_trait::async_trait;

use crate::Fault;

/// Slow hashes of passwords.
#[async_trait]
pub trait Passwords: Send + Sync {
    /// Hashes a password with a fresh salt, in a form that says how it was made.
    async fn hash(&self, password: String) -> Result<String, Fault>;

    /// Whether the password is the one that was hashed. Without a hash it takes as long and says no, so that the time
    /// does not tell whether there is such an account.
    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Fault>;
}
