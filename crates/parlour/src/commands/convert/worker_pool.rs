//! A pool of threads that returns results in the order of the work.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::{self, Scope},
};

/// More threads would wait for the one that reads and writes.
const THREADS_MAX: usize = 8;
/// Jobs per thread in the queue.
const AHEAD: usize = 2;

type PoolJob<Work, Made> = (Work, mpsc::SyncSender<Made>);

/// A pool of threads with results in the order of the jobs. The threads end when it is dropped.
pub(super) struct WorkerPool<Work, Made> {
    jobs: mpsc::Sender<PoolJob<Work, Made>>,
    /// Receivers of the results, in the order of the jobs.
    made: VecDeque<mpsc::Receiver<Made>>,
    threads: usize,
}

impl<Work: Send, Made: Send> WorkerPool<Work, Made> {
    /// Starts one thread per core, at most [`THREADS_MAX`].
    pub(super) fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        make: impl Fn(Work) -> Made + Clone + Send + 'scope,
    ) -> Self
    where
        Work: 'scope,
        Made: 'scope,
    {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        let (jobs, taken) = mpsc::channel::<PoolJob<Work, Made>>();
        let taken = Arc::new(Mutex::new(taken));
        for _ in 0..threads {
            let (taken, make) = (Arc::clone(&taken), make.clone());
            scope.spawn(move || {
                while let Some((work, answer)) = next_job(&taken) {
                    // The receiver may be gone.
                    let _ = answer.send(make(work));
                }
            });
        }
        Self { jobs, made: VecDeque::new(), threads }
    }

    /// Queues one job.
    pub(super) fn give(&mut self, work: Work) {
        let (answer, made) = mpsc::sync_channel(1);
        self.jobs.send((work, answer)).expect("the threads live as long as this");
        self.made.push_back(made);
    }

    /// Whether the queue is full.
    pub(super) fn is_busy(&self) -> bool {
        self.made.len() >= self.threads * AHEAD
    }

    /// Waits for the oldest result; none if the queue is empty.
    pub(super) fn take(&mut self) -> Option<Made> {
        let made = self.made.pop_front()?;
        Some(made.recv().expect("a thread answers all that it takes"))
    }
}

fn next_job<Work, Made>(taken: &Mutex<mpsc::Receiver<PoolJob<Work, Made>>>) -> Option<PoolJob<Work, Made>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_back_in_the_order_of_the_jobs() {
        let squares = thread::scope(|scope| {
            let mut pool = WorkerPool::start(scope, |number: u64| number * number);
            let mut squares = Vec::new();
            for number in 0..100 {
                pool.give(number);
                while pool.is_busy() {
                    squares.extend(pool.take());
                }
            }
            while let Some(square) = pool.take() {
                squares.push(square);
            }
            squares
        });
        assert_eq!(squares, (0..100).map(|number| number * number).collect::<Vec<_>>());
    }

    #[test]
    fn the_pool_ends_with_results_that_nobody_reads() {
        thread::scope(|scope| {
            let mut pool = WorkerPool::start(scope, |number: u64| number);
            (0..9).for_each(|number| pool.give(number));
        });
    }
}
