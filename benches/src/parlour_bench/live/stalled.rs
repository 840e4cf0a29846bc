//! Readers that never read.

use anyhow::Result;
use tokio::{io::AsyncReadExt, net::TcpStream};

use super::{
    frames::{Frame, Scanner},
    socket::{Opening, connect},
};

/// Size of the read buffer when a stalled reader finally reads.
const READ_BYTES: usize = 64 * 1024;

/// Open connections that are not read.
#[derive(Default)]
pub(crate) struct Stalled {
    sockets: Vec<(TcpStream, Vec<u8>)>,
}

impl Stalled {
    /// Opens further connections.
    pub(crate) async fn add(&mut self, openings: &[Opening]) -> Result<()> {
        for opening in openings {
            self.sockets.push(connect(opening).await?);
        }
        Ok(())
    }

    /// The number of connections.
    pub(crate) fn len(&self) -> usize {
        self.sockets.len()
    }

    /// Reads all connections to the end and returns the close code of each, if it has one. Only for
    /// connections that the server has closed; others would block forever.
    pub(crate) async fn wake(self) -> Vec<Option<u16>> {
        let mut codes = Vec::new();
        for (stream, first) in self.sockets {
            codes.push(last_words(stream, &first).await);
        }
        codes
    }
}

async fn last_words(mut stream: TcpStream, first: &[u8]) -> Option<u16> {
    let (mut scanner, mut code) = (Scanner::default(), None);
    let mut note = |frame: Frame<'_>| {
        if let Frame::Close(given) = frame {
            code = given;
        }
    };
    let mut buffer = vec![0; READ_BYTES];
    let mut scanned = scanner.feed(first, &mut note);
    while scanned.is_ok() {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(count) => scanned = scanner.feed(&buffer[..count], &mut note),
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
    };

    use super::*;

    #[tokio::test]
    async fn the_close_code_is_read_after_all_buffered_frames() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
        let address = listener.local_addr().expect("address");
        let server = std::thread::spawn(move || {
            for last in [&[0x88, 2, 0x0F, 0xA0][..], &[]] {
                let (mut stream, _) = listener.accept().expect("accept");
                let _ = stream.read(&mut [0; 1_024]).expect("a request");
                stream.write_all(b"HTTP/1.1 101 Switching\r\n\r\n\x81\x01x\x81\x01y").expect("frames");
                stream.write_all(last).expect("last words");
            }
        });
        let opening = Opening { address, path: "/".into(), token: None, is_socket: true, receive_bytes: None };
        let mut stalled = Stalled::default();
        stalled.add(&[opening.clone(), opening]).await.expect("open");
        server.join().expect("no panic");
        assert_eq!((stalled.len(), stalled.wake().await), (2, vec![Some(4_000), None]));
    }
}
