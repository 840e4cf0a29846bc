//! Agents that a hub runs itself, seen from outside: a real `parlour serve`, and somebody who watches.

#![allow(clippy::panic, reason = "these are tests")]

#[path = "../support/mod.rs"]
mod support;

mod conversations;
mod engines;
mod fixture;
mod guide;
mod model;
mod restarts;
