//! Refused WebSocket handshakes.

use axum::http::header;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{
    clients::Socket,
    serving::{LiveHub, soon},
};

/// Sends a request as it is, and reads the answer until the hub closes the connection.
async fn exchange(hub: &LiveHub, head: &str) -> String {
    let mut stream = hub.connect().await;
    stream.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).await.expect("sent");
    let mut answer = String::new();
    soon(stream.read_to_string(&mut answer)).await.expect("read");
    answer
}

#[tokio::test]
async fn a_request_without_the_upgrade_headers_is_refused() {
    let hub = LiveHub::new().await;
    hub.app.get("/live").await.expect_problem("PARLOUR-I13", None);
    for (headers, words) in [
        ("", "Upgrade: websocket"),
        ("upgrade: h2c\r\nsec-websocket-version: 13\r\n", "Upgrade: websocket"),
        ("upgrade: websocket\r\n", "Connection: Upgrade"),
    ] {
        let answer = exchange(&hub, &format!("GET /live HTTP/1.1\r\nhost: localhost\r\n{headers}")).await;
        assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("PARLOUR-I13"), "{answer}");
        assert!(answer.contains(words), "{answer}");
    }
    hub.end().await;
}

#[tokio::test]
async fn a_handshake_of_another_version_is_refused() {
    let hub = LiveHub::new().await;
    for (name, value) in [("sec-websocket-version", "8"), ("sec-websocket-key", "short"), ("upgrade", "h2c")] {
        assert_eq!(Socket::try_open(&hub, "", &[(name, value)]).await.err(), Some(400), "{name}");
    }
    hub.end().await;
}

#[tokio::test]
async fn live_parameters_are_checked() {
    let hub = LiveHub::new().await;
    for query in ["?projekt=x", "?project_id=chn_1", "?after=a-1", "?project_id=prj_1&after=x"] {
        assert_eq!(Socket::try_open(&hub, query, &[]).await.err(), Some(400), "{query}");
    }
    hub.app.get("/events").await.expect_problem("PARLOUR-I09", Some("project_id"));
    hub.end().await;
}

#[tokio::test]
async fn a_foreign_page_can_open_neither_a_socket_nor_a_stream() {
    let hub = LiveHub::new().await;
    let path = format!("/events{}", hub.query(""));
    for origin in ["http://evil.example", "null", "https://127.0.0.1"] {
        assert_eq!(Socket::try_open(&hub, "", &[("origin", origin)]).await.err(), Some(403), "{origin}");
        let host = hub.address.to_string();
        let call = hub.app.get(&path).header(header::HOST, &host).header(header::ORIGIN, origin);
        call.await.expect_problem("PARLOUR-A03", None);
    }
    let own = format!("http://{}", hub.address);
    assert!(Socket::try_open(&hub, "", &[("origin", &own)]).await.is_ok());
    hub.end().await;
}
