//! The keys of an issuer as they are kept, and when they are asked for again.

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
    fetch::{self, NoKeys, Stamp},
    head::WantedKey,
    jwk::{IssuerKey, JwkSet},
    no_keys,
    source::KeySource,
};

/// Keys with the rules of keeping them.
pub(super) struct KeyCache {
    source: KeySource,
    client: Option<Client>,
    kept: ArcSwapOption<Kept>,
    /// The last try to get them, also in vain. Held while somebody tries.
    tried: Mutex<Option<Tried>>,
}

/// A try to get keys: when, and how the file was then.
#[derive(Clone, Copy)]
struct Tried {
    at: Timestamp,
    stamp: Option<Stamp>,
}

struct Kept {
    set: JwkSet,
    /// When they were got; absent when that was at the start.
    got_at: Option<Timestamp>,
    /// How the file was.
    stamp: Option<Stamp>,
}

impl KeyCache {
    /// Keys from this source. Those in a file must be there and sound; nobody is asked over the net yet.
    pub(super) fn new(source: KeySource) -> Result<Self, Failure> {
        let mut cache = Self { source, client: None, kept: ArcSwapOption::empty(), tried: Mutex::new(None) };
        match &cache.source {
            KeySource::File(path) => {
                let stamp = Stamp::of(path);
                let set = fetch::read_file(path)
                    .and_then(|set| Ok(set.check_begin()?))
                    .map_err(|error| Fault::new(format!("read the issuer's keys in {}", path.display()), error))?;
                cache.kept.store(Some(Arc::new(Kept { set, got_at: None, stamp })));
            }
            KeySource::Address(first) | KeySource::Discovery { description: first, .. } => {
                cache.client = Some(fetch::client(first).map_err(|error| Fault::new("make a web client", error))?);
            }
        }
        Ok(cache)
    }

    /// The key that a token needs, from what is kept or, within the rules, from its source.
    pub(super) async fn find(&self, wanted: &WantedKey, now: Timestamp) -> Result<Option<IssuerKey>, Failure> {
        let found = |kept: &Kept| kept.set.find(wanted).cloned();
        let kept = match self.kept.load_full() {
            Some(kept) if !self.is_old(&kept, now) => kept,
            Some(kept) => self.renew(kept, now).await,
            None => self.first(now).await?,
        };
        if let Some(key) = found(&kept) {
            return Ok(Some(key));
        }
        let newer = self.newer_than(&kept, now).await;
        Ok(newer.as_deref().and_then(found))
    }

    /// A file is old when it has changed, an answer of the net when it was got long ago.
    fn is_old(&self, kept: &Kept, now: Timestamp) -> bool {
        match &self.source {
            KeySource::File(_) => self.stamp() != kept.stamp,
            _ => kept.got_at.is_none_or(|at| at.plus_millis(limits::ISSUER_KEYS_SECONDS as u64 * 1000) <= now),
        }
    }

    /// Newer keys in place of old ones. Who comes while somebody else asks for them goes on with the old.
    async fn renew(&self, old: Arc<Kept>, now: Timestamp) -> Arc<Kept> {
        match self.tried.try_lock() {
            Ok(tried) => self.try_again(tried, now).await.unwrap_or(old),
            Err(_) => old,
        }
    }

    /// The first keys: everybody waits for them.
    async fn first(&self, now: Timestamp) -> Result<Arc<Kept>, Failure> {
        let tried = self.tried.lock().await;
        if let Some(kept) = self.kept.load_full() {
            return Ok(kept);
        }
        let got = self.try_again(tried, now).await;
        Ok(got.ok_or_else(|| no_keys("they could not be had; the log says why"))?)
    }

    /// Keys that were got after these: a key that nobody knows may be new.
    async fn newer_than(&self, known: &Arc<Kept>, now: Timestamp) -> Option<Arc<Kept>> {
        let tried = self.tried.lock().await;
        let newest = self.kept.load_full().filter(|newest| !Arc::ptr_eq(newest, known));
        match newest {
            Some(newest) => Some(newest),
            None => self.try_again(tried, now).await,
        }
    }

    /// Gets the keys, unless just that was tried just now. What goes wrong is logged; the kept keys stay.
    async fn try_again(&self, mut tried: MutexGuard<'_, Option<Tried>>, now: Timestamp) -> Option<Arc<Kept>> {
        let stamp = self.stamp();
        let pause_ms = limits::ISSUER_PAUSE_SECONDS as u64 * 1000;
        if tried.is_some_and(|last| last.stamp == stamp && now < last.at.plus_millis(pause_ms)) {
            return None;
        }
        *tried = Some(Tried { at: now, stamp });
        match self.get(now).await {
            Ok(kept) => {
                let kept = Arc::new(kept);
                self.kept.store(Some(Arc::clone(&kept)));
                Some(kept)
            }
            Err(error) => {
                tracing::warn!(cause = no_keys(error).chain(), "the keys of the trusted issuer stay as they were");
                None
            }
        }
    }

    /// Gets the keys. The stamp is taken before: a change while the file is read is noticed the next time.
    async fn get(&self, now: Timestamp) -> Result<Kept, NoKeys> {
        let stamp = self.stamp();
        let client = || self.client.as_ref().expect("made for sources on the web");
        let set = match &self.source {
            KeySource::File(path) => {
                let path = path.clone();
                spawn_blocking(move || fetch::read_file(&path)).await.map_err(std::io::Error::other)??
            }
            KeySource::Address(address) => fetch::ask_set(client(), address).await?,
            KeySource::Discovery { issuer, description } => fetch::ask_issuer(client(), issuer, description).await?,
        };
        Ok(Kept { set, got_at: Some(now), stamp })
    }

    /// How the file is now; there is none for sources on the web.
    fn stamp(&self) -> Option<Stamp> {
        match &self.source {
            KeySource::File(path) => Stamp::of(path),
            _ => None,
        }
    }
}
