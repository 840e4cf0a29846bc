//! What the hub answers: one JSON text, or a stream of events, each of which is one.

use reqwest::{Response, header::CONTENT_TYPE};
use serde_json::Value;
use tokio::sync::mpsc;

use parlour_core::limits;

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
