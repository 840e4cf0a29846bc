//! The producer of one answer, who says it token by token over a WebSocket.

use anyhow::{Context, Result, ensure};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{
    frames::{Frame, Scanner, write_pong, write_text},
    socket::{Opening, connect},
};

/// Bytes that are read at once.
const READ_BYTES: usize = 16 * 1024;

/// A connection that feeds one answer.
pub(crate) struct Feeder {
    stream: TcpStream,
    answer: Option<String>,
    scanner: Scanner,
    heard: Heard,
    out: Vec<u8>,
}

/// What the server has said to it.
#[derive(Default)]
struct Heard {
    done: usize,
    refusal: Option<String>,
    pongs: Vec<u8>,
}

impl Feeder {
    /// Connects; the answer is the hub's id of it, and the ceiling has none.
    pub(crate) async fn connect(opening: &Opening, answer: Option<String>) -> Result<Self> {
        let (stream, first) = connect(opening).await?;
        let mut feeder = Self { stream, answer, scanner: Scanner::default(), heard: Heard::default(), out: Vec::new() };
        feeder.hear(&first)?;
        Ok(feeder)
    }

    /// The answer that it feeds.
    pub(crate) fn answer(&self) -> Option<&str> {
        self.answer.as_deref()
    }

    /// Says the next token, which holds nothing that JSON would escape.
    pub(crate) async fn feed(&mut self, token: &str) -> Result<()> {
        self.hear_what_is_there()?;
        self.out.clear();
        match &self.answer {
            Some(id) => {
                let frame = format!(r#"{{"type":"chunk","message_id":"{id}","text":"{token}"}}"#);
                write_text(&mut self.out, frame.as_bytes());
            }
            None => write_text(&mut self.out, token.as_bytes()),
        }
        self.out.append(&mut self.heard.pongs);
        self.stream.write_all(&self.out).await.context("say a token")
    }

    /// Waits until the hub has taken so many tokens; the ceiling answers nothing.
    pub(crate) async fn settle(&mut self, tokens: usize) -> Result<()> {
        let mut buffer = vec![0; READ_BYTES];
        while self.answer.is_some() && self.heard.done < tokens {
            let count = self.stream.read(&mut buffer).await.context("hear what came of a token")?;
            ensure!(count > 0, "the server closed the connection of a producer");
            self.hear(&buffer[..count])?;
        }
        Ok(())
    }

    fn hear_what_is_there(&mut self) -> Result<()> {
        let mut buffer = [0; READ_BYTES];
        while let Ok(count) = self.stream.try_read(&mut buffer) {
            ensure!(count > 0, "the server closed the connection of a producer");
            self.hear(&buffer[..count])?;
        }
        Ok(())
    }

    fn hear(&mut self, bytes: &[u8]) -> Result<()> {
        let heard = &mut self.heard;
        self.scanner.feed(bytes, |frame| match frame {
            Frame::Text(text) if text.starts_with(br#"{"type":"ok""#) => heard.done += 1,
            Frame::Text(text) if text.starts_with(br#"{"type":"refused""#) => {
                heard.refusal = Some(String::from_utf8_lossy(text).into_owned());
            }
            Frame::Ping(payload) => write_pong(&mut heard.pongs, payload),
            _ => {}
        })?;
        ensure!(heard.refusal.is_none(), "a token was refused: {}", heard.refusal.as_deref().unwrap_or_default());
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

    /// A server that opens one connection, says this frame, and returns what it has heard until the client left.
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
            let mut heard = Vec::new();
            let _ = stream.read_to_end(&mut heard);
            String::from_utf8_lossy(&heard).into_owned()
        });
        (address, served)
    }

    async fn feeder(address: SocketAddr, answer: Option<&str>) -> Result<Feeder> {
        let opening = Opening { address, path: "/live".into(), token: None, is_socket: true, receive_bytes: None };
        Feeder::connect(&opening, answer.map(str::to_owned)).await
    }

    #[tokio::test]
    async fn tokens_go_to_the_answer_and_are_waited_for() {
        let (address, served) = server(r#"{"type":"ok"}"#);
        let mut feeder = feeder(address, Some("msg_1")).await.expect("connect");
        feeder.feed("word ").await.expect("feed");
        feeder.settle(1).await.expect("taken");
        drop(feeder);
        let heard = served.join().expect("no panic");
        assert!(heard.contains(r#"{"type":"chunk","message_id":"msg_1","text":"word "}"#), "{heard}");
    }

    #[tokio::test]
    async fn the_ceiling_gets_the_bare_token_and_answers_nothing() {
        let (address, served) = server("{}");
        let mut feeder = feeder(address, None).await.expect("connect");
        feeder.feed("word ").await.expect("feed");
        feeder.settle(1).await.expect("nothing to wait for");
        drop(feeder);
        let heard = served.join().expect("no panic");
        assert!(heard.ends_with("word ") && !heard.contains('{'), "{heard}");
    }

    #[tokio::test]
    async fn a_refused_token_ends_the_benchmark() {
        let (address, served) = server(r#"{"type":"refused","code":"PARLOUR-X"}"#);
        let outcome = match feeder(address, Some("msg_1")).await {
            Ok(mut feeder) => feeder.settle(1).await,
            Err(error) => Err(error),
        };
        assert!(outcome.expect_err("a refusal").to_string().contains("PARLOUR-X"));
        drop(served);
    }
}
