//! Passwords, hashed with Argon2id.

use async_trait::async_trait;
use parlour_hub::{Fault, ports::Passwords};

/// Argon2id with 19 MiB and two passes, a few at once.
#[derive(Debug, Default)]
pub struct Argon2Passwords {}

#[async_trait]
impl Passwords for Argon2Passwords {
    async fn hash(&self, _password: String) -> Result<String, Fault> {
        Err(Fault::new("hash a password", "not there yet"))
    }

    async fn verify(&self, _password: String, _hash: Option<String>) -> Result<bool, Fault> {
        Err(Fault::new("check a password", "not there yet"))
    }
}
