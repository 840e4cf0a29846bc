//! Threads that work side by side, and hand back what they made in the order in which it was given to them.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::{self, Scope},
};

/// More threads than this would wait for the one that reads and writes.
const THREADS_MAX: usize = 8;
/// Pieces of work for each thread that are given out before the first is taken back.
const AHEAD: usize = 2;

type Job<Work, Made> = (Work, mpsc::SyncSender<Made>);

/// Threads that work side by side. They end when it is dropped.
pub(super) struct Crew<Work, Made> {
    jobs: mpsc::Sender<Job<Work, Made>>,
    /// Where what was made arrives, in the order of the work.
    made: VecDeque<mpsc::Receiver<Made>>,
    threads: usize,
}

impl<Work: Send, Made: Send> Crew<Work, Made> {
    /// Starts a thread for each core.
    pub(super) fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        make: impl Fn(Work) -> Made + Clone + Send + 'scope,
    ) -> Self
    where
        Work: 'scope,
        Made: 'scope,
    {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        let (jobs, taken) = mpsc::channel::<Job<Work, Made>>();
        let taken = Arc::new(Mutex::new(taken));
        for _ in 0..threads {
            let (taken, make) = (Arc::clone(&taken), make.clone());
            scope.spawn(move || {
                while let Some((work, answer)) = next_job(&taken) {
                    // Whoever wanted it may have stopped.
                    let _ = answer.send(make(work));
                }
            });
        }
        Self { jobs, made: VecDeque::new(), threads }
    }

    /// Gives out one piece of work.
    pub(super) fn give(&mut self, work: Work) {
        let (answer, made) = mpsc::sync_channel(1);
        self.jobs.send((work, answer)).expect("the threads live as long as this");
        self.made.push_back(made);
    }

    /// Whether so much is given out that something should be taken back first.
    pub(super) fn is_busy(&self) -> bool {
        self.made.len() >= self.threads * AHEAD
    }

    /// Waits for what was made of the oldest work; none when all was taken back.
    pub(super) fn take(&mut self) -> Option<Made> {
        let made = self.made.pop_front()?;
        Some(made.recv().expect("a thread answers all that it takes"))
    }
}

fn next_job<Work, Made>(taken: &Mutex<mpsc::Receiver<Job<Work, Made>>>) -> Option<Job<Work, Made>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_comes_back_in_the_order_of_the_work() {
        let squares = thread::scope(|scope| {
            let mut crew = Crew::start(scope, |number: u64| number * number);
            let mut squares = Vec::new();
            for number in 0..100 {
                crew.give(number);
                while crew.is_busy() {
                    squares.extend(crew.take());
                }
            }
            while let Some(square) = crew.take() {
                squares.push(square);
            }
            squares
        });
        assert_eq!(squares, (0..100).map(|number| number * number).collect::<Vec<_>>());
    }

    #[test]
    fn it_ends_with_work_that_nobody_takes_back() {
        thread::scope(|scope| {
            let mut crew = Crew::start(scope, |number: u64| number);
            (0..9).for_each(|number| crew.give(number));
        });
    }
}
