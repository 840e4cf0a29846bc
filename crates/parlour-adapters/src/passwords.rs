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
use phc::{BadHash, Cost, Hashed, SALT_BYTES};

/// Argon2id with 19 MiB and two passes, `PASSWORD_CHECKS_MAX` at once.
///
/// A hash is slow on purpose, so a crowd of them must not take the machine: a few run, some wait, and whoever comes
/// after that is asked to try again (`Overloaded`).
#[derive(Debug)]
pub struct Argon2Passwords {
    /// One place for each that runs or waits.
    places: Arc<Semaphore>,
    /// One for each that runs.
    running: Arc<Semaphore>,
}

impl Default for Argon2Passwords {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(limits::PASSWORD_CHECKS_MAX + limits::PASSWORD_QUEUE_LEN_MAX)),
            running: Arc::new(Semaphore::new(limits::PASSWORD_CHECKS_MAX)),
        }
    }
}

#[async_trait]
impl Passwords for Argon2Passwords {
    async fn hash(&self, password: String) -> Result<String, Failure> {
        let salt = *RandomIds.new_secret().first_chunk::<SALT_BYTES>().expect("a secret is longer than a salt");
        self.in_turn("hash a password", move || Ok(Hashed::derive(&password, &salt, Cost::NOW)?.to_string())).await
    }

    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Failure> {
        self.in_turn("check a password", move || is_right(&password, hash.as_deref())).await
    }
}

impl Argon2Passwords {
    /// Runs slow work off the async threads when it is its turn.
    async fn in_turn<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce() -> Result<T, BadHash> + Send + 'static,
    ) -> Result<T, Failure> {
        let turn = self.wait_for_turn().await?;
        // The turn goes along: work whose caller has gone away still counts as running.
        let done = spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        match done.await {
            Ok(done) => Ok(done.map_err(|error| Fault::new(operation, error))?),
            Err(error) => Err(Fault::new(operation, error).into()),
        }
    }

    async fn wait_for_turn(&self) -> Result<[OwnedSemaphorePermit; 2], Failure> {
        let crowded = |_| Refusal::new(Code::Overloaded, "too many passwords are being checked");
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(crowded)?;
        let running = Arc::clone(&self.running).acquire_owned().await;
        Ok([place, running.expect("nobody closes it")])
    }
}

/// Without a hash, one that fits no password stands in for it, so that the same work is done.
fn is_right(password: &str, hash: Option<&str>) -> Result<bool, BadHash> {
    let kept = hash.map_or_else(|| Ok(Hashed::decoy()), str::parse)?;
    let shown = Hashed::derive(password, &kept.salt, kept.cost)?;
    let is_equal = verify_slices_are_equal(&shown.output, &kept.output).is_ok();
    Ok(is_equal && hash.is_some())
}

#[cfg(test)]
mod tests;
