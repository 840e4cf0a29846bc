//! The HTTP side of the relay: one MCP session, its headers and its renewal.

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

use super::{ClientMessage, error_message};
use crate::{
    Client, ClientError, Problem,
    sse::{SseError, SseParser},
};

const PATH: &str = "/mcp";
const SESSION_ID: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
/// JSON-RPC codes: the hub is unreachable; the hub refused the request.
const AWAY: i64 = -32_000;
const REFUSED: i64 = -32_001;
/// The time limit of a request, the longest wait of a tool included.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(60);
/// The time limit for closing the session.
const GOODBYE_TIME_MAX: Duration = Duration::from_secs(2);

/// The connection to the hub.
pub(super) struct HubConnection {
    client: Client,
    note: fn(&str),
    is_away: AtomicBool,
    session: Mutex<RelaySession>,
    /// Held during the renewal of the session, so that it is renewed once.
    renewing: Turn<()>,
    under_way: Mutex<HashMap<String, CancellationToken>>,
}

#[derive(Clone, Debug, Default)]
struct RelaySession {
    id: Option<String>,
    version: Option<String>,
    /// The `initialize` request of the client, repeated when the hub no longer has the session.
    opening: Option<ClientMessage>,
}

impl HubConnection {
    pub(super) fn new(client: Client, note: fn(&str)) -> Self {
        let (is_away, renewing) = (AtomicBool::new(false), Turn::default());
        Self { client, note, is_away, session: Mutex::default(), renewing, under_way: Mutex::default() }
    }

    /// Sends a message to the hub and its responses to `lines`. Every request gets a response.
    pub(super) async fn pass(&self, line: ClientMessage, lines: &mpsc::Sender<String>) {
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
            let RelayError { code, message, data } = trouble;
            let _ = lines.send(error_message(id, code, &message, data)).await;
        }
    }

    /// Closes the session.
    pub(super) async fn close(&self) {
        let session = lock(&self.session).clone();
        if let RelaySession { id: Some(id), version, .. } = session {
            let request = self.client.request(Method::DELETE, PATH).header(SESSION_ID, id).timeout(GOODBYE_TIME_MAX);
            let request = version.into_iter().fold(request, |request, version| request.header(VERSION, version));
            let _ = request.send().await;
        }
    }

    async fn ask(&self, line: &ClientMessage, lines: &mpsc::Sender<String>) -> Result<(), RelayError> {
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

    async fn take(
        &self,
        line: &ClientMessage,
        response: Response,
        lines: &mpsc::Sender<String>,
    ) -> Result<(), RelayError> {
        let is_problem =
            response.headers().get(header::CONTENT_TYPE).is_some_and(|sort| sort == "application/problem+json");
        if is_problem {
            return Err(RelayError::refused(response).await);
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
            *lock(&self.session) = RelaySession { id, version, opening: Some(line.clone()) };
        }
        match line.id() {
            Some(_) if !is_answered => {
                Err(RelayError::new(AWAY, format!("the hub answered with status {status} and nothing else")))
            }
            _ => Ok(()),
        }
    }

    /// Opens a new session with the `initialize` request of the client, unless another task has already done so.
    async fn renew(&self, forgotten: &RelaySession) -> Result<(), RelayError> {
        let _turn = self.renewing.lock().await;
        if lock(&self.session).id != forgotten.id {
            return Ok(());
        }
        let Some(opening) = forgotten.opening.clone() else { return Ok(()) };
        // The client already has the response to this request.
        let (unheard, mut heard) = mpsc::channel(1);
        let response = self.send(&opening, &RelaySession::default()).await?;
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
        let ready = ClientMessage::own(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        self.send(&ready, &session).await.map(drop)
    }

    async fn send(&self, line: &ClientMessage, session: &RelaySession) -> Result<Response, RelayError> {
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
                let told = RelayError::away(&self.client.unreachable(error));
                if !self.is_away.swap(true, Ordering::Relaxed) {
                    (self.note)(&told.message);
                }
                Err(told)
            }
        }
    }
}

/// A request with a protocol version needs no session; headers state its method and subject.
fn with_headers(request: RequestBuilder, line: &ClientMessage, session: &RelaySession) -> RequestBuilder {
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

/// Why a request got no response from the hub.
#[derive(Debug)]
struct RelayError {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl RelayError {
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

impl From<ResponseError> for RelayError {
    fn from(ResponseError(why): ResponseError) -> Self {
        Self::new(AWAY, why.to_owned())
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why a response could not be relayed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResponseError(pub(super) &'static str);

const TOO_LONG: ResponseError = ResponseError("the response is too large");

/// Sends each message of a response as one line; calls `seen` with it first.
pub(super) async fn pass(
    mut response: Response,
    lines: &mpsc::Sender<String>,
    mut seen: impl FnMut(&Value),
) -> Result<(), ResponseError> {
    let is_stream = response.headers().get(CONTENT_TYPE).is_some_and(|sort| sort == "text/event-stream");
    let (mut parser, mut body) = (SseParser::new(limits::MCP_LINE_BYTES_MAX), Vec::new());
    while let Some(bytes) =
        response.chunk().await.map_err(|_| ResponseError("the connection was lost during the response"))?
    {
        if is_stream {
            let (events, result) = parser.push(&bytes);
            for event in events {
                pass_one(event.data.as_bytes(), lines, &mut seen).await;
            }
            result.map_err(|error| match error {
                SseError::TooLong => TOO_LONG,
                SseError::NotUtf8 => ResponseError("the response is not UTF-8"),
            })?;
        } else if body.len() + bytes.len() > limits::MCP_LINE_BYTES_MAX {
            return Err(TOO_LONG);
        } else {
            body.extend_from_slice(&bytes);
        }
    }
    pass_one(&body, lines, &mut seen).await;
    Ok(())
}

/// Skips data that is not JSON: the first event of a stream is empty.
async fn pass_one(json: &[u8], lines: &mpsc::Sender<String>, seen: &mut impl FnMut(&Value)) {
    if let Ok(value) = serde_json::from_slice::<Value>(json) {
        seen(&value);
        // Serialised again, so that it is one line.
        let _ = lines.send(value.to_string()).await;
    }
}
