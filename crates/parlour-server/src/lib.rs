//! The HTTP server of Parlour: REST API, live events, MCP, API description and web pages.
//!
//! A handler is thin: extractors parse the request into core types or refuse it, one call to the hub does the work, and
//! the response is the serde form of the core. Every failure becomes an [`http_error`] and reaches the client as a problem
//! document with the request id. This crate does not depend on any adapter.
//!
//! | module | content |
//! |---|---|
//! | `routes` | the table of all paths, with one file per resource |
//! | `extract` | strict parsing of credentials, parameters and bodies |
//! | `live` | WebSockets and server-sent events |
//! | `mcp` | tools and resources for agents |
//! | `http_guard` | host names, origins, cookies and trusted proxies |
//! | `middleware` | request id, log line, time limit and audit of refused changes |
//! | `rate_limits` | charges requests and writes the `RateLimit` headers |
//! | `serve` | connections, TLS and shutdown |

mod app;
mod assets;
mod extract;
#[cfg(test)]
mod fuzz;
mod http_error;
mod http_guard;
mod live;
mod mcp;
mod middleware;
mod openapi;
mod rate_limits;
mod routes;
mod serve;

pub use app::{ServerInfo, app, app_with_fixtures};
pub use http_error::error_pages;
pub use http_guard::{
    ClientAddress, Hosts, HttpGuard, InvalidHosts, InvalidOrigins, InvalidProxies, Origins, PeerAddress,
    PeerCertificate, Proxies,
};
pub use openapi::{openapi, openapi_json};
pub use serve::{ServeLimits, ServeOptions, Tls, TlsError, TlsFileError, TlsFiles, serve, serve_with};
