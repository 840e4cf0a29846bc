//! Caco: decoding and round trips of its events, and its other stored files.

#![allow(clippy::needless_pass_by_value, reason = "tables of values read best without borrows")]

mod support;

#[path = "caco/any_event.rs"]
mod any_event;
#[path = "caco/bad_input.rs"]
mod bad_input;
#[path = "caco/events.rs"]
mod events;
#[path = "caco/identity.rs"]
mod identity;
#[path = "caco/laws.rs"]
mod laws;
#[path = "caco/outputs.rs"]
mod outputs;
#[path = "caco/page.rs"]
mod page;
#[path = "caco/posts.rs"]
mod posts;
#[path = "caco/sources.rs"]
mod sources;
#[path = "caco/stored.rs"]
mod stored;
