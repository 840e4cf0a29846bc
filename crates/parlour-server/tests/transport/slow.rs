//! Slow clients and their timeouts.

use std::time::Duration;

use parlour_server::{ServeLimits, ServeOptions};
use tokio::io::AsyncReadExt as _;

use crate::{
    serving::{FIRST, LAST, SHORT, TestServer, read_to_end, read_until, send, soon},
    support::TestApp,
};

#[tokio::test]
async fn a_connection_without_bytes_is_closed() {
    let hub = TestServer::with_limits(|limits| limits.head_time_max = SHORT).await;
    let mut silent = hub.connect().await;
    assert_eq!(read_to_end(&mut silent).await, "");
    hub.end().await;
}

#[tokio::test]
async fn an_incomplete_head_is_timed_out() {
    let hub = TestServer::with_limits(|limits| limits.head_time_max = SHORT).await;
    for beginning in
        ["G", "PRI * HTTP/2.0\r\n", "GET /hello HTTP/1.1\r\nhost: x\r\n", "\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    {
        let mut slow = hub.connect().await;
        send(&mut slow, beginning).await;
        assert!(!read_to_end(&mut slow).await.contains("200 OK"), "{beginning:?}");
    }
    hub.end().await;
}

#[tokio::test]
async fn a_slow_head_is_timed_out() {
    let hub = TestServer::with_limits(|limits| limits.head_time_max = SHORT).await;
    let (mut read, mut write) = hub.connect().await.into_split();
    let dripping = tokio::spawn(async move {
        let mut head = std::iter::once("GET /hello HTTP/1.1\r\nhost: x\r\nx: ").chain(std::iter::repeat("y"));
        let mut pace = tokio::time::interval(Duration::from_millis(1));
        while tokio::io::AsyncWriteExt::write_all(&mut write, head.next().expect("endless").as_bytes()).await.is_ok() {
            pace.tick().await;
        }
    });
    let _ = soon(read.read_to_end(&mut Vec::new())).await;
    soon(dripping).await.expect("no panic");
    hub.end().await;
}

#[tokio::test]
async fn an_idle_connection_has_its_own_timeout() {
    let hub = TestServer::with_limits(|limits| limits.idle_time_max = SHORT).await;
    let mut idle = hub.connect().await;
    send(&mut idle, FIRST).await;
    let answer = read_to_end(&mut idle).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("hello"), "{answer}");
    hub.end().await;
}

#[tokio::test]
async fn the_head_timeout_does_not_close_an_idle_connection() {
    let hub = TestServer::with_limits(|limits| limits.head_time_max = SHORT).await;
    let mut idle = hub.connect().await;
    send(&mut idle, FIRST).await;
    read_until(&mut idle, "hello").await;
    // Waits longer than the head timeout: until this later connection is closed.
    read_to_end(&mut hub.connect().await).await;
    send(&mut idle, LAST).await;
    assert!(read_to_end(&mut idle).await.ends_with("hello"));
    hub.end().await;
}

#[tokio::test]
async fn an_incomplete_later_head_is_timed_out() {
    let hub = TestServer::with_limits(|limits| limits.head_time_max = SHORT).await;
    let mut slow = hub.connect().await;
    send(&mut slow, FIRST).await;
    read_until(&mut slow, "hello").await;
    send(&mut slow, "GET /hello HTTP/1.1\r\n").await;
    assert_eq!(read_to_end(&mut slow).await, "");
    hub.end().await;
}

#[tokio::test]
async fn a_stalled_body_ends_request_and_connection() {
    let hub = TestServer::with_limits(|limits| limits.body_time_max = SHORT).await;
    let mut slow = hub.connect().await;
    send(&mut slow, "POST /length HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf").await;
    let answer = read_to_end(&mut slow).await;
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    hub.end().await;
}

#[tokio::test]
async fn a_stalled_body_is_refused_with_its_code() {
    let app = TestApp::new().await;
    let limits = ServeLimits { body_time_max: SHORT, ..ServeLimits::default() };
    let hub = TestServer::serve(app.router.clone(), ServeOptions { limits, ..ServeOptions::default() }).await;
    let mut slow = hub.connect().await;
    let head = format!(
        "POST /projects HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{",
        TestApp::ADMIN
    );
    send(&mut slow, &head).await;
    let answer = read_to_end(&mut slow).await;
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("PARLOUR-S05"), "{answer}");
    hub.end().await;
}

#[tokio::test]
async fn a_chunked_body_arrives_complete() {
    let hub = TestServer::with_limits(|_| {}).await;
    let mut stream = hub.connect().await;
    send(&mut stream, "POST /length HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 9\r\n\r\n").await;
    for piece in ["one", "two", "six"] {
        send(&mut stream, piece).await;
    }
    assert!(read_to_end(&mut stream).await.ends_with("\r\n\r\n9"));
    hub.end().await;
}
