//! What the public test suite of the protocol calls: tools, resources and prompts of fixed names. They are served at an
//! address of their own, and only when tests ask for it.

use rmcp::{
    ServerHandler,
    model::{ServerCapabilities, ServerConfig},
};

/// The fixtures.
#[derive(Clone, Debug, Default)]
pub(super) struct Fixtures;

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}
