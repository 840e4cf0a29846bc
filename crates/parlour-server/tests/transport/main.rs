//! The transport over real connections: TLS, client certificates, slow peers, and how many there may be.

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
