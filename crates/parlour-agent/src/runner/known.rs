//! What was seen already: a memory with a bound.

use std::{
    collections::{HashSet, VecDeque},
    hash::Hash,
};

/// The last things that were seen, at most so many; the oldest is forgotten first.
///
/// Forgetting is harmless: the hub lists only open calls, and an answer has the same id each time.
#[derive(Debug)]
pub(super) struct Known<T> {
    len_max: usize,
    order: VecDeque<T>,
    seen: HashSet<T>,
}

impl<T: Clone + Eq + Hash> Known<T> {
    pub(super) fn new(len_max: usize) -> Self {
        Self { len_max, order: VecDeque::new(), seen: HashSet::new() }
    }

    pub(super) fn contains(&self, one: &T) -> bool {
        self.seen.contains(one)
    }

    pub(super) fn insert(&mut self, one: T) {
        if !self.seen.insert(one.clone()) {
            return;
        }
        self.order.push_back(one);
        if self.order.len() > self.len_max
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
    }

    pub(super) fn forget(&mut self, one: &T) {
        if self.seen.remove(one) {
            self.order.retain(|other| other != one);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_when_there_is_no_more_room() {
        let mut known = Known::new(2);
        [1, 2, 2, 3].into_iter().for_each(|one| known.insert(one));
        assert_eq!([1, 2, 3].map(|one| known.contains(&one)), [false, true, true]);
    }

    #[test]
    fn what_is_forgotten_takes_no_room() {
        let mut known = Known::new(2);
        known.insert(1);
        known.insert(2);
        known.forget(&2);
        known.insert(3);
        assert_eq!([1, 2, 3].map(|one| known.contains(&one)), [true, false, true]);
    }
}
