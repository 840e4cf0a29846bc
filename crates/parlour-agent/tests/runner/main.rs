//! The runner against a hub in memory, with a simulated clock.

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
mod leftover_runs;
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
