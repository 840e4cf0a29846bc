//! One line of the client, read just far enough to pass it on.

use parlour_core::limits;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// The key under which a request of the newest revision names its version.
const VERSION_KEY: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
/// The code of the protocol for what cannot be read.
const PARSE_ERROR: i64 = -32_700;

/// A message of the client.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) text: String,
    value: Value,
}

/// What was read.
pub(super) enum Read {
    /// A message.
    Line(Line),
    /// Something that is none, and the answer to it.
    Refused(String),
    /// Nothing any more.
    End,
}

/// Reads the next line that is not empty. What is longer than a line may be is read over and refused.
pub(super) async fn read_line(input: &mut (impl AsyncBufRead + Unpin)) -> Read {
    let mut bytes = Vec::new();
    let mut is_too_long = false;
    loop {
        let Ok(found) = input.fill_buf().await else { return Read::End };
        if found.is_empty() && bytes.is_empty() && !is_too_long {
            return Read::End;
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
            return Read::Refused(error(&Value::Null, PARSE_ERROR, "the line is too long", None));
        }
        if !bytes.trim_ascii().is_empty() {
            return parse(&bytes);
        }
        bytes.clear();
    }
}

fn parse(bytes: &[u8]) -> Read {
    let text = String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if value.is_object() => Read::Line(Line { text, value }),
        _ => Read::Refused(error(&Value::Null, PARSE_ERROR, "the line is no JSON object", None)),
    }
}

impl Line {
    /// A message that the relay itself sends.
    pub(super) fn own(value: Value) -> Self {
        Self { text: value.to_string(), value }
    }

    /// The id of a request; what needs no answer has none.
    pub(super) fn id(&self) -> Option<&Value> {
        self.value.get("id").filter(|_| self.value.get("method").is_some())
    }

    pub(super) fn method(&self) -> &str {
        self.value["method"].as_str().unwrap_or_default()
    }

    /// What the request is about, as the newest revision wants it in a header.
    pub(super) fn name(&self) -> Option<&str> {
        let field = match self.method() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return None,
        };
        self.value["params"][field].as_str()
    }

    /// The version that the request names itself: then it needs no session.
    pub(super) fn version(&self) -> Option<&str> {
        self.value.pointer(VERSION_KEY)?.as_str()
    }

    pub(super) fn opens_session(&self) -> bool {
        self.method() == "initialize"
    }

    /// Whether what follows must wait for it: the handshake, and all that is no request.
    pub(super) fn is_in_turn(&self) -> bool {
        self.opens_session() || self.id().is_none()
    }

    /// The request that the client no longer wants, as JSON.
    pub(super) fn cancels(&self) -> Option<String> {
        let is_cancelled = self.method() == "notifications/cancelled";
        is_cancelled.then(|| self.value["params"]["requestId"].to_string())
    }
}

/// An error of the protocol as the answer to a request.
pub(super) fn error(id: &Value, code: i64, message: &str, data: Option<Value>) -> String {
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
                Read::Line(line) => found.push(line.text),
                Read::Refused(answer) => found.push(format!("refused {answer}")),
                Read::End => return found,
            }
        }
    }

    #[tokio::test]
    async fn lines_are_read_with_and_without_a_last_break() {
        assert_eq!(lines("{\"a\":1}\r\n\n  \n{\"b\":2}").await, ["{\"a\":1}", "{\"b\":2}"]);
        assert!(lines("").await.is_empty() && lines("\n\n").await.is_empty());
    }

    #[tokio::test]
    async fn what_is_no_message_is_refused_and_the_next_line_is_read() {
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
    fn a_line_says_what_its_headers_need() {
        let line = Line::own(json!({"id": 1, "method": "tools/call", "params": {
            "name": "inbox", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
        }}));
        assert_eq!((line.method(), line.name(), line.version()), ("tools/call", Some("inbox"), Some("2026-07-28")));
        assert!(!line.is_in_turn());
        let answer = Line::own(json!({"id": 1, "result": {}}));
        assert_eq!((answer.id(), answer.is_in_turn()), (None, true), "an answer of the client is no request");
    }
}
