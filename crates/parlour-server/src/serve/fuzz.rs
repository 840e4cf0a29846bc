//! Fuzz targets of the connection parsers.

use axum::http::HeaderName;
use parlour_core::fuzz::FuzzTarget;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};

use crate::{fuzz::headers, http_guard::client_address};

pub(crate) const TARGETS: &[FuzzTarget] = &[("forwarded", forwarded), ("pem", pem)];

fn forwarded(bytes: &[u8]) {
    let (name, peer) = (HeaderName::from_static("x-forwarded-for"), "10.0.0.7".parse().expect("an address"));
    let headers = headers(&name, bytes);
    let trusting = "10.0.0.7".parse().expect("a list");
    client_address(&trusting, peer, &headers);
    let alone = client_address(&crate::http_guard::Proxies::default(), peer, &headers);
    assert_eq!(alone.0, peer, "without a trusted proxy the peer is the client");
}

fn pem(bytes: &[u8]) {
    assert!(CertificateDer::pem_slice_iter(bytes).take(1_000).count() <= bytes.len());
    let _ = PrivateKeyDer::from_pem_slice(bytes);
}
