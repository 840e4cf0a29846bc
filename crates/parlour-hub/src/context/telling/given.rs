//! What runs were told last, so that the same is not kept each time they ask.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
};

use parking_lot::Mutex;
use parlour_core::{delivery::DeliveryPath, id::RunId};

/// Runs and delivery paths that are remembered. When one more comes, all are forgotten, and a text may be kept once more.
const GIVEN_MAX: usize = 1_000;

/// The last text for each run by each delivery path.
#[derive(Default)]
pub(in crate::context) struct RawAnswer {
    last: Mutex<HashMap<(RunId, DeliveryPath), [u64; 2]>>,
    /// Drawn anew with each start, so that nobody can write two texts that are taken for one.
    hashers: [RandomState; 2],
}

impl RawAnswer {
    /// Whether the text is another one than the last; it is the last from now on.
    pub(super) fn is_news(&self, run: &RunId, delivered_via: DeliveryPath, text: &str) -> bool {
        let hash = [self.hashers[0].hash_one(text), self.hashers[1].hash_one(text)];
        let mut last = self.last.lock();
        let key = (run.clone(), delivered_via);
        if last.len() >= GIVEN_MAX && !last.contains_key(&key) {
            last.clear();
        }
        last.insert(key, hash) != Some(hash)
    }

    /// Forgets what could not be kept.
    pub(super) fn forget(&self, run: &RunId, delivered_via: DeliveryPath) {
        self.last.lock().remove(&(run.clone(), delivered_via));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_from_the_last_is_news() {
        let (given, run) = (RawAnswer::default(), RunId::from_bits(1));
        let is_news = |delivered_via, text| given.is_news(&run, delivered_via, text);
        assert!(is_news(DeliveryPath::Tool, "a"));
        assert!(!is_news(DeliveryPath::Tool, "a"));
        assert!(is_news(DeliveryPath::Checkpoint, "a"), "another delivered_via");
        assert!(given.is_news(&RunId::from_bits(2), DeliveryPath::Tool, "a"), "another run");
        assert!(is_news(DeliveryPath::Tool, "b") && is_news(DeliveryPath::Tool, "a"), "what comes again is news again");
        given.forget(&run, DeliveryPath::Tool);
        assert!(is_news(DeliveryPath::Tool, "a"));
    }

    #[test]
    fn memory_is_bounded() {
        let given = RawAnswer::default();
        for number in 0..GIVEN_MAX as u128 * 3 {
            assert!(given.is_news(&RunId::from_bits(number), DeliveryPath::Tool, "a"));
        }
        assert!(given.last.lock().len() <= GIVEN_MAX);
    }
}
