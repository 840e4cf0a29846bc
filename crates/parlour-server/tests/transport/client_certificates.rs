//! Client certificates.

use std::fs;

use sha2::{Digest as _, Sha256};

use crate::{
    authority::{CertificateAndKey, Files, TestAuthority, VERSIONS, options, shake_hands},
    serving::{TestServer, ask, hex},
};

/// The response to a client with the certificate `own`; `None` when the handshake fails.
async fn seen_fingerprint(
    hub: &TestServer,
    authority: &TestAuthority,
    own: Option<&CertificateAndKey>,
) -> Option<String> {
    let mut stream = shake_hands(hub, &authority.config(&VERSIONS, &[], own)).await.ok()?;
    // In TLS 1.3 the handshake of the client succeeds before the server rejects its certificate.
    Some(ask(&mut stream, "/certificate", "").await).filter(|answer| !answer.is_empty())
}

fn fingerprint(pair: &CertificateAndKey) -> String {
    hex(&Sha256::digest(pair.certificate.der()))
}

#[tokio::test]
async fn a_request_contains_the_client_certificate() {
    let authority = TestAuthority::new("tests");
    let hub = TestServer::start(options(&Files::new(&authority.hub(), Some(&authority)).load())).await;
    for name in ["coder", "critic"] {
        let own = authority.client(name);
        assert_eq!(seen_fingerprint(&hub, &authority, Some(&own)).await, Some(fingerprint(&own)));
    }
    hub.end().await;
}

#[tokio::test]
async fn a_client_without_a_certificate_can_connect() {
    let authority = TestAuthority::new("tests");
    let hub = TestServer::start(options(&Files::new(&authority.hub(), Some(&authority)).load())).await;
    assert_eq!(seen_fingerprint(&hub, &authority, None).await.as_deref(), Some("none"));
    hub.end().await;
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused() {
    let (authority, stranger) = (TestAuthority::new("tests"), TestAuthority::new("strangers"));
    let hub = TestServer::start(options(&Files::new(&authority.hub(), Some(&authority)).load())).await;
    assert_eq!(seen_fingerprint(&hub, &authority, Some(&stranger.client("coder"))).await, None);
    let impostor = TestAuthority::new("tests");
    assert_eq!(
        seen_fingerprint(&hub, &authority, Some(&impostor.client("coder"))).await,
        None,
        "the same name, another key"
    );
    hub.end().await;
}

#[tokio::test]
async fn a_server_certificate_is_refused_as_client_certificate() {
    let authority = TestAuthority::new("tests");
    let hub = TestServer::start(options(&Files::new(&authority.hub(), Some(&authority)).load())).await;
    assert_eq!(seen_fingerprint(&hub, &authority, Some(&authority.hub())).await, None);
    hub.end().await;
}

#[tokio::test]
async fn without_client_authorities_certificates_are_ignored() {
    let authority = TestAuthority::new("tests");
    let hub = TestServer::start(options(&Files::new(&authority.hub(), None).load())).await;
    assert_eq!(seen_fingerprint(&hub, &authority, Some(&authority.client("coder"))).await.as_deref(), Some("none"));
    hub.end().await;
}

#[tokio::test]
async fn reloaded_authorities_apply_to_new_connections() {
    let (authority, other) = (TestAuthority::new("tests"), TestAuthority::new("others"));
    let files = Files::new(&authority.hub(), Some(&authority));
    let tls = files.load();
    let hub = TestServer::start(options(&tls)).await;
    let own = other.client("coder");
    assert_eq!(seen_fingerprint(&hub, &authority, Some(&own)).await, None);
    fs::write(files.tls.client_authorities.as_ref().expect("a file"), other.pem()).expect("written");
    tls.reload().expect("good files");
    assert_eq!(seen_fingerprint(&hub, &authority, Some(&own)).await, Some(fingerprint(&own)));
    hub.end().await;
}
