//! MCP over HTTP: endpoint, sessions, tools, resources, and blocking notices in results.

#[path = "../support/mod.rs"]
mod support;

mod ask;
mod blocking_notices;
mod client;
mod endpoint;
mod fixtures;
mod priming_event;
mod resources;
mod runs;
mod sessions;
mod tool_parameters;
mod tools;
