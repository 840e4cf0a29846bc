//! Server-sent events: the response body of `GET /events`, produced while the client reads it.

use std::{
    convert::Infallible,
    fmt::{Display, Write as _},
    sync::Arc,
    vec,
};

use axum::body::Body;
use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::stream;
use parlour_core::live::CloseCode;
use parlour_hub::{
    live::{EncodedFrame, Reader, Session, SessionEnd},
    ports::Clock,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    session::{Heartbeat, ProjectReader, SessionGuard},
    ws_transport::code_of,
};

/// Bytes after which a body chunk is sent.
const PIECE_BYTES: usize = 16 * 1024;

/// The event stream of one client.
pub(crate) struct EventStream {
    guard: SessionGuard,
    project_reader: ProjectReader,
    heartbeat: Heartbeat,
    /// Frames read from the feed and not yet written.
    waiting: vec::IntoIter<EncodedFrame>,
    phase: StreamPhase,
}

enum StreamPhase {
    Opening,
    Open,
    Ended,
}

enum StreamEvent {
    Frames(vec::IntoIter<EncodedFrame>),
    Heartbeat,
}

impl EventStream {
    pub(crate) fn new(session: Session, reader: Reader, stop: CancellationToken, clock: &Arc<dyn Clock>) -> Self {
        Self {
            guard: SessionGuard::new(session, stop),
            project_reader: ProjectReader::new(reader),
            heartbeat: Heartbeat::new(clock),
            waiting: Vec::new().into_iter(),
            phase: StreamPhase::Opening,
        }
    }

    /// The stream as a response body, produced as fast as the client reads.
    pub(crate) fn into_body(self) -> Body {
        Body::from_stream(stream::unfold(self, |mut stream| async move {
            let piece = stream.next_piece().await?;
            Some((Ok::<_, Infallible>(piece), stream))
        }))
    }

    async fn next_piece(&mut self) -> Option<Bytes> {
        match self.phase {
            StreamPhase::Opening => {
                self.phase = StreamPhase::Open;
                Some(write_retry())
            }
            StreamPhase::Open => Some(self.next_events().await),
            StreamPhase::Ended => None,
        }
    }

    async fn next_events(&mut self) -> Bytes {
        match self.next_event().await {
            Ok(StreamEvent::Frames(frames)) => {
                self.waiting = frames;
                self.write_waiting()
            }
            Ok(StreamEvent::Heartbeat) => write_beat(self.project_reader.moved()),
            Err(code) => {
                self.phase = StreamPhase::Ended;
                write_end(code)
            }
        }
    }

    async fn next_event(&mut self) -> Result<StreamEvent, CloseCode> {
        tokio::select! {
            biased;
            code = self.guard.ended() => Err(code),
            () = self.heartbeat.next() => Ok(StreamEvent::Heartbeat),
            frames = take_frames(&mut self.waiting, &mut self.project_reader) => frames.map(StreamEvent::Frames).map_err(code_of),
        }
    }

    /// Writes waiting frames up to the chunk size.
    fn write_waiting(&mut self) -> Bytes {
        let mut out = BytesMut::new();
        while out.len() < PIECE_BYTES
            && let Some(frame) = self.waiting.next()
        {
            put_event(&mut out, self.project_reader.position_of(&frame), frame.name, &frame.json);
        }
        out.freeze()
    }
}

/// The waiting frames, otherwise the next ones of the feed.
async fn take_frames(
    waiting: &mut vec::IntoIter<EncodedFrame>,
    project_reader: &mut ProjectReader,
) -> Result<vec::IntoIter<EncodedFrame>, SessionEnd> {
    if waiting.as_slice().is_empty() {
        return Ok(project_reader.next().await?.into_iter());
    }
    Ok(std::mem::take(waiting))
}

/// The client's reconnection delay in milliseconds.
const RETRY_MS: u64 = 1_000;

/// The first bytes: the client sees at once that the stream is open.
pub(super) fn write_retry() -> Bytes {
    format!("retry: {RETRY_MS}\n: hello\n\n").into()
}

/// Appends an event; its data is JSON and contains no line breaks.
pub(super) fn put_event(out: &mut BytesMut, id: Option<impl Display>, name: &str, json: &[u8]) {
    out.reserve(json.len() + name.len() + 64);
    put_id(out, id);
    write!(out, "event: {name}\ndata: ").expect("a buffer takes everything");
    out.put_slice(json);
    out.put_slice(b"\n\n");
}

/// A heartbeat comment, with the client's new position if it has one.
pub(super) fn write_beat(id: Option<impl Display>) -> Bytes {
    let mut out = BytesMut::new();
    put_id(&mut out, id);
    out.put_slice(b": beat\n\n");
    out.freeze()
}

/// The last event: why the hub closes the stream.
pub(super) fn write_end(code: CloseCode) -> Bytes {
    let json = json!({"code": code.number(), "text": code.text(), "may_resume": code.may_resume()}).to_string();
    let mut out = BytesMut::new();
    put_event(&mut out, None::<&str>, "end", json.as_bytes());
    out.freeze()
}

fn put_id(out: &mut BytesMut, id: Option<impl Display>) {
    if let Some(id) = id {
        writeln!(out, "id: {id}").expect("a buffer takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_position_name_and_data() {
        let mut out = BytesMut::new();
        put_event(&mut out, Some("a-7"), "messaging.posted", b"{}");
        put_event(&mut out, None::<&str>, "typing", b"[]");
        assert_eq!(out, "id: a-7\nevent: messaging.posted\ndata: {}\n\nevent: typing\ndata: []\n\n");
    }

    #[test]
    fn a_beat_is_a_comment_and_may_move_the_position() {
        assert_eq!(write_beat(None::<&str>), ": beat\n\n");
        assert_eq!(write_beat(Some("a-9")), "id: a-9\n: beat\n\n");
    }

    #[test]
    fn the_end_event_contains_the_close_code() {
        let expected = "event: end\ndata: {\"code\":1012,\"may_resume\":true,\
                        \"text\":\"the hub is stopping; connect again and resume\"}\n\n";
        assert_eq!(write_end(CloseCode::Restart), expected);
    }

    #[test]
    fn the_first_bytes_are_not_an_event() {
        assert_eq!(write_retry(), "retry: 1000\n: hello\n\n");
    }
}
