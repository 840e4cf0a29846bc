//! A place on the web that answers what it was told, and counts how often it was asked.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// What is answered at a path.
#[derive(Clone)]
pub(crate) enum Answer {
    /// This, with status 200.
    Body(String),
    /// Only this status line and head.
    Head(&'static str),
    /// More and more bytes, without an end.
    Endless,
    /// Nothing at all, with the connection kept open.
    Silence,
}

/// A server on a port of its own; it ends with this value.
pub(crate) struct Place {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    answers: BTreeMap<String, Answer>,
    asked: Vec<String>,
}

impl Place {
    pub(crate) async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&shared)));
            }
        });
        Self { url, state, task }
    }

    /// Says what is answered at a path from now on.
    pub(crate) fn put(&self, path: &str, answer: Answer) {
        self.state.lock().expect("lock").answers.insert(path.to_owned(), answer);
    }

    /// The paths that were asked for since this was asked last.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().expect("lock").asked)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, state: Arc<Mutex<State>>) {
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
    let _ = match found.unwrap_or(Answer::Head("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")) {
        Answer::Body(body) => {
            stream.write_all(format!("{ok}content-length: {}\r\n\r\n{body}", body.len()).as_bytes()).await
        }
        Answer::Head(head) => stream.write_all(head.as_bytes()).await,
        Answer::Endless => {
            let _ = stream.write_all(format!("{ok}\r\n").as_bytes()).await;
            while stream.write_all(&[b' '; 4096]).await.is_ok() {}
            Ok(())
        }
        Answer::Silence => stream.read_u8().await.map(drop),
    };
}
