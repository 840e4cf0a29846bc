//! Malformed and incomplete requests over a TCP connection.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::populated_hub::PopulatedHub;

/// A populated hub that listens on a port.
struct ListeningHub {
    hub: PopulatedHub,
    address: SocketAddr,
    stop: CancellationToken,
    serving: JoinHandle<std::io::Result<()>>,
}

impl ListeningHub {
    async fn new() -> Self {
        let hub = PopulatedHub::new().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (address, stop) = (listener.local_addr().expect("address"), CancellationToken::new());
        let serving = tokio::spawn(parlour_server::serve(listener, hub.app.router.clone(), stop.clone()));
        Self { hub, address, stop, serving }
    }

    /// Sends these bytes, closes the sending side, and reads until the hub closes.
    async fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.expect("connected");
        // The hub may close before it has read everything; only its response counts.
        let _ = stream.write_all(bytes).await;
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Stops the hub and waits until all requests have ended.
    async fn stop(self) -> PopulatedHub {
        self.stop.cancel();
        self.serving.await.expect("joined").expect("served");
        self.hub
    }
}

/// A description and the bytes. The hub may answer with 4xx or close the connection, but never with 5xx.
const MALFORMED_REQUESTS: &[(&str, &[u8])] = &[
    ("noise", b"\0\x01\x02\x03\xff\xfe\r\n\r\n"),
    ("the start of a TLS handshake", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    ("a word", b"hello\r\n\r\n"),
    ("no version", b"GET /health\r\n\r\n"),
    ("an unknown version", b"GET /health HTTP/9.9\r\n\r\n"),
    ("a blank in the address", b"GET /he alth HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("bytes in the address", b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("NUL in the address", b"GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("no address", b"GET  HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a header without a colon", b"GET /health HTTP/1.1\r\nHost\r\n\r\n"),
    ("a header with a blank in its name", b"GET /health HTTP/1.1\r\nBad Name: x\r\n\r\n"),
    ("a header with NUL", b"GET /health HTTP/1.1\r\nHost: a\0b\r\n\r\n"),
    ("a folded header line", b"GET /health HTTP/1.1\r\nHost: localhost\r\n b\r\n\r\n"),
    ("a length that is none", b"POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n"),
    ("a length below nothing", b"POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
    ("a length with a sign", b"POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: +2\r\n\r\n{}"),
    ("a huge length", b"POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n"),
    ("two lengths", b"POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
    ("an unknown coding", b"POST /messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: zip\r\n\r\n"),
    (
        "a chunk without a length",
        b"POST /messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    ),
    (
        "a huge chunk",
        b"POST /messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\n{}\r\n",
    ),
    ("half a preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n"),
    ("a preface with noise behind", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnoise noise noise noise"),
    ("the whole hub", b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
    ("a tunnel", b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\nConnection: close\r\n\r\n"),
    ("another host", b"GET http://example.org/me HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n"),
    ("an upgrade", b"GET /me HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"),
    ("half a head", b"GET /health HTTP/1.1\r\nHost: localhost\r\n"),
    ("nothing", b""),
];

fn check_no_server_error(what: &str, answer: &str) {
    for status in answer.lines().filter_map(|line| line.strip_prefix("HTTP/1.1 ")) {
        assert!(status.starts_with('4'), "{what}: {answer}");
    }
}

#[tokio::test]
async fn malformed_requests_cause_no_server_error_and_change_nothing() {
    let listening = ListeningHub::new().await;
    let before = listening.hub.ends().await;
    for (what, bytes) in MALFORMED_REQUESTS {
        check_no_server_error(what, &listening.exchange(bytes).await);
    }
    let many = "X-A: b\r\n".repeat(1_000);
    let long = "a".repeat(100_000);
    for head in [format!("Host: {long}"), format!("Authorization: Bearer {long}"), many] {
        let request = format!("GET /me HTTP/1.1\r\n{head}\r\n\r\n");
        check_no_server_error("a long head", &listening.exchange(request.as_bytes()).await);
    }
    check_no_server_error(
        "a long address",
        &listening.exchange(format!("GET /{long} HTTP/1.1\r\n\r\n").as_bytes()).await,
    );
    let answer = listening.exchange(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let hub = listening.stop().await;
    assert_eq!(hub.ends().await, before);
}

/// Each request would be answered with success if it had only one length.
#[tokio::test]
async fn a_request_with_a_length_and_chunks_is_refused() {
    let listening = ListeningHub::new().await;
    let hub = &listening.hub;
    let before = hub.ends().await;
    let token = hub.token("mara").expect("a token");
    let json = hub.fill("{\"channel_id\":\"$channel\",\"body\":\"smuggled\"}");
    let chunks = format!("{:x}\r\n{json}\r\n0\r\n\r\n", json.len());
    let head = format!(
        "POST /messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    );
    let other = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (earlier, lengths, answers) in [
        ("", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", vec!["400"]),
        ("", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", vec!["400"]),
        (other, "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", vec!["200", "400"]),
    ] {
        let answer = listening.exchange(format!("{earlier}{head}{lengths}\r\n{chunks}{other}").as_bytes()).await;
        assert_eq!(statuses(&answer), answers, "{answer}");
        assert!(answer.contains("PARLOUR-I14"), "{answer}");
    }
    let hub = listening.stop().await;
    assert_eq!(hub.ends().await, before);
}

#[tokio::test]
async fn only_http_1_0_needs_no_host() {
    let listening = ListeningHub::new().await;
    let answer = listening.exchange(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    assert_eq!(statuses(&answer), ["400"], "{answer}");
    let absolute = listening.exchange(b"GET http://localhost/health HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    assert_eq!(statuses(&absolute), ["400"], "{absolute}");
    // The sending side stays open: hyper drops the response to an HTTP/1.0 client that closes it.
    let mut stream = TcpStream::connect(listening.address).await.expect("connected");
    stream.write_all(b"GET /health HTTP/1.0\r\n\r\n").await.expect("sent");
    let mut old = String::new();
    stream.read_to_string(&mut old).await.expect("answered");
    assert_eq!(statuses(&old), ["200"], "{old}");
    listening.stop().await;
}

/// The statuses of all responses.
fn statuses(answer: &str) -> Vec<&str> {
    let is_status = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    answer.split("HTTP/1.").skip(1).filter_map(|rest| rest.get(2..5)).filter(is_status).collect()
}

#[tokio::test]
async fn an_incomplete_request_stores_nothing() {
    let listening = ListeningHub::new().await;
    let hub = &listening.hub;
    let before = hub.ends().await;
    let token = hub.token("mara").expect("a token");
    let json = hub.fill("{\"channel_id\":\"$channel\",\"body\":\"x\"}");
    let upload = hub.fill("/artifacts?project_id=$project&filename=a.txt&conversation_id=$channel");
    let head = |address: &str, media: &str| {
        format!(
            "POST {address} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: {media}\r\n"
        )
    };
    let posts = [
        format!("{}Content-Length: {}\r\n\r\n{json}", head("/messages", "application/json"), json.len() + 1),
        format!(
            "{}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{json}\r\n",
            head("/messages", "application/json"),
            json.len()
        ),
        format!(
            "{}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{json}",
            head("/messages", "application/json"),
            json.len()
        ),
        format!("{}Content-Length: 9\r\n\r\nhalf", head(&upload, "text/plain")),
        format!("{}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", head(&upload, "text/plain")),
        format!("{}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n", head(&upload, "text/plain")),
    ];
    for post in &posts {
        check_no_server_error(post, &listening.exchange(post.as_bytes()).await);
    }
    let hub = listening.stop().await;
    assert_eq!(hub.ends().await, before);
    let incoming = hub.app.folder.path().join("blobs/incoming");
    assert_eq!(std::fs::read_dir(incoming).expect("folder").count(), 0, "an upload left something behind");
}
