//! Passwords, hashed with Argon2id.

mod phc;

use std::sync::Arc;

use async_trait::async_trait;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use parlour_core::{Code, Refusal, limits};
use parlour_hub::{
    Failure, Fault,
    ports::{Ids as _, Passwords},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
};

use crate::RandomIds;
use phc::{Argon2Cost, BadHash, Hashed, SALT_BYTES};

/// Argon2id with 19 MiB and two passes, `PASSWORD_CHECKS_MAX` at once.
///
/// A hash is slow on purpose, so their number is limited: a few run, some wait, and further calls are refused
/// (`Overloaded`).
#[derive(Debug)]
pub struct Argon2Passwords {
    /// One permit for each running or waiting call.
    admitted: Arc<Semaphore>,
    /// One permit for each running call.
    running: Arc<Semaphore>,
}

impl Default for Argon2Passwords {
    fn default() -> Self {
        Self {
            admitted: Arc::new(Semaphore::new(limits::PASSWORD_CHECKS_MAX + limits::PASSWORD_QUEUE_LEN_MAX)),
            running: Arc::new(Semaphore::new(limits::PASSWORD_CHECKS_MAX)),
        }
    }
}

#[async_trait]
impl Passwords for Argon2Passwords {
    async fn hash(&self, password: String) -> Result<String, Failure> {
        let salt = *RandomIds.new_secret().first_chunk::<SALT_BYTES>().expect("a secret is longer than a salt");
        self.run_limited("hash a password", move || Ok(Hashed::derive(&password, &salt, Argon2Cost::NOW)?.to_string()))
            .await
    }

    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Failure> {
        self.run_limited("check a password", move || is_correct(&password, hash.as_deref())).await
    }
}

impl Argon2Passwords {
    /// Waits for a permit and runs slow work on a blocking thread.
    async fn run_limited<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce() -> Result<T, BadHash> + Send + 'static,
    ) -> Result<T, Failure> {
        let permits = self.acquire_permits().await?;
        // The work owns the permits: it counts as running even if the caller is cancelled.
        let done = spawn_blocking(move || {
            let done = work();
            drop(permits);
            done
        });
        match done.await {
            Ok(done) => Ok(done.map_err(|error| Fault::new(operation, error))?),
            Err(error) => Err(Fault::new(operation, error).into()),
        }
    }

    async fn acquire_permits(&self) -> Result<[OwnedSemaphorePermit; 2], Failure> {
        let overloaded = |_| Refusal::new(Code::Overloaded, "too many passwords are being checked");
        let admitted = Arc::clone(&self.admitted).try_acquire_owned().map_err(overloaded)?;
        let running = Arc::clone(&self.running).acquire_owned().await;
        Ok([admitted, running.expect("the semaphore is never closed")])
    }
}

/// Compares a password with a hash. Without a hash it does the same work with a decoy and returns false.
fn is_correct(password: &str, hash: Option<&str>) -> Result<bool, BadHash> {
    let stored = hash.map_or_else(|| Ok(Hashed::decoy()), str::parse)?;
    let derived = Hashed::derive(password, &stored.salt, stored.cost)?;
    let is_equal = verify_slices_are_equal(&derived.output, &stored.output).is_ok();
    Ok(is_equal && hash.is_some())
}

#[cfg(test)]
mod tests;
