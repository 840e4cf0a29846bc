//! What is being written, and at what models have failed.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use parlour_core::engine::Engine;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

/// How long a model is not asked again for what it has failed at.
const FAILED_TIME_MAX: Duration = Duration::from_secs(600);
/// Spans of which it is remembered that a model failed at them; when there are more, all are tried again.
const FAILED_MAX: usize = 1_000;

type Digest = [u8; 32];

pub(super) struct Desk {
    writing: Mutex<HashSet<Digest>>,
    /// Until when a model is not asked again.
    failed: Mutex<HashMap<(Digest, String), Instant>>,
    places: Arc<Semaphore>,
}

/// The right to write one summary. It is given back however the writer ends.
pub(super) struct Turn {
    desk: Arc<Desk>,
    digest: Digest,
}

impl Desk {
    /// A desk with room for so many at once.
    pub(super) fn new(places: usize) -> Self {
        Self { writing: Mutex::default(), failed: Mutex::default(), places: Arc::new(Semaphore::new(places)) }
    }

    /// The right to write this summary, unless somebody has it.
    pub(super) fn begin(self: &Arc<Self>, digest: Digest) -> Option<Turn> {
        let is_new = self.writing.lock().insert(digest);
        is_new.then(|| Turn { desk: Arc::clone(self), digest })
    }

    pub(super) fn has_failed(&self, digest: &Digest, engine: &Engine) -> bool {
        let until = self.failed.lock().get(&(*digest, name(engine))).copied();
        until.is_some_and(|until| Instant::now() < until)
    }

    pub(super) fn note_failure(&self, digest: Digest, engine: &Engine) {
        let now = Instant::now();
        let mut failed = self.failed.lock();
        if failed.len() >= FAILED_MAX {
            failed.retain(|_, until| *until > now);
        }
        if failed.len() >= FAILED_MAX {
            failed.clear();
        }
        failed.insert((digest, name(engine)), now + FAILED_TIME_MAX);
    }
}

impl Turn {
    /// Waits for a place at the desk.
    pub(super) async fn wait(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.desk.places).acquire_owned().await.ok()
    }

    pub(super) fn desk(&self) -> &Desk {
        &self.desk
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.desk.writing.lock().remove(&self.digest);
    }
}

fn name(engine: &Engine) -> String {
    format!("{}/{}", engine.provider, engine.model.as_deref().unwrap_or_default())
}
