//! The hook of coding agents, with the real program, real files and a real hub.

#[path = "../support/mod.rs"]
mod support;

mod files;
mod fixture;
mod golden;
mod hub_unreachable;
mod inside_a_run;
mod installed;
mod paused;
mod sessions;
