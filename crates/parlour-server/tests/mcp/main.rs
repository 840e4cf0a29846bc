//! MCP as its clients see it: the way in, sessions, tools, and what rides on their results.

#[path = "../support/mod.rs"]
mod support;

mod asking;
mod client;
mod entrance;
mod fixtures;
mod parameters;
mod resources;
mod riding;
mod runs;
mod sessions;
mod tools;
