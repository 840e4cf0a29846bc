//! Runs beside the requests: their leases, what pauses them and lets them go on, and the questions that run out of time.
//!
//! A run and a question are two things in the store, changed by two writes. Whoever makes the first one makes the second
//! right after it, in a task that nobody can break off. What a dying hub leaves between the two is found at the next
//! start, and from time to time: a paused run whose question has ended goes on.

mod alarm;
mod book;
mod detail;
mod drive;
mod ending;
mod expire;
mod going_on;
mod recover_open_runs;
mod run_supervisor;

pub(crate) use self::{
    book::RunBook,
    detail::describe_outcome,
    run_supervisor::{RunSupervisor, pause_by},
};
