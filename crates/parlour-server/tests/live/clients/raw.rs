//! A WebSocket client that writes its frames byte by byte.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::serving::{LiveHub, soon};

/// The mask of every frame.
const MASK: [u8; 4] = [0x12, 0x34, 0x56, 0x78];

/// A connection after the handshake.
pub(crate) struct Raw(TcpStream);

/// A frame of the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) opcode: u8,
    pub(crate) is_final: bool,
    pub(crate) payload: Vec<u8>,
}

impl Frame {
    /// The code of a close frame.
    pub(crate) fn code(&self) -> Option<u16> {
        Some(u16::from_be_bytes(self.payload.get(..2)?.try_into().expect("two bytes")))
    }
}

/// A masked frame; `first` is its first byte: flags and opcode.
pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        length @ 0..=125 => bytes.push(0x80 | length as u8),
        length @ 126..=65_535 => {
            bytes.push(0x80 | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
        length => {
            bytes.push(0x80 | 127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend(MASK);
    bytes.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

impl Raw {
    /// Opens a socket with this token and reads the handshake response.
    pub(crate) async fn open(hub: &LiveHub, token: &str, query: &str) -> Self {
        Self::open_over(hub.connect().await, token, query).await
    }

    pub(crate) async fn open_over(mut stream: TcpStream, token: &str, query: &str) -> Self {
        let head = format!(
            "GET /live{query} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: Upgrade\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(soon(stream.read_u8()).await.expect("an answer"));
        }
        let answer = String::from_utf8(answer).expect("UTF-8");
        assert!(answer.starts_with("HTTP/1.1 101 "), "{answer}");
        assert!(answer.to_lowercase().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="), "{answer}");
        Self(stream)
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        soon(self.0.write_all(bytes)).await.expect("sent");
    }

    /// The next frame; `None` when the hub has closed the connection.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        let first = soon(self.0.read_u8()).await.ok()?;
        let second = soon(self.0.read_u8()).await.ok()?;
        assert_eq!((first & 0x70, second & 0x80), (0, 0), "a hub sets no reserved bit and no mask");
        let length = match second {
            126 => usize::from(soon(self.0.read_u16()).await.expect("a length")),
            127 => usize::try_from(soon(self.0.read_u64()).await.expect("a length")).expect("it fits"),
            length => usize::from(length),
        };
        let mut payload = vec![0; length];
        soon(self.0.read_exact(&mut payload)).await.ok()?;
        Some(Frame { opcode: first & 0x0f, is_final: first & 0x80 != 0, payload })
    }

    /// The close frame; others are skipped. The hub closes the connection after the client has answered.
    pub(crate) async fn closed(mut self) -> Frame {
        loop {
            let next = self.next().await.expect("a close frame comes before the end");
            if next.opcode == 8 {
                self.send(&frame(0x88, &next.payload)).await;
                assert_eq!(self.next().await, None, "nothing comes after the close");
                return next;
            }
        }
    }
}
