//! What a reader has heard, session by session, exactly as it came over the wire.

use std::time::Instant;

use parlour_core::position::Position;
use serde_json::Value;

/// Everything that one reader has heard.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// What the reader is called in complaints.
    pub(crate) reader: String,
    /// Its connections, one after another.
    pub(crate) sessions: Vec<ReaderSession>,
}

/// What was heard over one connection.
#[derive(Debug, Default)]
pub(crate) struct ReaderSession {
    /// Where the reader asked to resume; absent when it asked for what happens next.
    pub(crate) after: Option<Position>,
    /// Whether that position came with a snapshot, and not from what the reader had heard.
    pub(crate) is_fresh: bool,
    /// The frames, in the order of their arrival.
    pub(crate) received: Vec<ReceivedFrame>,
}

/// One frame.
#[derive(Debug)]
pub(crate) struct ReceivedFrame {
    /// When it had arrived.
    pub(crate) at: Instant,
    /// The frame, read as plain JSON: types of the hub would share its mistakes.
    pub(crate) frame: Value,
}

impl ReceivedFrame {
    /// A frame that arrives now.
    pub(crate) fn now(frame: Value) -> Self {
        Self { at: Instant::now(), frame }
    }

    /// The type of the frame.
    pub(crate) fn kind(&self) -> &str {
        text(&self.frame, "/type")
    }

    /// The position that it carries.
    pub(crate) fn position(&self) -> Option<Position> {
        self.frame["position"].as_str()?.parse().ok()
    }

    /// Where a reader may resume after this frame.
    pub(crate) fn place(&self) -> Option<Position> {
        let is_place = matches!(self.kind(), "event" | "live" | "position" | "gap");
        self.position().filter(|_| is_place)
    }
}

/// The text at this place of a value; empty when there is none.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The epoch and the offset of a position. Restarts change only the start tag between them.
pub(crate) fn place(position: &str) -> String {
    let position: Position = position.parse().expect("a position");
    format!("{}-{}", position.epoch(), position.offset())
}
