//! The runner against a hub in memory, on a clock that tests move: what is answered, in which order, and how it ends.

#![allow(clippy::panic, reason = "these are tests")]

mod asking;
mod calls;
mod context;
mod deliveries;
mod endings;
mod engine;
mod fake_context;
mod fake_hub;
mod fake_link;
mod fake_run_link;
mod fake_runs;
mod interrupted;
mod lengths;
mod outages;
mod pausing;
mod process;
mod property;
mod questions;
mod runs;
mod silence;
mod stopping;
mod tasks;
mod tidying;
