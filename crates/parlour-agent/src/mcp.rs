//! A relay between MCP over stdio (lines) and MCP over HTTP (the hub).
//!
//! It adds what HTTP needs: the session, the headers, and a new session after a restart of the hub. If the hub refuses a
//! request or is unreachable, the client gets an error response and can try again later.

use std::sync::Arc;

use parlour_core::limits;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::{Semaphore, mpsc},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::Client;
use hub_connection::HubConnection;

mod hub_connection;

/// Relays lines of `input` to the hub and its responses to `output`, until the input ends, `stop` is cancelled, or the
/// output is closed. Requests that are pending when the input ends are still answered; then the session is closed.
///
/// `note` is called with a text for people when the hub becomes unreachable and when it is reachable again.
pub async fn relay<I, O>(client: Client, mut input: I, output: O, stop: CancellationToken, note: fn(&str))
where
    I: AsyncBufRead + Unpin,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let (answers, lines) = mpsc::channel(limits::MCP_RELAY_REQUESTS_MAX);
    let writing = tokio::spawn(write_lines(output, lines, stop.clone()));
    let hub = Arc::new(HubConnection::new(client, note));
    let tasks = TaskTracker::new();
    let slots = Arc::new(Semaphore::new(limits::MCP_RELAY_REQUESTS_MAX));
    while let Some(read) = stop.run_until_cancelled(read_line(&mut input)).await {
        let line = match read {
            InputLine::Line(line) => line,
            InputLine::Refused(answer) => {
                let _ = answers.send(answer).await;
                continue;
            }
            InputLine::End => break,
        };
        let Some(Ok(slot)) = stop.run_until_cancelled(Arc::clone(&slots).acquire_owned()).await else { break };
        let (hub, answers, stop) = (Arc::clone(&hub), answers.clone(), stop.clone());
        let is_sequential = line.is_sequential();
        let passing = tasks.spawn(async move {
            stop.run_until_cancelled(hub.pass(line, &answers)).await;
            drop(slot);
        });
        if is_sequential {
            let _ = passing.await;
        }
    }
    tasks.close();
    tasks.wait().await;
    hub.close().await;
    drop(answers);
    let _ = writing.await;
}

/// Writes responses, one per line. The relay ends when the output is closed.
async fn write_lines(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<String>, stop: CancellationToken) {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        let written = async {
            output.write_all(line.as_bytes()).await?;
            output.flush().await
        };
        if written.await.is_err() {
            return stop.cancel();
        }
    }
}

/// The JSON pointer to the protocol version in a request of the newest revision.
const VERSION_KEY: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
/// JSON-RPC: invalid JSON.
const PARSE_ERROR: i64 = -32_700;

/// A JSON-RPC message of the client.
#[derive(Clone, Debug)]
struct ClientMessage {
    text: String,
    value: Value,
}

/// The result of reading a line.
enum InputLine {
    Line(ClientMessage),
    /// An invalid line, with the error response.
    Refused(String),
    End,
}

/// Reads the next line that is not empty. A line that is too long is skipped and refused.
async fn read_line(input: &mut (impl AsyncBufRead + Unpin)) -> InputLine {
    let mut bytes = Vec::new();
    let mut is_too_long = false;
    loop {
        let Ok(found) = input.fill_buf().await else { return InputLine::End };
        if found.is_empty() && bytes.is_empty() && !is_too_long {
            return InputLine::End;
        }
        let (piece, used, is_end) = match found.iter().position(|byte| *byte == b'\n') {
            Some(end) => (&found[..end], end + 1, true),
            None => (found, found.len(), found.is_empty()),
        };
        is_too_long |= bytes.len() + piece.len() > limits::MCP_LINE_BYTES_MAX;
        if is_too_long {
            bytes.clear();
        } else {
            bytes.extend_from_slice(piece);
        }
        input.consume(used);
        if !is_end {
            continue;
        }
        if is_too_long {
            return InputLine::Refused(error_message(&Value::Null, PARSE_ERROR, "the line is too long", None));
        }
        if !bytes.trim_ascii().is_empty() {
            return parse(&bytes);
        }
        bytes.clear();
    }
}

fn parse(bytes: &[u8]) -> InputLine {
    let text = String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if value.is_object() => InputLine::Line(ClientMessage { text, value }),
        _ => InputLine::Refused(error_message(&Value::Null, PARSE_ERROR, "the line is not a JSON object", None)),
    }
}

impl ClientMessage {
    /// A message of the relay itself.
    fn own(value: Value) -> Self {
        Self { text: value.to_string(), value }
    }

    /// The id of a request; `None` for notifications and responses.
    fn id(&self) -> Option<&Value> {
        self.value.get("id").filter(|_| self.value.get("method").is_some())
    }

    fn method(&self) -> &str {
        self.value["method"].as_str().unwrap_or_default()
    }

    /// The subject of the request, which the newest revision requires in a header.
    fn name(&self) -> Option<&str> {
        let field = match self.method() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return None,
        };
        self.value["params"][field].as_str()
    }

    /// The protocol version in the request; such a request needs no session.
    fn version(&self) -> Option<&str> {
        self.value.pointer(VERSION_KEY)?.as_str()
    }

    fn opens_session(&self) -> bool {
        self.method() == "initialize"
    }

    /// Whether later messages must wait for it: the handshake and all messages that are not requests.
    fn is_sequential(&self) -> bool {
        self.opens_session() || self.id().is_none()
    }

    /// The id of the request that this notification cancels, as JSON.
    fn cancels(&self) -> Option<String> {
        let is_cancelled = self.method() == "notifications/cancelled";
        is_cancelled.then(|| self.value["params"]["requestId"].to_string())
    }
}

/// A JSON-RPC error response.
fn error_message(id: &Value, code: i64, message: &str, data: Option<Value>) -> String {
    let mut error = json!({"code": code, "message": message});
    if let Some(data) = data {
        error["data"] = data;
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &str) -> Vec<String> {
        let mut input = text.as_bytes();
        let mut found = Vec::new();
        loop {
            match read_line(&mut input).await {
                InputLine::Line(line) => found.push(line.text),
                InputLine::Refused(answer) => found.push(format!("refused {answer}")),
                InputLine::End => return found,
            }
        }
    }

    #[tokio::test]
    async fn lines_are_read_with_and_without_a_last_break() {
        assert_eq!(lines("{\"a\":1}\r\n\n  \n{\"b\":2}").await, ["{\"a\":1}", "{\"b\":2}"]);
        assert!(lines("").await.is_empty() && lines("\n\n").await.is_empty());
    }

    #[tokio::test]
    async fn an_invalid_line_is_refused_and_the_next_one_is_read() {
        let found = lines("hello\n[1]\n{\"a\":1}\n").await;
        assert!(found[0].contains("-32700") && found[1].contains("-32700"), "{found:?}");
        assert_eq!(found[2], "{\"a\":1}");
    }

    #[tokio::test]
    async fn a_line_without_end_is_bounded() {
        let long = format!("{{\"a\":\"{}\"}}\n{{\"b\":2}}\n", "x".repeat(limits::MCP_LINE_BYTES_MAX));
        let found = lines(&long).await;
        assert!(found[0].starts_with("refused") && found[0].contains("too long"), "{}", &found[0][..80]);
        assert_eq!(found[1..], ["{\"b\":2}"]);
    }

    #[test]
    fn a_message_provides_the_values_of_its_headers() {
        let line = ClientMessage::own(json!({"id": 1, "method": "tools/call", "params": {
            "name": "inbox", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
        }}));
        assert_eq!((line.method(), line.name(), line.version()), ("tools/call", Some("inbox"), Some("2026-07-28")));
        assert!(!line.is_sequential());
        let answer = ClientMessage::own(json!({"id": 1, "result": {}}));
        assert_eq!((answer.id(), answer.is_sequential()), (None, true), "an answer of the client is no request");
    }
}
