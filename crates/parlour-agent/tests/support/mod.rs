//! A stand-in for a hub: it gives prepared answers one after another and remembers what it was asked.

#![allow(dead_code, reason = "every test file takes what it needs")]

use parlour_core::id::ProjectId;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// What the stand-in does with one request.
#[derive(Clone, Debug)]
pub(crate) enum ScriptedReply {
    /// Answers with this status and body.
    With(u16, String),
    /// Hangs up without a word, after it has read the request.
    HangUp,
    /// Sends the caller elsewhere.
    Redirect(String),
}

/// One request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReceivedRequest {
    /// Method and path with its query.
    pub(crate) line: String,
    /// The value of `Authorization`.
    pub(crate) authorization: Option<String>,
    /// The body.
    pub(crate) body: String,
}

/// A running stand-in; it ends with the test's runtime.
pub(crate) struct ScriptedServer {
    /// Where it listens.
    pub(crate) url: String,
    asked: watch::Receiver<Vec<ReceivedRequest>>,
}

impl ScriptedServer {
    /// Starts one that gives these answers, one for each connection.
    pub(crate) async fn answering(replies: Vec<ScriptedReply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let (record, asked) = watch::channel(Vec::new());
        tokio::spawn(async move {
            for reply in replies {
                let (stream, _) = listener.accept().await.expect("a caller");
                let request = serve_once(stream, &reply).await;
                record.send_modify(|asked| asked.push(request));
            }
        });
        Self { url, asked }
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<ReceivedRequest> {
        self.asked.borrow().clone()
    }

    /// Waits until it was asked so often.
    pub(crate) async fn until_asked(&self, times: usize) {
        let mut asked = self.asked.clone();
        asked.wait_for(|asked| asked.len() >= times).await.expect("it is still asked");
    }
}

/// A posted message in this state, as the API shows it.
pub(crate) fn message(state: &str, body: &str) -> Value {
    json!({
        "id": "msg_7", "project_id": ProjectId::from_bits(1), "type": "channel",
        "to": "chn_1", "seq": 3, "from": {"type": "person", "id": "per_1", "name": "Mara"},
        "kind": "user", "body": body, "importance": "normal", "blocking": false, "state": state,
        "reason": (state == "cancelled").then_some("enough"),
        "context": {"project_id": ProjectId::from_bits(1)}, "created_at": "2026-11-15T09:12:00.000Z",
        "position": "E1-12",
    })
}

/// A no of the hub.
pub(crate) fn problem(status: u16, code: &str, retryable: bool) -> ScriptedReply {
    let body = json!({
        "type": format!("/errors/{code}"), "code": code, "title": "T", "detail": "because", "status": status,
        "retryable": retryable,
    });
    ScriptedReply::With(status, body.to_string())
}

async fn serve_once(stream: TcpStream, reply: &ScriptedReply) -> ReceivedRequest {
    let mut stream = BufReader::new(stream);
    let asked = read_request(&mut stream).await;
    let head = match reply {
        ScriptedReply::With(status, body) => format!("{status} X\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
        ScriptedReply::Redirect(url) => format!("302 X\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n"),
        ScriptedReply::HangUp => return asked,
    };
    let answer = format!("HTTP/1.1 {}", head.replacen("\r\n", "\r\nConnection: close\r\n", 1));
    stream.get_mut().write_all(answer.as_bytes()).await.expect("the caller waits");
    asked
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> ReceivedRequest {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.expect("a request");
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let header = |name: &str| {
        let found = head.iter().skip(1).filter_map(|line| line.split_once(": "));
        found.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let length = header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.expect("the announced body");
    ReceivedRequest {
        line: head[0].trim_end_matches(" HTTP/1.1").to_owned(),
        authorization: header("authorization"),
        body: String::from_utf8(body).expect("JSON is UTF-8"),
    }
}
