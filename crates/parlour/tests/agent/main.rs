//! `parlour agent` against a real hub: agents as processes that answer, are stopped, killed and started again.

#![allow(clippy::panic, reason = "these are tests")]

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod bad_commands;
#[cfg(unix)]
mod coding_clis;
mod context;
mod exactly_once;
mod fixture;
mod identity;
mod pausing;
mod rings;
mod tasks;
