//! The cache of an issuer's keys, and the rules for fetching them again.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use parlour_core::{Timestamp, limits};
use parlour_hub::{Failure, Fault};
use reqwest::Client;
use tokio::{
    sync::{Mutex, MutexGuard},
    task::spawn_blocking,
};

use super::{
    fetch::{self, FileStamp, NoKeys},
    header::RequiredKey,
    jwk::{IssuerKey, JwkSet},
    no_keys,
    source::KeySource,
};

pub(super) struct KeyCache {
    source: KeySource,
    client: Option<Client>,
    cached: ArcSwapOption<CachedKeys>,
    /// The last fetch, successful or not. It is locked during a fetch.
    last_fetch: Mutex<Option<LastFetch>>,
}

/// The time of a fetch, and the state of the file at that time.
#[derive(Clone, Copy)]
struct LastFetch {
    at: Timestamp,
    stamp: Option<FileStamp>,
}

struct CachedKeys {
    set: JwkSet,
    /// The time of the fetch; `None` for keys that were read at the start.
    fetched_at: Option<Timestamp>,
    stamp: Option<FileStamp>,
}

impl KeyCache {
    /// Keys from this source. A key file must be valid; nothing is fetched over the network yet.
    pub(super) fn new(source: KeySource) -> Result<Self, Failure> {
        let mut cache = Self { source, client: None, cached: ArcSwapOption::empty(), last_fetch: Mutex::new(None) };
        match &cache.source {
            KeySource::File(path) => {
                let stamp = FileStamp::of(path);
                let set = fetch::read_file(path)
                    .and_then(|set| Ok(set.check_not_empty()?))
                    .map_err(|error| Fault::new(format!("read the issuer's keys in {}", path.display()), error))?;
                cache.cached.store(Some(Arc::new(CachedKeys { set, fetched_at: None, stamp })));
            }
            KeySource::Address(first) | KeySource::Discovery { description: first, .. } => {
                cache.client = Some(fetch::client(first).map_err(|error| Fault::new("make a web client", error))?);
            }
        }
        Ok(cache)
    }

    /// The key that a token needs, from the cache or, if the rules allow a fetch, from the source.
    pub(super) async fn find(&self, required: &RequiredKey, now: Timestamp) -> Result<Option<IssuerKey>, Failure> {
        let found = |keys: &CachedKeys| keys.set.find(required).cloned();
        let keys = match self.cached.load_full() {
            Some(keys) if !self.is_stale(&keys, now) => keys,
            Some(keys) => self.refresh(keys, now).await,
            None => self.first_fetch(now).await?,
        };
        if let Some(key) = found(&keys) {
            return Ok(Some(key));
        }
        let newer = self.newer_than(&keys, now).await;
        Ok(newer.as_deref().and_then(found))
    }

    /// Keys of a file are stale when it has changed, fetched keys after `ISSUER_KEYS_SECONDS`.
    fn is_stale(&self, keys: &CachedKeys, now: Timestamp) -> bool {
        match &self.source {
            KeySource::File(_) => self.stamp() != keys.stamp,
            _ => keys.fetched_at.is_none_or(|at| at.plus_millis(limits::ISSUER_KEYS_SECONDS as u64 * 1000) <= now),
        }
    }

    /// Fetches newer keys. Callers during a running fetch use the old keys.
    async fn refresh(&self, old: Arc<CachedKeys>, now: Timestamp) -> Arc<CachedKeys> {
        match self.last_fetch.try_lock() {
            Ok(last_fetch) => self.fetch_unless_recent(last_fetch, now).await.unwrap_or(old),
            Err(_) => old,
        }
    }

    /// Fetches the first keys. Concurrent callers wait for the same fetch.
    async fn first_fetch(&self, now: Timestamp) -> Result<Arc<CachedKeys>, Failure> {
        let last_fetch = self.last_fetch.lock().await;
        if let Some(keys) = self.cached.load_full() {
            return Ok(keys);
        }
        let fetched = self.fetch_unless_recent(last_fetch, now).await;
        Ok(fetched.ok_or_else(|| no_keys("they could not be had; the log says why"))?)
    }

    /// Keys that were fetched after these, because an unknown key may be new.
    async fn newer_than(&self, known: &Arc<CachedKeys>, now: Timestamp) -> Option<Arc<CachedKeys>> {
        let last_fetch = self.last_fetch.lock().await;
        let newest = self.cached.load_full().filter(|newest| !Arc::ptr_eq(newest, known));
        match newest {
            Some(newest) => Some(newest),
            None => self.fetch_unless_recent(last_fetch, now).await,
        }
    }

    /// Fetches the keys, unless the last fetch was within the pause and the file is unchanged. Errors are logged; the
    /// cached keys stay.
    async fn fetch_unless_recent(
        &self,
        mut last_fetch: MutexGuard<'_, Option<LastFetch>>,
        now: Timestamp,
    ) -> Option<Arc<CachedKeys>> {
        let stamp = self.stamp();
        let pause_ms = limits::ISSUER_PAUSE_SECONDS as u64 * 1000;
        if last_fetch.is_some_and(|last| last.stamp == stamp && now < last.at.plus_millis(pause_ms)) {
            return None;
        }
        *last_fetch = Some(LastFetch { at: now, stamp });
        match self.fetch(now).await {
            Ok(keys) => {
                let keys = Arc::new(keys);
                self.cached.store(Some(Arc::clone(&keys)));
                Some(keys)
            }
            Err(error) => {
                tracing::warn!(cause = no_keys(error).chain(), "the keys of the trusted issuer stay as they were");
                None
            }
        }
    }

    /// Fetches the keys. The stamp is taken first, so that a change during the read is noticed next time.
    async fn fetch(&self, now: Timestamp) -> Result<CachedKeys, NoKeys> {
        let stamp = self.stamp();
        let client = || self.client.as_ref().expect("made for sources on the web");
        let set = match &self.source {
            KeySource::File(path) => {
                let path = path.clone();
                spawn_blocking(move || fetch::read_file(&path)).await.map_err(std::io::Error::other)??
            }
            KeySource::Address(address) => fetch::fetch_set(client(), address).await?,
            KeySource::Discovery { issuer, description } => fetch::discover_set(client(), issuer, description).await?,
        };
        Ok(CachedKeys { set, fetched_at: Some(now), stamp })
    }

    /// The current stamp of the key file; `None` for addresses.
    fn stamp(&self) -> Option<FileStamp> {
        match &self.source {
            KeySource::File(path) => FileStamp::of(path),
            _ => None,
        }
    }
}
