//! MCP: the tools and resources that agents use, over streamable HTTP.
//!
//! Requests pass the same HTTP guard, authentication and rate limits as every other route; rmcp implements the protocol.
//! One path serves both forms of it: sessions that begin with `initialize`, and single requests without a session.
//!
//! | module | contains |
//! |---|---|
//! | `endpoint` | HTTP: origin, authentication, rate limit, session of a request |
//! | `sessions` | open sessions, their owners and ends |
//! | `client_state` | run and unconfirmed deliveries of a client between two requests |
//! | `server` | the handler of protocol requests |
//! | `request` | one request, and the blocking messages appended to its result |
//! | `lookup` | projects, channels and members by id or name |
//! | `tools` | one file for each tool, and their list |
//! | `tool_output` | results and errors of tools |
//! | `message_format` | messages and questions as JSON and as text |
//! | `resources` | conversations and the inbox as resources |
//! | `fixtures` | the server that the public conformance suite calls; absent unless tests enable it |

mod client_state;
mod endpoint;
mod fixtures;
mod lookup;
mod message_format;
mod request;
mod resources;
mod server;
mod sessions;
mod tool_output;
mod tools;

use std::sync::Arc;

use axum::Router;
use parlour_hub::Hub;

use self::{endpoint::Endpoint, fixtures::FixtureServer, server::McpServer};
use crate::{ServerInfo, http_guard::HttpGuard};

/// The path of the MCP endpoint.
pub(crate) const PATH: &str = "/mcp";

/// The path of the fixtures of the conformance suite.
const FIXTURES_PATH: &str = "/mcp/fixtures";

/// The route of the MCP endpoint.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(
    hub: &Arc<Hub>,
    info: &Arc<ServerInfo>,
    http_guard: &HttpGuard,
) -> Router<S> {
    let server = McpServer::new(Arc::clone(hub), Arc::clone(info));
    Endpoint::new(hub, http_guard, move || server.clone()).route(PATH)
}

/// The route of the fixtures that the public conformance suite calls.
pub(crate) fn fixture_routes<S: Clone + Send + Sync + 'static>(hub: &Arc<Hub>, http_guard: &HttpGuard) -> Router<S> {
    Endpoint::new(hub, http_guard, || FixtureServer).route(FIXTURES_PATH)
}
