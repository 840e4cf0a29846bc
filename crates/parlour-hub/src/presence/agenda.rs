//! What is due when.

use std::collections::BTreeSet;

use parlour_core::Timestamp;

/// Things with a moment each, the earliest first.
#[derive(Debug)]
pub(super) struct DueQueue<K>(BTreeSet<(Timestamp, K)>);

impl<K> Default for DueQueue<K> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<K: Ord + Clone> DueQueue<K> {
    pub(super) fn add(&mut self, at: Timestamp, key: &K) {
        self.0.insert((at, key.clone()));
    }

    pub(super) fn remove(&mut self, at: Timestamp, key: &K) {
        self.0.remove(&(at, key.clone()));
    }

    /// The earliest moment.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.0.first().map(|(at, _)| *at)
    }

    /// Takes out everything whose moment has come, in order.
    pub(super) fn take_due(&mut self, now: Timestamp) -> Vec<K> {
        let mut due = Vec::new();
        while self.next().is_some_and(|at| at <= now) {
            due.extend(self.0.pop_first().map(|(_, key)| key));
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    #[test]
    fn what_is_due_comes_out_once_and_in_order() {
        let mut due_queue = DueQueue::default();
        for (ms, key) in [(30, "c"), (10, "a"), (20, "b")] {
            due_queue.add(at(ms), &key);
        }
        assert_eq!(due_queue.next(), Some(at(10)));
        assert_eq!(due_queue.take_due(at(20)), ["a", "b"]);
        assert_eq!(due_queue.take_due(at(20)), [] as [&str; 0]);
        assert_eq!(due_queue.next(), Some(at(30)));
    }

    #[test]
    fn what_was_removed_is_never_due() {
        let mut due_queue = DueQueue::default();
        due_queue.add(at(10), &1);
        due_queue.remove(at(10), &1);
        assert_eq!((due_queue.next(), due_queue.take_due(at(99))), (None, Vec::new()));
    }
}
