//! Who is at the other end of a connection, as the transport knows it. It hands both on as extensions of each request.

use std::net::IpAddr;

/// The SHA-256 of the client certificate in DER that the connection was made with; a trusted authority has signed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerCertificate(pub [u8; 32]);

/// The address that the connection comes from. Behind a proxy it is the proxy's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);
