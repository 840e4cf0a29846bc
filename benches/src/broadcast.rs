//! The live half of the ceiling: whatever comes in goes to everybody who listens, and is kept nowhere.
//!
//! A text is written as JSON once and its bytes are shared. Nobody is asked who they are, nothing is filtered, nothing
//! can be resumed, and pieces of an answer are passed on one by one.

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

/// Frames that a listener may be behind before it is cut off, as in the hub.
const FRAMES_MAX: usize = 4_096;
/// Bytes that a socket reads at once: the library's own choice would be most of what an idle socket costs.
const READ_BUFFER_BYTES: usize = 2_048;

/// What listeners are told.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Frame<'a> {
    Live {},
    Message { seq: i64, body: &'a str },
    Chunk { text: &'a str },
}

/// Everybody who listens.
struct Air {
    frames: broadcast::Sender<Utf8Bytes>,
    seq: AtomicI64,
}

/// Where to speak and where to listen.
pub(crate) fn routes() -> Router {
    let air = Arc::new(Air { frames: broadcast::channel(FRAMES_MAX).0, seq: AtomicI64::new(0) });
    Router::new()
        .route("/broadcast", post(tell_message))
        .route("/feed", get(open_feed))
        .route("/live", get(open_socket))
        .route("/events", get(open_events))
        .with_state(air)
}

async fn tell_message(State(air): State<Arc<Air>>, Json(new): Json<NewMessage>) -> (StatusCode, Json<Stored>) {
    let seq = air.seq.fetch_add(1, Ordering::Relaxed) + 1;
    air.tell(&Frame::Message { seq, body: &new.body });
    (StatusCode::CREATED, Json(Stored { seq }))
}

/// A socket that is told everything.
async fn open_socket(State(air): State<Arc<Air>>, upgrade: WebSocketUpgrade) -> Response {
    lean(upgrade).on_upgrade(async move |socket| {
        let frames = air.frames.subscribe();
        follow(socket, frames).await;
    })
}

/// A socket whose texts become frames for everybody else, one by one.
async fn open_feed(State(air): State<Arc<Air>>, upgrade: WebSocketUpgrade) -> Response {
    lean(upgrade).on_upgrade(async move |mut socket: WebSocket| {
        while let Some(Ok(said)) = socket.recv().await {
            if let Message::Text(text) = said {
                air.tell(&Frame::Chunk { text: &text });
            }
        }
    })
}

async fn open_events(State(air): State<Arc<Air>>) -> Sse<impl Stream<Item = Result<sse::Event, Infallible>>> {
    let frames = air.frames.subscribe();
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

/// Tells a socket everything until it leaves, or falls too far behind.
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
            said = socket.recv() => if !matches!(said, Some(Ok(_))) { return },
        }
    }
}

impl Air {
    /// Without listeners there is nobody to tell, which is no failure.
    fn tell(&self, frame: &Frame<'_>) {
        let _ = self.frames.send(json(frame).into());
    }
}

fn json(frame: &Frame<'_>) -> String {
    serde_json::to_string(frame).expect("a frame is plain data")
}
