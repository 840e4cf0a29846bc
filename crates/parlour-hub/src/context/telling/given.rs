//! What runs were told last, so that the same is not kept each time they ask.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
};

use parking_lot::Mutex;
use parlour_core::{delivery::Door, id::RunId};

/// Runs and doors that are remembered. When one more comes, all are forgotten, and a text may be kept once more.
const GIVEN_MAX: usize = 1_000;

/// The last text for each run by each door.
#[derive(Default)]
pub(in crate::context) struct Given {
    last: Mutex<HashMap<(RunId, Door), [u64; 2]>>,
    /// Drawn anew with each start, so that nobody can write two texts that are taken for one.
    hashers: [RandomState; 2],
}

impl Given {
    /// Whether the text is another one than the last; it is the last from now on.
    pub(super) fn is_news(&self, run: &RunId, door: Door, text: &str) -> bool {
        let hash = [self.hashers[0].hash_one(text), self.hashers[1].hash_one(text)];
        let mut last = self.last.lock();
        let key = (run.clone(), door);
        if last.len() >= GIVEN_MAX && !last.contains_key(&key) {
            last.clear();
        }
        last.insert(key, hash) != Some(hash)
    }

    /// Forgets what could not be kept.
    pub(super) fn forget(&self, run: &RunId, door: Door) {
        self.last.lock().remove(&(run.clone(), door));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_from_the_last_is_news() {
        let (given, run) = (Given::default(), RunId::from_bits(1));
        let is_news = |door, text| given.is_news(&run, door, text);
        assert!(is_news(Door::Tool, "a"));
        assert!(!is_news(Door::Tool, "a"));
        assert!(is_news(Door::Checkpoint, "a"), "another door");
        assert!(given.is_news(&RunId::from_bits(2), Door::Tool, "a"), "another run");
        assert!(is_news(Door::Tool, "b") && is_news(Door::Tool, "a"), "what comes again is news again");
        given.forget(&run, Door::Tool);
        assert!(is_news(Door::Tool, "a"));
    }

    #[test]
    fn memory_is_bounded() {
        let given = Given::default();
        for number in 0..GIVEN_MAX as u128 * 3 {
            assert!(given.is_news(&RunId::from_bits(number), Door::Tool, "a"));
        }
        assert!(given.last.lock().len() <= GIVEN_MAX);
    }
}
