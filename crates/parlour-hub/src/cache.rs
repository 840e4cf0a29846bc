//! Bounded caches of values that are loaded from the store.
//!
//! A load that began before an invalidation is not kept: its value may be older than the change.

use std::hash::Hash;

use parking_lot::Mutex;
use quick_cache::{
    DefaultHashBuilder, UnitWeighter,
    unsync::{Cache, DefaultLifecycle},
};

use crate::Failure;

/// Entries for which room is allocated at first.
const FIRST_CAPACITY: usize = 16;

/// A bounded cache by key.
pub(crate) struct LoadCache<K, V>(Mutex<Versioned<Cache<K, V>>>);

/// A cache of one value.
pub(crate) struct LoadCell<V>(Mutex<Versioned<Option<V>>>);

struct Versioned<T> {
    /// Grows with each invalidation.
    generation: u64,
    values: T,
}

impl<K: Clone + Eq + Hash, V: Clone> LoadCache<K, V> {
    pub(crate) fn new(len_max: usize) -> Self {
        let values = Cache::with(
            len_max.min(FIRST_CAPACITY),
            len_max as u64,
            UnitWeighter,
            DefaultHashBuilder::default(),
            DefaultLifecycle::default(),
        );
        Self(Mutex::new(Versioned { generation: 0, values }))
    }

    /// Returns the cached value, or loads and caches it. `None` is not cached.
    pub(crate) async fn get_or_load(
        &self,
        key: &K,
        load: impl Future<Output = Result<Option<V>, Failure>>,
    ) -> Result<Option<V>, Failure> {
        let generation = {
            let state = self.0.lock();
            if let Some(value) = state.values.get(key) {
                return Ok(Some(value.clone()));
            }
            state.generation
        };
        let loaded = load.await?;
        if let Some(value) = &loaded {
            let mut state = self.0.lock();
            if state.generation == generation {
                state.values.insert(key.clone(), value.clone());
            }
        }
        Ok(loaded)
    }

    /// The cached value.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.0.lock().values.get(key).cloned()
    }

    /// Caches a value that no change can make wrong.
    pub(crate) fn insert(&self, key: &K, value: V) {
        self.0.lock().values.insert(key.clone(), value);
    }

    /// Removes one value. Unlike `clear`, a load that is under way is still kept.
    pub(crate) fn remove(&self, key: &K) {
        self.0.lock().values.remove(key);
    }

    pub(crate) fn clear(&self) {
        let mut state = self.0.lock();
        state.generation += 1;
        state.values.clear();
    }
}

impl<V> Default for LoadCell<V> {
    fn default() -> Self {
        Self(Mutex::new(Versioned { generation: 0, values: None }))
    }
}

impl<V: Clone> LoadCell<V> {
    /// Returns the cached value, or loads and caches it. `None` is not cached.
    pub(crate) async fn get_or_load(
        &self,
        load: impl Future<Output = Result<Option<V>, Failure>>,
    ) -> Result<Option<V>, Failure> {
        let generation = {
            let state = self.0.lock();
            if let Some(value) = &state.values {
                return Ok(Some(value.clone()));
            }
            state.generation
        };
        let loaded = load.await?;
        let mut state = self.0.lock();
        if state.generation == generation {
            state.values.clone_from(&loaded);
        }
        Ok(loaded)
    }

    pub(crate) fn clear(&self) {
        let mut state = self.0.lock();
        state.generation += 1;
        state.values = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn load(cache: &LoadCache<u32, u32>, key: u32, value: u32) -> u32 {
        cache.get_or_load(&key, async { Ok(Some(value)) }).await.expect("loaded").expect("present")
    }

    #[tokio::test]
    async fn a_value_is_loaded_once() {
        let cache = LoadCache::new(10);
        assert_eq!(load(&cache, 1, 10).await, 10);
        assert_eq!(load(&cache, 1, 11).await, 10);
    }

    #[tokio::test]
    async fn after_clear_a_value_is_loaded_again() {
        let cache = LoadCache::new(10);
        load(&cache, 1, 10).await;
        cache.clear();
        assert_eq!(load(&cache, 1, 11).await, 11);
    }

    #[tokio::test]
    async fn removing_one_value_keeps_the_others() {
        let cache = LoadCache::new(10);
        load(&cache, 1, 10).await;
        load(&cache, 2, 20).await;
        cache.remove(&1);
        assert_eq!((load(&cache, 1, 11).await, load(&cache, 2, 21).await), (11, 20));
    }

    #[tokio::test]
    async fn a_value_loaded_across_a_clear_is_not_kept() {
        let cache = LoadCache::new(10);
        let stale = cache.get_or_load(&1, async {
            cache.clear();
            Ok(Some(10))
        });
        assert_eq!(stale.await.expect("loaded"), Some(10));
        assert_eq!(load(&cache, 1, 11).await, 11);
    }

    #[tokio::test]
    async fn absence_is_not_cached_and_the_length_is_bounded() {
        let cache: LoadCache<u32, u32> = LoadCache::new(20);
        assert_eq!(cache.get_or_load(&1, async { Ok(None) }).await.expect("loaded"), None);
        for key in 0..1_000 {
            load(&cache, key, key).await;
        }
        let len = cache.0.lock().values.len();
        assert!((1..=20).contains(&len), "{len}");
    }

    #[tokio::test]
    async fn a_full_cache_evicts_some_values_and_not_all() {
        let cache = LoadCache::new(20);
        for key in 0..21 {
            load(&cache, key, key).await;
        }
        assert!(cache.0.lock().values.len() > 10);
    }

    #[tokio::test]
    async fn a_cell_keeps_its_value_until_it_is_cleared() {
        let cell = LoadCell::default();
        let load = async |value| cell.get_or_load(async { Ok(Some(value)) }).await.expect("loaded");
        assert_eq!((load(1).await, load(2).await), (Some(1), Some(1)));
        cell.clear();
        assert_eq!(load(3).await, Some(3));
    }

    #[tokio::test]
    async fn a_cell_does_not_keep_a_value_loaded_across_a_clear() {
        let cell = LoadCell::default();
        let stale = cell.get_or_load(async {
            cell.clear();
            Ok(Some(1))
        });
        assert_eq!(stale.await.expect("loaded"), Some(1));
        assert_eq!(cell.get_or_load(async { Ok(Some(2)) }).await.expect("loaded"), Some(2));
    }
}
