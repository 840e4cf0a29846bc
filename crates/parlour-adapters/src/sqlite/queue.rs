//! A bounded queue between async callers and the threads of the store.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};

/// A bounded queue. After closing, the remaining items can still be taken.
pub(super) struct Queue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
    len_max: usize,
}

struct QueueState<T> {
    items: VecDeque<T>,
    is_closed: bool,
}

/// Why an item was not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejected {
    /// The queue has reached its limit.
    Full,
    /// The queue was closed.
    Closed,
}

impl<T> Queue<T> {
    pub(super) fn new(len_max: usize) -> Self {
        let state = QueueState { items: VecDeque::new(), is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), len_max }
    }

    /// Adds an item without waiting.
    pub(super) fn push(&self, item: T) -> Result<(), Rejected> {
        let mut state = self.state.lock();
        if state.is_closed {
            return Err(Rejected::Closed);
        }
        if state.items.len() >= self.len_max {
            return Err(Rejected::Full);
        }
        state.items.push_back(item);
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for items and takes up to `most` in order; an empty result means that the queue is closed and empty.
    pub(super) fn take(&self, most: usize) -> Vec<T> {
        let mut state = self.state.lock();
        while state.items.is_empty() && !state.is_closed {
            self.changed.wait(&mut state);
        }
        let count = state.items.len().min(most);
        state.items.drain(..count).collect()
    }

    /// Rejects further items. The remaining ones can still be taken.
    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_taken_in_order_and_in_groups() {
        let queue = Queue::new(8);
        (0..5).for_each(|item| queue.push(item).expect("room"));
        assert_eq!((queue.take(3), queue.take(3)), (vec![0, 1, 2], vec![3, 4]));
    }

    #[test]
    fn a_full_queue_rejects_at_once() {
        let queue = Queue::new(1);
        assert_eq!((queue.push(1), queue.push(2)), (Ok(()), Err(Rejected::Full)));
    }

    #[test]
    fn a_closed_queue_drains_and_then_ends() {
        let queue = Queue::new(8);
        queue.push(1).expect("room");
        queue.close();
        assert_eq!(queue.push(2), Err(Rejected::Closed));
        assert_eq!((queue.take(8), queue.take(8)), (vec![1], vec![]));
    }

    #[test]
    fn an_item_and_closing_wake_a_waiting_consumer() {
        let queue = Queue::new(8);
        std::thread::scope(|scope| {
            let taker = scope.spawn(|| (queue.take(1), queue.take(1)));
            queue.push(7).expect("room");
            queue.close();
            assert_eq!(taker.join().expect("no panic"), (vec![7], vec![]));
        });
    }
}
