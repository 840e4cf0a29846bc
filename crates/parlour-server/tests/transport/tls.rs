//! TLS versions, ALPN, certificate reloading and timeouts.

use std::time::Duration;

use parlour_server::ServeLimits;
use rustls::{ProtocolVersion, version::TLS12, version::TLS13};

use crate::{
    authority::{Files, TestAuthority, VERSIONS, options, shake_hands, shown},
    serving::{FIRST, LAST, SHORT, TestServer, ask, read_to_end, read_until, send},
};

#[tokio::test]
async fn tls_1_2_and_1_3_are_supported() {
    let authority = TestAuthority::new("tests");
    let hub = TestServer::start(options(&Files::new(&authority.hub(), None).load())).await;
    for (version, expected) in [(&TLS12, ProtocolVersion::TLSv1_2), (&TLS13, ProtocolVersion::TLSv1_3)] {
        let mut stream = shake_hands(&hub, &authority.config(&[version], &[], None)).await.expect("hands shaken");
        assert_eq!(stream.get_ref().1.protocol_version(), Some(expected));
        assert_eq!(ask(&mut stream, "/hello", "").await, "hello");
    }
    hub.end().await;
}

#[tokio::test]
async fn http2_is_negotiated_when_the_client_supports_it() {
    let authority = TestAuthority::new("tests");
    let hub = TestServer::start(options(&Files::new(&authority.hub(), None).load())).await;
    for (offered, chosen) in [
        (&[b"h2".as_slice(), b"http/1.1"][..], Some(b"h2".as_slice())),
        (&[b"http/1.1"], Some(b"http/1.1")),
        (&[], None),
    ] {
        let stream = shake_hands(&hub, &authority.config(&VERSIONS, offered, None)).await.expect("hands shaken");
        assert_eq!(stream.get_ref().1.alpn_protocol(), chosen);
    }
    hub.end().await;
}

#[tokio::test]
async fn a_reloaded_certificate_applies_to_new_connections() {
    let authority = TestAuthority::new("tests");
    let (old, new) = (authority.hub(), authority.hub());
    let files = Files::new(&old, None);
    let tls = files.load();
    let hub = TestServer::start(options(&tls)).await;
    let config = authority.config(&VERSIONS, &[], None);
    let mut open = shake_hands(&hub, &config).await.expect("hands shaken");
    send(&mut open, FIRST).await;
    read_until(&mut open, "hello").await;

    files.write(&new);
    tls.reload().expect("a good pair");

    let later = shake_hands(&hub, &config).await.expect("hands shaken");
    assert_eq!((shown(&open), shown(&later)), (old.certificate.der().clone(), new.certificate.der().clone()));
    send(&mut open, LAST).await;
    assert!(read_to_end(&mut open).await.ends_with("hello"));
    hub.end().await;
}

#[tokio::test]
async fn a_broken_certificate_is_not_loaded() {
    let authority = TestAuthority::new("tests");
    let (old, other) = (authority.hub(), authority.hub());
    let files = Files::new(&old, None);
    let tls = files.load();
    let hub = TestServer::start(options(&tls)).await;
    files.write(&crate::authority::CertificateAndKey { certificate: other.certificate, key: authority.hub().key });
    tls.reload().expect_err("the key does not fit");
    let stream = shake_hands(&hub, &authority.config(&VERSIONS, &[], None)).await.expect("hands shaken");
    assert_eq!(shown(&stream), old.certificate.der().clone());
    hub.end().await;
}

#[tokio::test]
async fn plain_http_on_a_tls_port_is_answered_with_a_hint() {
    let hub = TestServer::start(options(&Files::new(&TestAuthority::new("tests").hub(), None).load())).await;
    let mut plain = hub.connect().await;
    send(&mut plain, LAST).await;
    let answer = read_to_end(&mut plain).await;
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("https://"), "{answer}");
    hub.end().await;
}

#[tokio::test]
async fn an_incomplete_handshake_is_timed_out() {
    let files = Files::new(&TestAuthority::new("tests").hub(), None);
    let limits = ServeLimits { handshake_time_max: SHORT, ..ServeLimits::default() };
    let hub = TestServer::start(parlour_server::ServeOptions { limits, ..options(&files.load()) }).await;
    let mut silent = hub.connect().await;
    assert_eq!(read_to_end(&mut silent).await, "");
    let mut slow = hub.connect().await;
    send(&mut slow, "\u{16}\u{3}\u{1}").await;
    assert_eq!(read_to_end(&mut slow).await, "");
    hub.end().await;
}

#[tokio::test]
async fn a_connection_without_a_request_after_the_handshake_is_closed() {
    let authority = TestAuthority::new("tests");
    let limits = ServeLimits { head_time_max: SHORT, ..ServeLimits::default() };
    let tls = Files::new(&authority.hub(), None).load();
    let hub = TestServer::start(parlour_server::ServeOptions { limits, ..options(&tls) }).await;
    let config = authority.config(&VERSIONS, &[], None);
    let mut silent = shake_hands(&hub, &config).await.expect("hands shaken");
    assert_eq!(read_to_end(&mut silent).await, "");
    hub.end().await;
}

#[tokio::test]
async fn a_slow_handshake_does_not_delay_other_connections() {
    let authority = TestAuthority::new("tests");
    let limits = ServeLimits { handshake_time_max: Duration::from_secs(3_600), ..ServeLimits::default() };
    let tls = Files::new(&authority.hub(), None).load();
    let hub = TestServer::start(parlour_server::ServeOptions { limits, ..options(&tls) }).await;
    let _slow = hub.connect().await;
    let mut stream = shake_hands(&hub, &authority.config(&VERSIONS, &[], None)).await.expect("hands shaken");
    assert_eq!(ask(&mut stream, "/hello", "").await, "hello");
    hub.end().await;
}
