//! The hub as the relay speaks with it: one session, and what its headers need.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parlour_core::limits;
use reqwest::{
    Method, RequestBuilder, Response, StatusCode,
    header::{self, CONTENT_TYPE},
};
use serde_json::{Value, json};
use tokio::sync::{Mutex as Turn, mpsc};
use tokio_util::sync::CancellationToken;

use super::line::{self, Line};
use crate::{Client, ClientError, Problem};

const PATH: &str = "/mcp";
const SESSION_ID: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
/// The codes of the protocol for what went wrong on the way, and for what the hub refused.
const AWAY: i64 = -32_000;
const REFUSED: i64 = -32_001;
/// How long one request may take as a whole, the longest wait of a tool included.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(60);
/// How long saying goodbye may take.
const GOODBYE_TIME_MAX: Duration = Duration::from_secs(2);

/// The hub at the other end.
pub(super) struct FarSide {
    client: Client,
    note: fn(&str),
    is_away: AtomicBool,
    session: Mutex<Session>,
    /// Held while a session is begun anew, so that it is begun once.
    renewing: Turn<()>,
    under_way: Mutex<HashMap<String, CancellationToken>>,
}

#[derive(Clone, Debug, Default)]
struct Session {
    id: Option<String>,
    version: Option<String>,
    /// How the client began: with the same words a new session is begun when the hub has forgotten this one.
    opening: Option<Line>,
}

impl FarSide {
    pub(super) fn new(client: Client, note: fn(&str)) -> Self {
        let (is_away, renewing) = (AtomicBool::new(false), Turn::default());
        Self { client, note, is_away, session: Mutex::default(), renewing, under_way: Mutex::default() }
    }

    /// Passes a line to the hub, and all that is answered to `lines`. A request gets an answer in any case.
    pub(super) async fn pass(&self, line: Line, lines: &mpsc::Sender<String>) {
        let cancelled = line.cancels();
        if let Some(wanted) = cancelled.as_ref().and_then(|id| lock(&self.under_way).get(id).cloned()) {
            wanted.cancel();
        }
        let key = line.id().map(Value::to_string);
        let stop = CancellationToken::new();
        key.iter().for_each(|key| drop(lock(&self.under_way).insert(key.clone(), stop.clone())));
        let passed = stop.run_until_cancelled(self.ask(&line, lines)).await;
        key.iter().for_each(|key| drop(lock(&self.under_way).remove(key)));
        if let (Some(Err(trouble)), Some(id)) = (passed, line.id()) {
            let Trouble { code, message, data } = trouble;
            let _ = lines.send(line::error(id, code, &message, data)).await;
        }
    }

    /// Closes the session, if the hub still knows it.
    pub(super) async fn close(&self) {
        let session = lock(&self.session).clone();
        if let Session { id: Some(id), version, .. } = session {
            let request = self.client.request(Method::DELETE, PATH).header(SESSION_ID, id).timeout(GOODBYE_TIME_MAX);
            let request = version.into_iter().fold(request, |request, version| request.header(VERSION, version));
            let _ = request.send().await;
        }
    }

    async fn ask(&self, line: &Line, lines: &mpsc::Sender<String>) -> Result<(), Trouble> {
        let session = lock(&self.session).clone();
        let mut response = self.send(line, &session).await?;
        let is_forgotten = response.status() == StatusCode::NOT_FOUND && line.version().is_none();
        if is_forgotten && !line.opens_session() && session.id.is_some() {
            self.renew(&session).await?;
            let renewed = lock(&self.session).clone();
            response = self.send(line, &renewed).await?;
        }
        self.take(line, response, lines).await
    }

    async fn take(&self, line: &Line, response: Response, lines: &mpsc::Sender<String>) -> Result<(), Trouble> {
        let is_problem =
            response.headers().get(header::CONTENT_TYPE).is_some_and(|sort| sort == "application/problem+json");
        if is_problem {
            return Err(Trouble::refused(response).await);
        }
        let id = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let mut version = None;
        let status = response.status();
        let mut is_answered = false;
        let look = |value: &Value| {
            is_answered |= value.get("id").is_some();
            version = version.take().or_else(|| value["result"]["protocolVersion"].as_str().map(str::to_owned));
        };
        pass(response, lines, look).await?;
        if line.opens_session() {
            *lock(&self.session) = Session { id, version, opening: Some(line.clone()) };
        }
        match line.id() {
            Some(_) if !is_answered => {
                Err(Trouble::new(AWAY, format!("the hub answered with status {status} and nothing else")))
            }
            _ => Ok(()),
        }
    }

    /// Begins a session as the client did. Whoever comes second finds it done.
    async fn renew(&self, forgotten: &Session) -> Result<(), Trouble> {
        let _turn = self.renewing.lock().await;
        if lock(&self.session).id != forgotten.id {
            return Ok(());
        }
        let Some(opening) = forgotten.opening.clone() else { return Ok(()) };
        // The client has had its answer to these words; this one is for the relay alone.
        let (unheard, mut heard) = mpsc::channel(1);
        let response = self.send(&opening, &Session::default()).await?;
        let listening = async { while heard.recv().await.is_some() {} };
        let (taken, ()) = tokio::join!(
            async {
                let taken = self.take(&opening, response, &unheard).await;
                drop(unheard);
                taken
            },
            listening
        );
        taken?;
        let session = lock(&self.session).clone();
        let ready = Line::own(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        self.send(&ready, &session).await.map(drop)
    }

    async fn send(&self, line: &Line, session: &Session) -> Result<Response, Trouble> {
        let request = self.client.request(Method::POST, PATH).timeout(REQUEST_TIME_MAX);
        let request = request
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream");
        let sent = with_headers(request, line, session).body(line.text.clone()).send().await;
        match sent {
            Ok(response) => {
                if self.is_away.swap(false, Ordering::Relaxed) {
                    (self.note)("the hub is back");
                }
                Ok(response)
            }
            Err(error) => {
                let told = Trouble::away(&self.client.unreachable(error));
                if !self.is_away.swap(true, Ordering::Relaxed) {
                    (self.note)(&told.message);
                }
                Err(told)
            }
        }
    }
}

/// A request that names its version needs no session, and says in headers what it is about.
fn with_headers(request: RequestBuilder, line: &Line, session: &Session) -> RequestBuilder {
    if let Some(version) = line.version() {
        let request = request.header(VERSION, version).header("mcp-method", line.method());
        return line.name().into_iter().fold(request, |request, name| request.header("mcp-name", name));
    }
    if line.opens_session() {
        return request;
    }
    let request = session.id.iter().fold(request, |request, id| request.header(SESSION_ID, id));
    session.version.iter().fold(request, |request, version| request.header(VERSION, version))
}

/// Why a request got no answer of the hub's own.
#[derive(Debug)]
struct Trouble {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl Trouble {
    fn new(code: i64, message: String) -> Self {
        Self { code, message, data: None }
    }

    fn away(error: &ClientError) -> Self {
        Self::new(AWAY, format!("{error}; is it running (parlour serve), and is PARLOUR_URL right?"))
    }

    async fn refused(response: Response) -> Self {
        let status = response.status();
        match response.json::<Problem>().await {
            Ok(problem) => {
                Self { data: serde_json::to_value(&problem).ok(), ..Self::new(REFUSED, problem.to_string()) }
            }
            Err(_) => Self::new(REFUSED, format!("the hub refused it with status {status}")),
        }
    }
}

impl From<Broken> for Trouble {
    fn from(Broken(why): Broken) -> Self {
        Self::new(AWAY, why.to_owned())
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why an answer could not be passed on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken(pub(super) &'static str);

/// Passes on what an answer holds, each message as one line; `seen` looks at each first.
pub(super) async fn pass(
    mut response: Response,
    lines: &mpsc::Sender<String>,
    mut seen: impl FnMut(&Value),
) -> Result<(), Broken> {
    let is_stream = response.headers().get(CONTENT_TYPE).is_some_and(|sort| sort == "text/event-stream");
    let mut events = Events::default();
    while let Some(bytes) = response.chunk().await.map_err(|_| Broken("the answer broke off"))? {
        events.take(&bytes)?;
        while is_stream && let Some(text) = events.next() {
            pass_one(&text, lines, &mut seen).await;
        }
    }
    if !is_stream {
        pass_one(&events.rest(), lines, &mut seen).await;
    }
    Ok(())
}

/// What is no JSON says nothing to the client: the beginnings of streams are empty.
async fn pass_one(text: &str, lines: &mpsc::Sender<String>, seen: &mut impl FnMut(&Value)) {
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        seen(&value);
        // Written anew, so that it is one line whatever the hub has sent.
        let _ = lines.send(value.to_string()).await;
    }
}

/// The text of server-sent events, as it comes.
#[derive(Debug, Default)]
struct Events(Vec<u8>);

impl Events {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        if self.0.len() + bytes.len() > limits::MCP_LINE_BYTES_MAX {
            return Err(Broken("the answer is too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    /// The data of the next event that is whole.
    fn next(&mut self) -> Option<String> {
        let is_blank = |pair: &[u8]| pair == b"\n\n";
        let end = self.0.windows(2).position(is_blank)?;
        let event: Vec<u8> = self.0.drain(..end + 2).collect();
        let text = String::from_utf8_lossy(&event).into_owned();
        let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
        Some(data.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n"))
    }

    fn rest(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_however_they_are_cut() {
        let text = "data: \nid: 0\nretry: 3000\n\n: beat\n\nid: 1\ndata: {\"a\":\ndata: 1}\n\ndata: {\"b\"";
        let mut events = Events::default();
        let mut found = Vec::new();
        for byte in text.as_bytes() {
            events.take(&[*byte]).expect("short");
            found.extend(std::iter::from_fn(|| events.next()));
        }
        assert_eq!(found, ["", "", "{\"a\":\n1}"]);
        assert_eq!(events.rest(), "data: {\"b\"");
    }

    #[test]
    fn an_event_without_end_is_bounded() {
        let mut events = Events::default();
        let piece = vec![b'x'; limits::MCP_LINE_BYTES_MAX];
        assert_eq!(events.take(&piece), Ok(()));
        assert_eq!(events.take(b"x"), Err(Broken("the answer is too long")));
    }
}
