//! The signing keys of the hub, in a file of the data folder.

mod file;
pub(crate) mod jws;
mod key;
mod set;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use arc_swap::ArcSwap;
use async_trait::async_trait;
use parking_lot::Mutex;
use parlour_core::{
    Timestamp,
    claims::{Claims, TokenRejection},
};
use parlour_hub::{
    Failure, Fault,
    ports::{Clock as _, Keys},
};
use serde::Deserialize;
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::SystemClock;
use set::KeySet;

/// Ed25519 keys in the folder `keys` of the data folder, readable by their owner only.
///
/// One file contains all keys and is replaced atomically, so a crash leaves the old or the new state. Of a replaced key
/// only the public key is stored.
#[derive(Clone)]
pub struct FileKeys {
    issuer: Arc<str>,
    state: Arc<LoadedKeys>,
}

struct LoadedKeys {
    folder: PathBuf,
    keys: ArcSwap<KeySet>,
    /// Locked during a rotation, so that no rotation is lost.
    rotation: Mutex<()>,
}

/// The result of an inspection of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysInspection {
    /// The creation time of the signing key.
    pub signing_since: Timestamp,
    /// The number of replaced keys whose tokens may still be valid.
    pub replaced: usize,
}

impl FileKeys {
    /// Opens the keys in this data folder; generates the first key if there is none.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        Self::open_at(folder, SystemClock::default().now())
    }

    /// Opens the keys at this time, without those whose tokens have all expired.
    pub fn open_at(folder: &Path, now: Timestamp) -> Result<Self, Failure> {
        let folder = folder.join("keys");
        let opened = open_or_generate(&folder, now)
            .map_err(|error| Fault::new(format!("open {}", file::shown(&folder)), error))?;
        let issuer = opened.issuer().into();
        Ok(Self {
            issuer,
            state: Arc::new(LoadedKeys { folder, keys: ArcSwap::from_pointee(opened), rotation: Mutex::new(()) }),
        })
    }

    /// Inspects the keys in this data folder without changing anything.
    pub fn inspect(folder: &Path) -> Result<Option<KeysInspection>, Failure> {
        let folder = folder.join("keys");
        let found = file::load(&folder).map_err(|error| Fault::new(format!("read {}", file::shown(&folder)), error))?;
        Ok(found.map(|keys| keys.inspect()))
    }
}

/// The expiry claim of a signed token, not verified.
pub fn token_ends_at(token: &str) -> Option<Timestamp> {
    #[derive(Deserialize)]
    struct ExpiryClaim {
        exp: i64,
    }
    let end: ExpiryClaim = jws::Compact::parse(token).and_then(|token| token.claims()).ok()?;
    Some(Timestamp::from_millis(end.exp.saturating_mul(1000)))
}

/// Opens the keys or generates the first. An unreadable file is never replaced: that would invalidate every token.
fn open_or_generate(folder: &Path, now: Timestamp) -> Result<KeySet, file::KeyFileError> {
    file::prepare(folder)?;
    if let Some(keys) = file::load(folder)? {
        return Ok(keys.without_ended(now));
    }
    let keys = KeySet::first(now)?;
    file::save(folder, &keys)?;
    Ok(keys)
}

impl LoadedKeys {
    /// The new key signs only after it was synced, so that no token outlives its key in a power failure.
    fn rotate(&self, now: Timestamp) -> Result<String, Failure> {
        let _guard = self.rotation.lock();
        let next = self.keys.load().rotated(now)?;
        file::save(&self.folder, &next).map_err(|error| Fault::new("keep a new key", error))?;
        let id = next.signing_id().to_owned();
        self.keys.store(Arc::new(next));
        Ok(id)
    }
}

#[async_trait]
impl Keys for FileKeys {
    fn issuer(&self) -> &str {
        &self.issuer
    }

    fn sign(&self, claims: &Claims) -> Result<String, Fault> {
        self.state.keys.load().sign(claims)
    }

    fn read(&self, token: &str) -> Result<Claims, TokenRejection> {
        self.state.keys.load().read(token)
    }

    fn jwks(&self) -> Value {
        self.state.keys.load().jwks()
    }

    async fn rotate(&self, now: Timestamp) -> Result<String, Failure> {
        let state = Arc::clone(&self.state);
        // On a blocking thread it completes even if the caller is cancelled: disk and memory stay consistent.
        match spawn_blocking(move || state.rotate(now)).await {
            Ok(done) => done,
            Err(error) => Err(Fault::new("rotate the key", error).into()),
        }
    }
}

/// Whether these bytes are a valid key file.
#[cfg(test)]
pub(crate) fn is_key_file(text: &[u8]) -> bool {
    file::parse(text).is_ok()
}

#[cfg(test)]
mod tests;
