//! An HTTP server with configured answers that records the requested paths.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// The response for a path.
#[derive(Clone)]
pub(crate) enum HttpAnswer {
    /// This body with status 200.
    Body(String),
    /// Only this status line with headers.
    Head(&'static str),
    /// An endless body.
    Endless,
    /// No response; the connection stays open.
    Silence,
}

/// A server on a free port that stops when it is dropped.
pub(crate) struct KeyServer {
    pub(crate) url: String,
    state: Arc<Mutex<KeyServerState>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct KeyServerState {
    answers: BTreeMap<String, HttpAnswer>,
    asked: Vec<String>,
}

impl KeyServer {
    pub(crate) async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let state = Arc::new(Mutex::new(KeyServerState::default()));
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&shared)));
            }
        });
        Self { url, state, task }
    }

    /// Sets the response for a path.
    pub(crate) fn put(&self, path: &str, answer: HttpAnswer) {
        self.state.lock().expect("lock").answers.insert(path.to_owned(), answer);
    }

    /// The paths that were requested since the last call.
    pub(crate) fn requested_paths(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().expect("lock").asked)
    }
}

impl Drop for KeyServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, state: Arc<Mutex<KeyServerState>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        head.push(byte);
    }
    let path = String::from_utf8_lossy(&head).split(' ').nth(1).unwrap_or_default().to_owned();
    let found = {
        let mut state = state.lock().expect("lock");
        state.asked.push(path.clone());
        state.answers.get(&path).cloned()
    };
    let ok = "HTTP/1.1 200 OK\r\nconnection: close\r\n";
    let _ = match found.unwrap_or(HttpAnswer::Head("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")) {
        HttpAnswer::Body(body) => {
            stream.write_all(format!("{ok}content-length: {}\r\n\r\n{body}", body.len()).as_bytes()).await
        }
        HttpAnswer::Head(head) => stream.write_all(head.as_bytes()).await,
        HttpAnswer::Endless => {
            let _ = stream.write_all(format!("{ok}\r\n").as_bytes()).await;
            while stream.write_all(&[b' '; 4096]).await.is_ok() {}
            Ok(())
        }
        HttpAnswer::Silence => stream.read_u8().await.map(drop),
    };
}
