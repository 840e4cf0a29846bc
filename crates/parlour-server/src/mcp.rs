//! MCP: the tools and resources that agents use, over streamable HTTP.
//!
//! A request comes through the same borders as every other, shows the same tokens and is charged the same rates; then
//! the protocol itself is rmcp's. Both of its ways are served at one address: the session with a handshake, and single
//! requests without either.
//!
//! | part | holds |
//! |---|---|
//! | `endpoint` | the way in: borders, token, rates, whose session it is |
//! | `envelope` | what a body asks for, read just far enough |
//! | `sessions` | whose sessions are open, and what ends them |
//! | `desk` | what is kept in mind of a client between two calls |
//! | `server` | the protocol's questions, answered |
//! | `tools` | one file for each tool, and the list of them |
//! | `riders` | blocking messages that ride on every result |
//! | `resources` | conversations and the inbox, to be read |
//! | `fixtures` | what the public test suite of the protocol calls; absent unless tests ask for it |

mod desk;
mod endpoint;
mod envelope;
mod fixtures;
mod lookup;
mod outcome;
mod resources;
mod riders;
mod server;
mod sessions;
mod shown;
mod tools;
mod turn;

use std::sync::Arc;

use axum::Router;
use parlour_hub::Hub;

use self::{endpoint::Endpoint, fixtures::Fixtures, server::Tools};
use crate::{ServerInfo, http_guard::HttpGuard};

/// Where the tools are.
pub(crate) const PATH: &str = "/mcp";

/// Where the fixtures of the test suite are, when they are anywhere.
const FIXTURES_PATH: &str = "/mcp/fixtures";

/// The tools and resources.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(
    hub: &Arc<Hub>,
    info: &Arc<ServerInfo>,
    http_guard: &HttpGuard,
) -> Router<S> {
    let tools = Tools::new(Arc::clone(hub), Arc::clone(info));
    Endpoint::new(hub, http_guard, move || tools.clone()).route(PATH)
}

/// What the public test suite of the protocol calls.
pub(crate) fn fixture_routes<S: Clone + Send + Sync + 'static>(hub: &Arc<Hub>, http_guard: &HttpGuard) -> Router<S> {
    Endpoint::new(hub, http_guard, || Fixtures).route(FIXTURES_PATH)
}
