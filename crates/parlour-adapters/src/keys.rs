//! The keys with which the hub signs tokens, in a file of the data folder.

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
/// All of them are in one file, which is replaced as a whole: whenever the process dies, the old or the new state is
/// there. Of a key that was replaced only the public half is kept.
#[derive(Clone)]
pub struct FileKeys {
    issuer: Arc<str>,
    state: Arc<State>,
}

struct State {
    folder: PathBuf,
    keys: ArcSwap<KeySet>,
    /// Held while the keys change, so that no change is lost.
    change: Mutex<()>,
}

/// What can be told about the keys without using them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysInspection {
    /// When the key was made that signs now.
    pub signing_since: Timestamp,
    /// How many older keys are kept for the tokens that they have signed.
    pub replaced: usize,
}

impl FileKeys {
    /// Opens the keys in this data folder, and makes a first one when there is none.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        Self::open_at(folder, SystemClock::default().now())
    }

    /// Opens the keys as of this moment: those whose tokens have all ended are not among them.
    pub fn open_at(folder: &Path, now: Timestamp) -> Result<Self, Failure> {
        let folder = folder.join("keys");
        let opened =
            open_or_make(&folder, now).map_err(|error| Fault::new(format!("open {}", file::shown(&folder)), error))?;
        let issuer = opened.issuer().into();
        Ok(Self {
            issuer,
            state: Arc::new(State { folder, keys: ArcSwap::from_pointee(opened), change: Mutex::new(()) }),
        })
    }

    /// Looks at the keys in this data folder; nothing is made or changed.
    pub fn inspect(folder: &Path) -> Result<Option<KeysInspection>, Failure> {
        let folder = folder.join("keys");
        let found = file::load(&folder).map_err(|error| Fault::new(format!("read {}", file::shown(&folder)), error))?;
        Ok(found.map(|keys| keys.inspect()))
    }
}

/// When a signed token says that it ends, for its owner. Nothing of it is checked.
pub fn token_ends_at(token: &str) -> Option<Timestamp> {
    #[derive(Deserialize)]
    struct End {
        exp: i64,
    }
    let end: End = jws::Compact::parse(token).and_then(|token| token.claims()).ok()?;
    Some(Timestamp::from_millis(end.exp.saturating_mul(1000)))
}

/// A file that cannot be read is never replaced: that would end every token there is.
fn open_or_make(folder: &Path, now: Timestamp) -> Result<KeySet, file::BadFile> {
    file::prepare(folder)?;
    if let Some(keys) = file::load(folder)? {
        return Ok(keys.without_ended(now));
    }
    let keys = KeySet::first(now)?;
    file::save(folder, &keys)?;
    Ok(keys)
}

impl State {
    /// The new key signs only after the disk has it, so that no token outlives its key in a power cut.
    fn rotate(&self, now: Timestamp) -> Result<String, Failure> {
        let _alone = self.change.lock();
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
        // Off the async threads, and to its end even when the caller goes away: disk and memory stay alike.
        match spawn_blocking(move || state.rotate(now)).await {
            Ok(done) => done,
            Err(error) => Err(Fault::new("rotate the key", error).into()),
        }
    }
}

/// Whether these bytes would be taken as the file of keys.
#[cfg(test)]
pub(crate) fn is_key_file(text: &[u8]) -> bool {
    file::parse(text).is_ok()
}

#[cfg(test)]
mod tests;
