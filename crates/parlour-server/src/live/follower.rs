//! A reader, and what its client knows of where it stands.

use parlour_core::position::Position;
use parlour_hub::live::{EncodedFrame, Reader, SessionEnd};

/// A reader, and what its client knows of where it stands.
pub(super) struct Follower {
    reader: Reader,
    /// The last offset that the client was told.
    known: u64,
}

impl Follower {
    pub(super) fn new(reader: Reader) -> Self {
        let known = reader.position().offset();
        Self { reader, known }
    }

    pub(super) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Waits for the next frames. Cancelling the wait loses nothing.
    pub(super) async fn next(&mut self) -> Result<Vec<EncodedFrame>, SessionEnd> {
        let told = self.reader.next().await?;
        let last = told.iter().rev().find_map(|frame| self.position_of(frame));
        self.known = last.map_or(self.known, |position| position.offset());
        Ok(told)
    }

    /// Where a client can resume that has seen this frame; none when the frame is of the moment.
    pub(super) fn position_of(&self, told: &EncodedFrame) -> Option<Position> {
        let here = self.reader.position();
        match (told.offset, told.name) {
            (Some(offset), _) => Some(Position::new(here.epoch(), offset).expect("a position of the log")),
            // Both name the place that the reader has reached, and nothing after them in their batch goes on from there.
            (None, "live" | "gap") => Some(here),
            (None, _) => None,
        }
    }

    /// The place of the reader, when it has moved on past events that its client may not see. It is told once.
    pub(super) fn moved(&mut self) -> Option<Position> {
        let here = self.reader.position();
        let has_moved = here.offset() != self.known;
        self.known = here.offset();
        has_moved.then_some(here)
    }
}
