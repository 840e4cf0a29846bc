//! A minimal HTTP/1.1 client with little CPU cost, to load a server on the same machine.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The maximum length of a response; a page of the largest messages is shorter.
const ANSWER_BYTES_MAX: usize = 32 * 1024 * 1024;

/// A persistent connection.
pub(super) struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The needed fields of a response head.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    bytes: usize,
    body_bytes: usize,
}

impl Wire {
    /// Connects to a server on this machine.
    pub(super) async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("connect to {address}"))?;
        stream.set_nodelay(true).context("send without delay")?;
        Ok(Self { stream, buffer: Vec::with_capacity(64 * 1024) })
    }

    /// Sends one request and reads the whole response. A response that is not a success becomes an error with its body.
    pub(super) async fn call(&mut self, request: &[u8]) -> Result<&[u8]> {
        self.stream.write_all(request).await.context("send a request")?;
        self.buffer.clear();
        let head = self.read_head().await?;
        let end = head.bytes + head.body_bytes;
        ensure!(end <= ANSWER_BYTES_MAX, "the answer has {end} bytes");
        while self.buffer.len() < end {
            self.read_more().await?;
        }
        let body = &self.buffer[head.bytes..end];
        if !(200..300).contains(&head.status) {
            bail!("the server answered {}: {}", head.status, String::from_utf8_lossy(body));
        }
        Ok(body)
    }

    async fn read_head(&mut self) -> Result<Head> {
        loop {
            self.read_more().await?;
            if let Some(head) = parse_head(&self.buffer)? {
                return Ok(head);
            }
            ensure!(self.buffer.len() < ANSWER_BYTES_MAX, "the head of the answer has no end");
        }
    }

    async fn read_more(&mut self) -> Result<()> {
        let count = self.stream.read_buf(&mut self.buffer).await.context("read an answer")?;
        ensure!(count > 0, "the server closed the connection");
        Ok(())
    }
}

/// Returns `None` until the head is complete.
fn parse_head(bytes: &[u8]) -> Result<Option<Head>> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let text = std::str::from_utf8(&bytes[..end]).context("read the head of an answer")?;
    let mut lines = text.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok());
    let body_bytes = lines.filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok()).flatten()
    });
    Ok(Some(Head {
        status: status.context("the answer is not HTTP/1.1")?,
        bytes: end + 4,
        body_bytes: body_bytes.context("the answer does not say how long it is")?,
    }))
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
        thread::JoinHandle,
    };

    use super::*;

    #[test]
    fn content_length_is_case_insensitive() {
        let head = parse_head(b"HTTP/1.1 201 Created\r\nX: y\r\nCONTENT-length: 7\r\n\r\n{").expect("a head");
        assert_eq!(head, Some(Head { status: 201, bytes: 49, body_bytes: 7 }));
    }

    #[test]
    fn an_incomplete_head_is_not_parsed() {
        assert_eq!(parse_head(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n").expect("no error"), None);
    }

    #[test]
    fn a_response_without_length_or_of_another_protocol_is_refused() {
        assert!(parse_head(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").is_err());
        assert!(parse_head(b"SSH-2.0\r\nContent-Length: 1\r\n\r\n").is_err());
    }

    /// Answers one connection with these parts, then closes it.
    fn server(pieces: &'static [&'static str]) -> (SocketAddr, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
        let address = listener.local_addr().expect("address");
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("accept");
            let mut request = [0; 256];
            let _ = stream.read(&mut request).expect("a request");
            pieces.iter().for_each(|piece| stream.write_all(piece.as_bytes()).expect("answer"));
        });
        (address, answering)
    }

    async fn answer_of(pieces: &'static [&'static str]) -> Result<Vec<u8>> {
        let (address, answering) = server(pieces);
        let mut wire = Wire::connect(address).await?;
        let answer = wire.call(b"GET / HTTP/1.1\r\n\r\n").await.map(<[u8]>::to_vec);
        answering.join().expect("no panic");
        answer
    }

    #[tokio::test]
    async fn a_response_in_several_reads_is_assembled() {
        let pieces = &["HTTP/1.1 200 OK\r\nContent-", "Length: 5\r\n\r", "\nhel", "lo"];
        assert_eq!(answer_of(pieces).await.expect("an answer"), b"hello");
    }

    #[tokio::test]
    async fn an_error_status_is_an_error_with_the_body() {
        let error = answer_of(&["HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nlater"]).await.expect_err("a refusal");
        assert_eq!(error.to_string(), "the server answered 503: later");
    }

    #[tokio::test]
    async fn a_closed_connection_is_an_error() {
        let error = answer_of(&["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"]).await.expect_err("no answer");
        assert_eq!(error.to_string(), "the server closed the connection");
    }
}
