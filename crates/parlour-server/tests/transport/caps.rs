//! Limits of open connections, in total and per address.

use parlour_server::{ServeLimits, ServeOptions};
use tokio::net::TcpStream;

use crate::{
    serving::{FIRST, LAST, SHORT, TestServer, ask, read_to_end, read_until, send, soon},
    support::TestApp,
};

/// The handshake of an unauthenticated WebSocket.
const UPGRADE: &str = "GET /live HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
    sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// An open connection after one response.
async fn hold(hub: &TestServer) -> TcpStream {
    let mut stream = hub.connect().await;
    send(&mut stream, FIRST).await;
    read_until(&mut stream, "hello").await;
    stream
}

/// The response on a new connection; empty when it is closed at once.
async fn knock(hub: &TestServer) -> String {
    let mut stream = hub.connect().await;
    // It may be closed before the request is out.
    let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, LAST.as_bytes()).await;
    read_to_end(&mut stream).await
}

/// Connects until a connection is accepted.
async fn knock_until_open(hub: &TestServer) {
    soon(async { while knock(hub).await.is_empty() {} }).await;
}

#[tokio::test]
async fn connections_over_the_limit_of_an_address_are_closed() {
    let hub = TestServer::with_limits(|limits| limits.connections_per_address_max = 2).await;
    let held = [hold(&hub).await, hold(&hub).await];
    assert_eq!(knock(&hub).await, "");
    drop(held);
    knock_until_open(&hub).await;
    hub.end().await;
}

#[tokio::test]
async fn a_trusted_proxy_is_exempt_from_the_limit_per_address() {
    let limits = ServeLimits { connections_per_address_max: 1, ..ServeLimits::default() };
    let proxies = "127.0.0.0/8".parse().expect("a net");
    let hub = TestServer::start(ServeOptions { limits, proxies, tls: None }).await;
    let _held = [hold(&hub).await, hold(&hub).await];
    assert!(knock(&hub).await.ends_with("hello"));
    hub.end().await;
}

#[tokio::test]
async fn a_connection_over_the_total_limit_waits() {
    let hub = TestServer::with_limits(|limits| limits.connections_max = 1).await;
    let mut held = hold(&hub).await;
    let address = hub.address;
    let waiting = tokio::spawn(async move {
        let mut stream = TcpStream::connect(address).await.expect("connected");
        ask(&mut stream, "/hello", "").await
    });
    for _ in 0..20 {
        send(&mut held, FIRST).await;
        read_until(&mut held, "hello").await;
        assert!(!waiting.is_finished());
    }
    drop(held);
    assert_eq!(soon(waiting).await.expect("no panic"), "hello");
    hub.end().await;
}

#[tokio::test]
async fn a_closed_connection_frees_its_slot() {
    let hub = TestServer::with_limits(|limits| {
        limits.connections_max = 1;
        limits.head_time_max = SHORT;
    })
    .await;
    let silent = hub.connect().await;
    assert_eq!(ask(&mut hub.connect().await, "/hello", "").await, "hello");
    drop(silent);
    hub.end().await;
}

#[tokio::test]
async fn a_socket_holds_its_slot_until_it_ends() {
    let app = TestApp::new().await;
    let limits = ServeLimits { connections_per_address_max: 1, ..ServeLimits::default() };
    let hub = TestServer::serve(app.router.clone(), ServeOptions { limits, ..ServeOptions::default() }).await;
    let mut socket = hub.connect().await;
    send(&mut socket, UPGRADE).await;
    let head = read_until(&mut socket, "\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    assert_eq!(knock(&hub).await, "");
    drop(socket);
    knock_until_open(&hub).await;
    hub.end().await;
}
