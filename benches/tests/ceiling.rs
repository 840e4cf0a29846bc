//! The ceiling stores and pages texts, and acknowledged texts survive a kill.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

/// A running ceiling; dropping it kills the process.
struct Ceiling {
    child: Child,
    address: String,
}

impl Ceiling {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ceiling"))
            .args(["--listen", "127.0.0.1:0", "--data"])
            .arg(folder)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("start");
        let mut first = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut first).expect("a first line");
        let address = first.trim().strip_prefix("Listening on http://").expect("an address").to_owned();
        Self { child, address }
    }

    /// Sends one request on its own connection; returns the status and the body.
    fn call(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("connect");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
        .expect("send");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        (head[9..12].parse().expect("a status"), body.to_owned())
    }

    fn post(&self, text: &str) -> Value {
        let (status, body) = self.call("POST", "/messages", &json!({ "body": text }).to_string());
        assert_eq!(status, 201);
        serde_json::from_str(&body).expect("JSON")
    }

    fn bodies(&self, query: &str) -> Vec<String> {
        let (status, body) = self.call("GET", &format!("/messages{query}"), "");
        assert_eq!(status, 200);
        let page: Value = serde_json::from_str(&body).expect("JSON");
        let items = page["items"].as_array().expect("items");
        items.iter().map(|item| item["body"].as_str().expect("a body").to_owned()).collect()
    }
}

impl Drop for Ceiling {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn messages_are_numbered_without_gaps_and_paged_newest_first() {
    let folder = tempfile::tempdir().expect("folder");
    let ceiling = Ceiling::start(folder.path(), &[]);
    for (text, seq) in [("one", 1), ("two", 2), ("three", 3)] {
        assert_eq!(ceiling.post(text), json!({ "seq": seq }));
    }
    assert_eq!(ceiling.bodies(""), ["three", "two", "one"]);
    assert_eq!(ceiling.bodies("?before=3&limit=1"), ["two"]);
}

#[test]
fn an_acknowledged_message_survives_a_kill() {
    let folder = tempfile::tempdir().expect("folder");
    Ceiling::start(folder.path(), &[]).post("kept");
    assert_eq!(Ceiling::start(folder.path(), &[]).bodies(""), ["kept"]);
}

#[test]
fn concurrent_senders_get_different_numbers() {
    let folder = tempfile::tempdir().expect("folder");
    let ceiling = Ceiling::start(folder.path(), &["--sync", "normal"]);
    let mut numbers: Vec<i64> = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..8).map(|_| scope.spawn(|| ceiling.post("at once")["seq"].as_i64())).collect();
        senders.into_iter().filter_map(|sender| sender.join().expect("no panic")).collect()
    });
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
}

#[test]
fn an_invalid_message_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let ceiling = Ceiling::start(folder.path(), &[]);
    assert_eq!(ceiling.call("POST", "/messages", "{}").0, 422);
    assert_eq!(ceiling.bodies(""), Vec::<String>::new());
}
