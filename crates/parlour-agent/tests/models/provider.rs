//! A stand-in for a provider: it plays one script for each connection and remembers what it was asked.

use parlour_agent::engines::models::{Interface, ModelEngine, ModelSettings, RequestLimits, Secret};
use serde_json::Value;
use std::time::Duration;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// The key that every engine here has, so that any text can be searched for it.
pub(crate) const KEY: &str = "key-0123456789abcdef";

/// What the stand-in does next with its connection.
#[derive(Clone, Debug)]
pub(crate) enum ProviderReply {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Waits until the test has counted this far, see [`FakeProvider::go`].
    Wait(u32),
    /// Says nothing more and waits until the other side has left.
    Stall,
}

/// One request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct ProviderRequest {
    pub(crate) line: String,
    pub(crate) head: Vec<String>,
    pub(crate) body: Value,
}

impl ProviderRequest {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.iter().filter_map(|line| line.split_once(": "));
        pairs.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// A running stand-in; it ends with the test's runtime.
pub(crate) struct FakeProvider {
    pub(crate) url: String,
    asked: watch::Receiver<Vec<ProviderRequest>>,
    left: watch::Receiver<usize>,
    count: watch::Sender<u32>,
}

impl FakeProvider {
    /// Starts one that plays these scripts, one for each connection, and then takes none any more.
    pub(crate) async fn playing(scripts: Vec<Vec<ProviderReply>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let (record, asked) = watch::channel(Vec::new());
        let (leave, left) = watch::channel(0);
        let (count, counted) = watch::channel(0);
        tokio::spawn(async move {
            for script in scripts {
                let (stream, _) = listener.accept().await.expect("a caller");
                let mut stream = BufReader::new(stream);
                let request = read_request(&mut stream).await;
                record.send_modify(|asked| asked.push(request));
                play(stream.into_inner(), script, counted.clone()).await;
                leave.send_modify(|left| *left += 1);
            }
        });
        Self { url, asked, left, count }
    }

    /// One that answers once with these bytes.
    pub(crate) async fn sending(bytes: impl Into<Vec<u8>>) -> Self {
        Self::playing(vec![vec![ProviderReply::Send(bytes.into())]]).await
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<ProviderRequest> {
        self.asked.borrow().clone()
    }

    /// Waits until it was asked so often.
    pub(crate) async fn until_asked(&self, times: usize) {
        self.asked.clone().wait_for(|asked| asked.len() >= times).await.expect("it is still asked");
    }

    /// Waits until so many connections have ended.
    pub(crate) async fn until_left(&self, times: usize) {
        self.left.clone().wait_for(|left| *left >= times).await.expect("they end");
    }

    /// Lets scripts go on that wait for this count.
    pub(crate) fn go(&self, count: u32) {
        self.count.send_replace(count);
    }

    /// An engine that asks it, without pauses between its tries.
    pub(crate) fn engine(&self, interface: Interface) -> ModelEngine {
        self.engine_with(interface, |_| {})
    }

    /// An engine with other settings.
    pub(crate) fn engine_with(&self, interface: Interface, change: impl FnOnce(&mut ModelSettings)) -> ModelEngine {
        let quick =
            RequestLimits { pause_first: Duration::ZERO, pause_max: Duration::ZERO, ..RequestLimits::default() };
        let mut settings = ModelSettings {
            base_url: self.url.clone(),
            key: Some(Secret::new(KEY)),
            request_limits: quick,
            ..ModelSettings::new(interface, "small")
        };
        change(&mut settings);
        ModelEngine::new(settings).expect("an engine")
    }
}

/// The head of an answer that is a stream of events.
pub(crate) fn events_head() -> Vec<u8> {
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n".to_vec()
}

/// A whole answer that is a stream of these bytes.
pub(crate) fn events(body: &[u8]) -> Vec<u8> {
    [events_head(), body.to_vec()].concat()
}

/// A whole answer with a status, further headers and a body.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

/// An event of chat completions with this text.
pub(crate) fn says(text: &str) -> Vec<u8> {
    let chunk = serde_json::json!({ "choices": [{ "delta": { "content": text } }] });
    format!("data: {chunk}\n\n").into_bytes()
}

/// The end of a whole answer of chat completions.
pub(crate) const DONE: &[u8] = b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

async fn play(mut stream: TcpStream, script: Vec<ProviderReply>, mut counted: watch::Receiver<u32>) {
    for act in script {
        match act {
            // Whoever has left early does not want the rest.
            ProviderReply::Send(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            ProviderReply::Wait(count) => drop(counted.wait_for(|counted| *counted >= count).await),
            ProviderReply::Stall => {
                let mut rest = [0; 64];
                while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
            }
        }
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> ProviderRequest {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.expect("a request");
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let mut asked =
        ProviderRequest { line: head.remove(0).trim_end_matches(" HTTP/1.1").to_owned(), head, body: Value::Null };
    let length = asked.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.expect("the announced body");
    asked.body = serde_json::from_slice(&body).expect("JSON");
    asked
}
