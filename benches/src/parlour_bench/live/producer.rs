//! The producer of one answer: streams it token by token over a WebSocket.

use anyhow::{Context, Result, ensure};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{
    frames::{Frame, Scanner, write_pong, write_text},
    socket::{Opening, connect},
};

/// Size of the read buffer.
const READ_BYTES: usize = 16 * 1024;

/// A connection that streams one answer.
pub(crate) struct Producer {
    stream: TcpStream,
    answer: Option<String>,
    scanner: Scanner,
    responses: Responses,
    out: Vec<u8>,
}

/// The responses of the server.
#[derive(Default)]
struct Responses {
    done: usize,
    refusal: Option<String>,
    pongs: Vec<u8>,
}

impl Producer {
    /// Connects. `answer` is the message id in the hub; the ceiling has none.
    pub(crate) async fn connect(opening: &Opening, answer: Option<String>) -> Result<Self> {
        let (stream, first) = connect(opening).await?;
        let mut producer =
            Self { stream, answer, scanner: Scanner::default(), responses: Responses::default(), out: Vec::new() };
        producer.parse(&first)?;
        Ok(producer)
    }

    /// The message id of the answer.
    pub(crate) fn answer(&self) -> Option<&str> {
        self.answer.as_deref()
    }

    /// Sends the next token, which needs no JSON escapes.
    pub(crate) async fn send(&mut self, token: &str) -> Result<()> {
        self.read_available()?;
        self.out.clear();
        match &self.answer {
            Some(id) => {
                let frame = format!(r#"{{"type":"chunk","message_id":"{id}","text":"{token}"}}"#);
                write_text(&mut self.out, frame.as_bytes());
            }
            None => write_text(&mut self.out, token.as_bytes()),
        }
        self.out.append(&mut self.responses.pongs);
        self.stream.write_all(&self.out).await.context("send a token")
    }

    /// Waits until the hub has acknowledged this many tokens; the ceiling acknowledges none.
    pub(crate) async fn wait_for(&mut self, tokens: usize) -> Result<()> {
        let mut buffer = vec![0; READ_BYTES];
        while self.answer.is_some() && self.responses.done < tokens {
            let count = self.stream.read(&mut buffer).await.context("read the response to a token")?;
            ensure!(count > 0, "the server closed the connection of a producer");
            self.parse(&buffer[..count])?;
        }
        Ok(())
    }

    fn read_available(&mut self) -> Result<()> {
        let mut buffer = [0; READ_BYTES];
        while let Ok(count) = self.stream.try_read(&mut buffer) {
            ensure!(count > 0, "the server closed the connection of a producer");
            self.parse(&buffer[..count])?;
        }
        Ok(())
    }

    fn parse(&mut self, bytes: &[u8]) -> Result<()> {
        let responses = &mut self.responses;
        self.scanner.feed(bytes, |frame| match frame {
            Frame::Text(text) if text.starts_with(br#"{"type":"ok""#) => responses.done += 1,
            Frame::Text(text) if text.starts_with(br#"{"type":"refused""#) => {
                responses.refusal = Some(String::from_utf8_lossy(text).into_owned());
            }
            Frame::Ping(payload) => write_pong(&mut responses.pongs, payload),
            _ => {}
        })?;
        ensure!(
            responses.refusal.is_none(),
            "a token was refused: {}",
            responses.refusal.as_deref().unwrap_or_default()
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::{SocketAddr, TcpListener},
        thread::JoinHandle,
    };

    use super::*;

    /// A server that accepts one connection, sends this frame, and returns the bytes it received until the client closed.
    fn server(text: &'static str) -> (SocketAddr, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
        let address = listener.local_addr().expect("address");
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("accept");
            let _ = stream.read(&mut [0; 1_024]).expect("a request");
            let mut answer = b"HTTP/1.1 101 Switching\r\n\r\n\x81".to_vec();
            answer.push(u8::try_from(text.len()).expect("short"));
            answer.extend_from_slice(text.as_bytes());
            stream.write_all(&answer).expect("answer");
            let mut responses = Vec::new();
            let _ = stream.read_to_end(&mut responses);
            String::from_utf8_lossy(&responses).into_owned()
        });
        (address, served)
    }

    async fn producer(address: SocketAddr, answer: Option<&str>) -> Result<Producer> {
        let opening = Opening { address, path: "/live".into(), token: None, is_socket: true, receive_bytes: None };
        Producer::connect(&opening, answer.map(str::to_owned)).await
    }

    #[tokio::test]
    async fn tokens_are_sent_to_the_answer_and_acknowledged() {
        let (address, served) = server(r#"{"type":"ok"}"#);
        let mut producer = producer(address, Some("msg_1")).await.expect("connect");
        producer.send("word ").await.expect("send");
        producer.wait_for(1).await.expect("taken");
        drop(producer);
        let responses = served.join().expect("no panic");
        assert!(responses.contains(r#"{"type":"chunk","message_id":"msg_1","text":"word "}"#), "{responses}");
    }

    #[tokio::test]
    async fn the_ceiling_gets_plain_tokens_and_acknowledges_nothing() {
        let (address, served) = server("{}");
        let mut producer = producer(address, None).await.expect("connect");
        producer.send("word ").await.expect("send");
        producer.wait_for(1).await.expect("nothing to wait for");
        drop(producer);
        let responses = served.join().expect("no panic");
        assert!(responses.ends_with("word ") && !responses.contains('{'), "{responses}");
    }

    #[tokio::test]
    async fn a_refused_token_ends_the_benchmark() {
        let (address, served) = server(r#"{"type":"refused","code":"PARLOUR-X"}"#);
        let outcome = match producer(address, Some("msg_1")).await {
            Ok(mut producer) => producer.wait_for(1).await,
            Err(error) => Err(error),
        };
        assert!(outcome.expect_err("a refusal").to_string().contains("PARLOUR-X"));
        drop(served);
    }
}
