//! Who is at the other end of a connection, as the transport knows it. It hands it on as
//! extensions of each request.

use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr},
};

use axum::{extract::FromRequestParts, http::request::Parts};

/// The SHA-256 of the client certificate in DER that the connection was made with; a trusted authority has signed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerCertificate(pub [u8; 32]);

/// The address that the connection comes from. Behind a proxy it is the proxy's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);

/// The address of the client: that of the connection or, behind trusted proxies, the one that they name. Rates are
/// counted against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl Default for ClientAddress {
    /// A request that came by no connection, as in tests, comes from this machine.
    fn default() -> Self {
        Self(Ipv4Addr::LOCALHOST.into())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().copied().unwrap_or_default())
    }
}
