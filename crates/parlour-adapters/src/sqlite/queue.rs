//! A bounded queue between async callers and the threads of the store.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};

/// A queue that never grows beyond its limit and drains before it ends.
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    len_max: usize,
}

struct State<T> {
    items: VecDeque<T>,
    is_closed: bool,
}

/// Why an item was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejected {
    /// As many items wait as may.
    Full,
    /// The queue was closed.
    Closed,
}

impl<T> Queue<T> {
    /// An empty queue that holds at most `len_max` items.
    pub(super) fn new(len_max: usize) -> Self {
        let state = State { items: VecDeque::new(), is_closed: false };
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

    /// Waits until something is there and takes up to `most` items in order; nothing means closed and drained.
    pub(super) fn take(&self, most: usize) -> Vec<T> {
        let mut state = self.state.lock();
        while state.items.is_empty() && !state.is_closed {
            self.changed.wait(&mut state);
        }
        let count = state.items.len().min(most);
        state.items.drain(..count).collect()
    }

    /// Takes no more items; those that wait are still handed out.
    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_out_in_order_and_in_groups() {
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
    fn a_waiting_taker_is_woken_by_an_item_and_by_the_end() {
        let queue = Queue::new(8);
        std::thread::scope(|scope| {
            let taker = scope.spawn(|| (queue.take(1), queue.take(1)));
            queue.push(7).expect("room");
            queue.close();
            assert_eq!(taker.join().expect("no panic"), (vec![7], vec![]));
        });
    }
}
