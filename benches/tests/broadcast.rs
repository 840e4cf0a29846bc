//! The live part of the ceiling: every listener gets every text in order, and nothing is stored.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

/// A running ceiling; dropping it kills the process.
struct Ceiling {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

/// A listener; its frames are shorter than 126 bytes.
struct Listener {
    stream: BufReader<TcpStream>,
}

impl Ceiling {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let mut child = Command::new(env!("CARGO_BIN_EXE_ceiling"))
            .arg("--data")
            .arg(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("start");
        let mut first = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut first).expect("a first line");
        let address = first.trim().strip_prefix("Listening on http://").expect("an address").to_owned();
        Self { child, address, _folder: folder }
    }

    /// Sends a request and reads the response head.
    fn open(&self, request: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).expect("connect");
        stream.write_all(request.as_bytes()).expect("send");
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).expect("a head") > 0, "the head has an end");
        }
        reader
    }

    fn socket(&self, path: &str) -> Listener {
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==";
        Listener { stream: self.open(&format!("GET {path} HTTP/1.1\r\nHost: x\r\n{upgrade}\r\n\r\n")) }
    }

    fn post(&self, body: &str) {
        let body = json!({ "body": body }).to_string();
        let length = body.len();
        self.open(&format!(
            "POST /broadcast HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
    }
}

impl Drop for Ceiling {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Listener {
    fn next(&mut self) -> Value {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).expect("a frame");
        let mut payload = vec![0; usize::from(head[1])];
        self.stream.read_exact(&mut payload).expect("a payload");
        serde_json::from_slice(&payload).expect("JSON")
    }

    /// Sends a short text with a mask of zeros.
    fn say(&mut self, text: &str) {
        let mut frame = vec![0x81, 0x80 | u8::try_from(text.len()).expect("short"), 0, 0, 0, 0];
        frame.extend_from_slice(text.as_bytes());
        self.stream.get_mut().write_all(&frame).expect("send");
    }
}

#[test]
fn every_listener_gets_every_message_in_order() {
    let ceiling = Ceiling::start();
    let mut listeners = [ceiling.socket("/live"), ceiling.socket("/live")];
    for listener in &mut listeners {
        assert_eq!(listener.next(), json!({ "type": "live" }));
    }
    ceiling.post("one");
    ceiling.post("two");
    for listener in &mut listeners {
        assert_eq!(listener.next(), json!({ "type": "message", "seq": 1, "body": "one" }));
        assert_eq!(listener.next(), json!({ "type": "message", "seq": 2, "body": "two" }));
    }
}

#[test]
fn every_token_becomes_a_frame() {
    let ceiling = Ceiling::start();
    let (mut listener, mut producer) = (ceiling.socket("/live"), ceiling.socket("/feed"));
    listener.next();
    for token in ["to", "ken"] {
        producer.say(token);
        assert_eq!(listener.next(), json!({ "type": "chunk", "text": token }));
    }
}

#[test]
fn an_event_stream_has_the_same_frames() {
    let ceiling = Ceiling::start();
    let mut events = ceiling.open("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut next = || {
        let mut line = String::new();
        while !line.starts_with("data: ") {
            line.clear();
            assert!(events.read_line(&mut line).expect("an event") > 0, "the stream goes on");
        }
        line
    };
    assert_eq!(next().trim(), r#"data: {"type":"live"}"#);
    ceiling.post("one");
    assert_eq!(next().trim(), r#"data: {"type":"message","seq":1,"body":"one"}"#);
}

#[test]
fn a_broadcast_without_listeners_succeeds() {
    let ceiling = Ceiling::start();
    ceiling.post("unheard");
    let mut listener = ceiling.socket("/live");
    assert_eq!(listener.next(), json!({ "type": "live" }));
    ceiling.post("heard");
    assert_eq!(listener.next()["seq"], 2);
}
