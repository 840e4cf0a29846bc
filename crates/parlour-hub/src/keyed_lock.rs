//! Locks by key, in order of arrival.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use parlour_core::{Code, Refusal, limits};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// One lock per key, granted in order of arrival. Unused locks are removed. Clones share the locks.
#[derive(Clone, Default)]
pub(crate) struct KeyedLock(Arc<Mutex<HashMap<String, Lock>>>);

type Lock = Arc<AsyncMutex<()>>;

/// A held lock, until it is dropped.
pub(crate) struct KeyedLockGuard {
    locks: KeyedLock,
    key: String,
    held: Option<OwnedMutexGuard<()>>,
}

impl KeyedLock {
    /// Waits for the lock of this key.
    pub(crate) async fn lock(&self, key: &str) -> Result<KeyedLockGuard, Refusal> {
        let held = self.lock_of(key)?.lock_owned().await;
        Ok(KeyedLockGuard { locks: self.clone(), key: key.to_owned(), held: Some(held) })
    }

    fn lock_of(&self, key: &str) -> Result<Lock, Refusal> {
        let mut locks = self.0.lock();
        if let Some(lock) = locks.get(key) {
            return Ok(Arc::clone(lock));
        }
        if locks.len() >= limits::CALL_LOCKS_MAX {
            // A cancelled wait leaves its lock behind.
            locks.retain(|_, lock| is_used(lock));
        }
        if locks.len() >= limits::CALL_LOCKS_MAX {
            return Err(Refusal::new(Code::Overloaded, "too many agents call others at this moment"));
        }
        Ok(Arc::clone(locks.entry(key.to_owned()).or_default()))
    }
}

impl Drop for KeyedLockGuard {
    fn drop(&mut self) {
        // Locks are cloned only under this mutex, so no request can come in between.
        let mut locks = self.locks.0.lock();
        self.held = None;
        if locks.get(&self.key).is_some_and(|lock| !is_used(lock)) {
            locks.remove(&self.key);
        }
    }
}

/// Whether anybody besides the map holds the lock or waits for it.
fn is_used(lock: &Lock) -> bool {
    Arc::strong_count(lock) > 1
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_second_caller_waits_until_the_lock_is_released() {
        let locks = KeyedLock::default();
        let first = locks.lock("a").await.expect("free");
        let mut second = Box::pin(locks.lock("a"));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(locks.lock("b").now_or_never().is_some(), "others do not wait");
        drop(first);
        assert!(second.now_or_never().is_some());
    }

    #[tokio::test]
    async fn an_unused_lock_is_removed() {
        let locks = KeyedLock::default();
        let first = locks.lock("a").await.expect("free");
        let second = {
            let mut second = Box::pin(locks.lock("a"));
            assert!(second.as_mut().now_or_never().is_none());
            drop(first);
            assert_eq!(locks.0.lock().len(), 1, "somebody waits");
            second.await.expect("free")
        };
        drop(second);
        assert_eq!(locks.0.lock().len(), 0);
    }

    #[tokio::test]
    async fn locks_of_cancelled_waits_are_removed_at_the_limit() {
        let locks = KeyedLock::default();
        for number in 0..limits::CALL_LOCKS_MAX {
            locks.lock_of(&number.to_string()).expect("room");
        }
        assert!(locks.lock("one more").await.is_ok());
        assert!(locks.0.lock().len() <= 1);
    }

    #[tokio::test]
    async fn more_locks_than_the_limit_are_refused() {
        let locks = KeyedLock::default();
        let mut held = Vec::new();
        for number in 0..limits::CALL_LOCKS_MAX {
            held.push(locks.lock(&number.to_string()).await.expect("room"));
        }
        assert_eq!(locks.lock("one more").await.err().map(|refusal| refusal.code), Some(Code::Overloaded));
        held.pop();
        assert!(locks.lock("one more").await.is_ok());
    }
}
