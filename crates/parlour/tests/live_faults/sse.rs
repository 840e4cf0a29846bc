//! A reader of server-sent events, written for these tests alone.

use std::collections::VecDeque;

use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::{reader::ReaderTarget, transcript::text};

/// An open stream of events.
pub(crate) struct SseConnection {
    response: Response,
    parser: Parser,
    frames: VecDeque<Value>,
}

impl SseConnection {
    /// Opens a stream; nothing when the connection broke or the hub would not.
    pub(crate) async fn open(client: &Client, target: &ReaderTarget, after: Option<&str>) -> Option<Self> {
        let address = format!("{}/events?project_id={}", target.url, target.project);
        let request = match after {
            // Both ways to resume mean the same.
            Some(after) if after.ends_with(['0', '2', '4', '6', '8']) => {
                client.get(address).header("last-event-id", after)
            }
            Some(after) => client.get(format!("{address}&after={after}")),
            None => client.get(address),
        };
        let response = request.bearer_auth(&target.token).send().await.ok()?;
        let status = response.status();
        if status.is_server_error() {
            return None;
        }
        assert!(status.is_success(), "GET /events: {status}");
        Some(Self { response, parser: Parser::default(), frames: VecDeque::new() })
    }

    /// The next frame; nothing after the end. Cancelling the wait loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(frame) = self.frames.pop_front() {
                return Some(frame);
            }
            let bytes = self.response.chunk().await.ok()??;
            self.frames.extend(self.parser.read(&bytes));
        }
    }
}

/// Takes frames out of the bytes of a stream. What has not ended with an empty line does not count.
#[derive(Default)]
struct Parser {
    line: Vec<u8>,
    id: Option<String>,
    event: String,
    data: String,
}

impl Parser {
    fn read(&mut self, bytes: &[u8]) -> Vec<Value> {
        let mut frames = Vec::new();
        for byte in bytes {
            match byte {
                b'\n' => frames.extend(self.end_line()),
                byte => self.line.push(*byte),
            }
        }
        frames
    }

    fn end_line(&mut self) -> Option<Value> {
        let line = String::from_utf8(std::mem::take(&mut self.line)).expect("the hub sends UTF-8");
        if line.is_empty() {
            return self.end_frame();
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.event),
            "data" => self.data.push_str(value),
            // A comment, or the pause before a reconnect.
            _ => {}
        }
        None
    }

    fn end_frame(&mut self) -> Option<Value> {
        let (id, event, data) = (self.id.take(), std::mem::take(&mut self.event), std::mem::take(&mut self.data));
        if data.is_empty() {
            // A heartbeat may move the place from which a reader resumes.
            return id.map(|id| json!({ "type": "position", "position": id }));
        }
        if event == "end" {
            return Some(json!({ "type": "end", "why": data }));
        }
        let broken = |detail: String| json!({ "type": "broken", "detail": detail });
        let Ok(frame) = serde_json::from_str::<Value>(&data) else { return Some(broken(data)) };
        let is_event = text(&frame, "/type") == "event";
        let name = if is_event { text(&frame, "/name") } else { text(&frame, "/type") };
        if name != event {
            return Some(broken(format!("{event} is {name}")));
        }
        if is_event && id.as_deref() != Some(text(&frame, "/position")) {
            return Some(broken(format!("{id:?} is {}", text(&frame, "/position"))));
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "retry: 1000\n: hello\n\nevent: live\ndata: {\"type\":\"live\",\"position\":\"e-1\"}\n\n\
        id: e-2\nevent: a.b\ndata: {\"type\":\"event\",\"position\":\"e-2\",\"name\":\"a.b\"}\n\n";

    fn read_in_pieces(text: &str, length: usize) -> Vec<Value> {
        let mut parser = Parser::default();
        text.as_bytes().chunks(length).flat_map(|piece| parser.read(piece)).collect()
    }

    #[test]
    fn frames_do_not_depend_on_chunk_boundaries() {
        let whole = read_in_pieces(STREAM, STREAM.len());
        assert_eq!(whole.iter().map(|frame| text(frame, "/type")).collect::<Vec<_>>(), ["live", "event"]);
        for length in 1..20 {
            assert_eq!(read_in_pieces(STREAM, length), whole);
        }
    }

    #[test]
    fn a_heartbeat_may_advance_the_position() {
        assert_eq!(
            read_in_pieces(": beat\n\nid: e-9\n: beat\n\n", 3),
            [json!({ "type": "position", "position": "e-9" })]
        );
    }

    #[test]
    fn an_incomplete_frame_is_ignored() {
        assert_eq!(read_in_pieces(&STREAM[..STREAM.len() - 1], 7).len(), 1);
    }

    #[test]
    fn an_event_with_a_wrong_id_or_name_is_invalid() {
        for (right, wrong) in [("id: e-2", "id: e-3"), ("event: a.b", "event: a.c"), ("{\"type\":\"event", "{")] {
            let frames = read_in_pieces(&STREAM.replace(right, wrong), 5);
            assert_eq!(text(&frames[1], "/type"), "broken", "{wrong}");
        }
    }
}
