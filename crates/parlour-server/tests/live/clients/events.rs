//! A client of server-sent events that parses the raw bytes.

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
};

use crate::{
    serving::{LiveHub, soon},
    support::Member,
};

/// An open stream of events.
pub(crate) struct Events {
    stream: BufReader<TcpStream>,
    pub(crate) head: String,
    unread: String,
}

/// One event block of the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) data: Option<Value>,
    pub(crate) comment: Option<String>,
    pub(crate) retry: Option<String>,
}

impl Event {
    fn read(block: &str) -> Self {
        let mut event = Self::default();
        for line in block.lines() {
            let (field, value) = line.split_once(": ").expect("a field");
            match field {
                "id" => event.id = Some(value.to_owned()),
                "event" => event.name = Some(value.to_owned()),
                "data" => event.data = Some(serde_json::from_str(value).expect("JSON")),
                "retry" => event.retry = Some(value.to_owned()),
                "" => event.comment = Some(value.to_owned()),
                other => unreachable!("no field of this kind: {other}"),
            }
        }
        event
    }

    /// The frame in it.
    pub(crate) fn json(&self) -> &Value {
        self.data.as_ref().expect("data")
    }
}

impl Events {
    pub(crate) async fn open(hub: &LiveHub, member: &Member, query: &str) -> Self {
        Self::open_with(hub, member, query, "").await
    }

    /// Opens a stream with further headers.
    pub(crate) async fn open_with(hub: &LiveHub, member: &Member, query: &str, headers: &str) -> Self {
        Self::open_over(hub.connect().await, member, query, headers).await
    }

    /// Opens a stream over this connection.
    pub(crate) async fn open_over(stream: TcpStream, member: &Member, query: &str, headers: &str) -> Self {
        let token = &member.token;
        Self::open_by(stream, query, &format!("authorization: Bearer {token}\r\n{headers}")).await
    }

    /// Opens a stream with these headers only.
    pub(crate) async fn open_by(stream: TcpStream, query: &str, headers: &str) -> Self {
        let mut stream = BufReader::new(stream);
        let request = format!("GET /events{query} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(soon(stream.read_line(&mut head)).await.expect("read") > 0, "{head}");
        }
        Self { stream, head, unread: String::new() }
    }

    /// The response head, which may be a refusal.
    pub(crate) async fn open_head(hub: &LiveHub, member: &Member, query: &str) -> String {
        Self::open(hub, member, query).await.head
    }

    /// The next block; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.unread.split_once("\n\n") {
                let event = Event::read(block);
                self.unread = rest.to_owned();
                return Some(event);
            }
            let piece = soon(self.read_piece()).await;
            if piece.is_empty() {
                assert_eq!(self.unread, "", "the stream broke off");
                return None;
            }
            self.unread += &piece;
        }
    }

    /// One chunk of the chunked body (RFC 9112, 7.1).
    async fn read_piece(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.expect("a length");
        let length = usize::from_str_radix(line.trim_end(), 16).expect("a length");
        let mut piece = vec![0; length + 2];
        self.stream.read_exact(&mut piece).await.expect("a piece");
        piece.truncate(length);
        String::from_utf8(piece).expect("UTF-8")
    }

    /// The next event of this name; others are skipped.
    pub(crate) async fn until(&mut self, name: &str) -> Event {
        loop {
            let event = self.next().await.expect("an event");
            if event.name.as_deref() == Some(name) {
                return event;
            }
        }
    }

    /// The close code of the last event; fails if anything follows.
    pub(crate) async fn ended(mut self) -> u64 {
        let end = self.until("end").await;
        assert_eq!(self.next().await, None);
        end.json()["code"].as_u64().expect("a code")
    }
}
