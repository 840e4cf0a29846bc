//! The live part of the ceiling: sends every received text to all listeners and stores nothing.
//!
//! A text is serialised once and its bytes are shared. There is no authentication, no filter and no resume, and every
//! token of an answer is a separate frame.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use axum::{
    Json, Router,
    extract::{
        State, WebSocketUpgrade,
        ws::{Message, Utf8Bytes, WebSocket},
    },
    http::StatusCode,
    response::{
        Response,
        sse::{self, Sse},
    },
    routing::{get, post},
};
use futures_util::{Stream, stream};
use serde::Serialize;
use tokio::sync::broadcast;

use super::{NewMessage, Stored};

/// Frames that a listener may lag behind before it is disconnected, as in the hub.
const FRAMES_MAX: usize = 4_096;
/// Read buffer of a socket: the default of the library would be most of the memory of an idle socket.
const READ_BUFFER_BYTES: usize = 2_048;

/// A frame for listeners.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Frame<'a> {
    Live {},
    Message { seq: i64, body: &'a str },
    Chunk { text: &'a str },
}

/// The channel to all listeners.
struct Broadcaster {
    frames: broadcast::Sender<Utf8Bytes>,
    seq: AtomicI64,
}

/// The routes that send and receive.
pub(crate) fn routes() -> Router {
    let broadcaster = Arc::new(Broadcaster { frames: broadcast::channel(FRAMES_MAX).0, seq: AtomicI64::new(0) });
    Router::new()
        .route("/broadcast", post(broadcast_message))
        .route("/feed", get(open_feed))
        .route("/live", get(open_socket))
        .route("/events", get(open_events))
        .with_state(broadcaster)
}

async fn broadcast_message(
    State(broadcaster): State<Arc<Broadcaster>>,
    Json(new): Json<NewMessage>,
) -> (StatusCode, Json<Stored>) {
    let seq = broadcaster.seq.fetch_add(1, Ordering::Relaxed) + 1;
    broadcaster.send(&Frame::Message { seq, body: &new.body });
    (StatusCode::CREATED, Json(Stored { seq }))
}

/// A socket that receives all frames.
async fn open_socket(State(broadcaster): State<Arc<Broadcaster>>, upgrade: WebSocketUpgrade) -> Response {
    lean(upgrade).on_upgrade(async move |socket| {
        let frames = broadcaster.frames.subscribe();
        follow(socket, frames).await;
    })
}

/// A socket whose texts are sent to all listeners, one frame each.
async fn open_feed(State(broadcaster): State<Arc<Broadcaster>>, upgrade: WebSocketUpgrade) -> Response {
    lean(upgrade).on_upgrade(async move |mut socket: WebSocket| {
        while let Some(Ok(received)) = socket.recv().await {
            if let Message::Text(text) = received {
                broadcaster.send(&Frame::Chunk { text: &text });
            }
        }
    })
}

async fn open_events(
    State(broadcaster): State<Arc<Broadcaster>>,
) -> Sse<impl Stream<Item = Result<sse::Event, Infallible>>> {
    let frames = broadcaster.frames.subscribe();
    let first = sse::Event::default().data(json(&Frame::Live {}));
    let live = stream::unfold(frames, async |mut frames| {
        let text = frames.recv().await.ok()?;
        Some((Ok(sse::Event::default().data(text.as_str())), frames))
    });
    Sse::new(futures_util::StreamExt::chain(stream::iter([Ok(first)]), live))
}

fn lean(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade.read_buffer_size(READ_BUFFER_BYTES).write_buffer_size(0)
}

/// Sends all frames to a socket until it closes or lags too far behind.
async fn follow(mut socket: WebSocket, mut frames: broadcast::Receiver<Utf8Bytes>) {
    if socket.send(Message::text(json(&Frame::Live {}))).await.is_err() {
        return;
    }
    loop {
        tokio::select! {
            frame = frames.recv() => {
                let Ok(text) = frame else { return };
                if socket.send(Message::Text(text)).await.is_err() {
                    return;
                }
            }
            received = socket.recv() => if !matches!(received, Some(Ok(_))) { return },
        }
    }
}

impl Broadcaster {
    /// Without listeners the frame is dropped; this is not an error.
    fn send(&self, frame: &Frame<'_>) {
        let _ = self.frames.send(json(frame).into());
    }
}

fn json(frame: &Frame<'_>) -> String {
    serde_json::to_string(frame).expect("a frame is plain data")
}
