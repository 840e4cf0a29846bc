//! The transport over TCP connections: TLS, client certificates, slow clients, connection limits.

#[path = "../support/mod.rs"]
mod support;

mod authority;
mod caps;
mod client_certificates;
mod http2;
mod proxies;
mod serving;
mod slow;
mod tls;
