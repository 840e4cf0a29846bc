//! The surfaces of Parlour: the native HTTP API with its description, its error pages and its documentation.
//!
//! A handler is thin: extractors turn a request into values of the core or refuse it, one call to the hub does the
//! work, and the answer is the serde form of the core. Every refusal leaves through [`denied`] and reaches the
//! client as a problem document with the request's id. No adapter is known here.
//!
//! - `routes` is the table of all addresses, one file below it for each noun.
//! - `extract` reads requests strictly: what is not understood is refused, never guessed or dropped.
//! - `live` holds the surfaces that stay open: server-sent events and WebSockets.
//! - `mcp` holds the tools and resources that agents use.
//! - `borders` says by which names the hub is reached, which pages may speak to it, and what counts of a browser.
//! - `answer` surrounds every request: its id, its log line, its problem document, its headers.

mod answer;
mod app;
mod assets;
mod borders;
mod denied;
mod error_pages;
mod extract;
#[cfg(test)]
mod fuzz;
mod live;
mod mcp;
mod openapi;
mod peer;
mod problem;
mod rates;
mod refused;
mod routes;
mod serve;

pub use app::{ServerInfo, app, app_with_fixtures};
pub use borders::{BadHost, BadOrigin, BadProxy, Borders, Hosts, Origins, Proxies};
pub use error_pages::error_pages;
pub use openapi::{openapi, openapi_json};
pub use peer::{ClientAddress, PeerAddress, PeerCertificate};
pub use serve::{BadFile, BadTls, ServeLimits, ServeOptions, Tls, TlsFiles, serve, serve_with};
