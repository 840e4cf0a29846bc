//! Opens live connections without a library.

use std::{io::Write as _, net::SocketAddr};

use anyhow::{Context, Result, bail, ensure};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

/// The maximum length of a response head.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// The parameters of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) address: SocketAddr,
    pub(crate) path: String,
    pub(crate) token: Option<String>,
    /// Whether it is a WebSocket; otherwise it is an event stream.
    pub(crate) is_socket: bool,
    /// Size of the receive buffer of a reader that does not read; the default would hold megabytes.
    pub(crate) receive_bytes: Option<u32>,
}

/// Connects; returns the connection and the bytes after the response head.
pub(crate) async fn connect(opening: &Opening) -> Result<(TcpStream, Vec<u8>)> {
    let socket = TcpSocket::new_v4().context("make a socket")?;
    if let Some(bytes) = opening.receive_bytes {
        socket.set_recv_buffer_size(bytes).context("set the receive buffer")?;
    }
    let mut stream =
        socket.connect(opening.address).await.with_context(|| format!("connect to {}", opening.address))?;
    stream.set_nodelay(true).context("send without delay")?;
    stream.write_all(&request(opening)).await.context("ask for live frames")?;
    let mut answer = Vec::new();
    let end = loop {
        let count = stream.read_buf(&mut answer).await.context("read the answer")?;
        ensure!(count > 0 && answer.len() <= HEAD_BYTES_MAX, "the server did not open {}", opening.path);
        if let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let expected = if opening.is_socket { b"HTTP/1.1 101" } else { b"HTTP/1.1 200" };
    if !answer.starts_with(expected) {
        bail!("the server answered {} with: {}", opening.path, String::from_utf8_lossy(&answer));
    }
    Ok((stream, answer.split_off(end)))
}

fn request(opening: &Opening) -> Vec<u8> {
    let mut out = Vec::new();
    let kind = if opening.is_socket {
        // The key is not verified: the benchmark started the server itself.
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    } else {
        "Accept: text/event-stream\r\n"
    };
    let (path, address) = (&opening.path, opening.address);
    let token = opening.token.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    write!(out, "GET {path} HTTP/1.1\r\nHost: {address}\r\n{kind}{token}\r\n").expect("a vector takes everything");
    out
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
    };

    use super::*;

    fn opening(address: SocketAddr) -> Opening {
        Opening {
            address,
            path: "/live".into(),
            token: Some("secret".into()),
            is_socket: true,
            receive_bytes: Some(4_096),
        }
    }

    async fn opened(answer: &'static str) -> Result<Vec<u8>> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
        let address = listener.local_addr().expect("address");
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("accept");
            let mut request = [0; 1_024];
            let count = stream.read(&mut request).expect("a request");
            stream.write_all(answer.as_bytes()).expect("answer");
            String::from_utf8_lossy(&request[..count]).into_owned()
        });
        let result = connect(&opening(address)).await.map(|(_, rest)| rest);
        let request = server.join().expect("no panic");
        assert!(request.starts_with("GET /live HTTP/1.1\r\n") && request.contains("Bearer secret"), "{request}");
        result
    }

    #[tokio::test]
    async fn bytes_after_the_response_head_are_kept() {
        assert_eq!(opened("HTTP/1.1 101 Switching\r\nX: y\r\n\r\nfirst").await.expect("open"), b"first");
    }

    #[tokio::test]
    async fn a_refused_upgrade_is_an_error_with_the_response() {
        let error = opened("HTTP/1.1 401 No\r\n\r\nnobody").await.expect_err("a refusal");
        assert!(error.to_string().contains("nobody"), "{error}");
    }

    #[tokio::test]
    async fn a_closed_connection_is_an_error() {
        assert!(opened("HTTP/1.1 101").await.is_err());
    }
}
