//! The hook of coding agents as its users meet it: the real program, real files, and a real hub.

#[path = "../support/mod.rs"]
mod support;

mod away;
mod files;
mod fixture;
mod golden;
mod installed;
mod sessions;
