//! Items of a live reader, and the reasons of lost and ended connections.

use std::time::Duration;

use parlour_core::{
    Code,
    event::Event,
    live::{CloseCode, CommandRefused, Gap, PresenceChanges, StepFrame, Typing},
    position::Position,
    stream::{Chunk, StreamSnapshot},
};
use serde_json::Value;

use crate::Problem;

/// One item for a reader of a project.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveItem {
    /// An event; each comes once, in log order.
    Event(Box<Event>),
    /// Events are permanently missing: load a snapshot. The next items follow the position of the gap.
    Gap(Gap),
    /// All events up to this position were delivered; live events follow. Comes once per connection.
    Live(Position),
    /// All events up to this position were delivered or are not visible to this reader: a position to resume from.
    Position(Position),
    /// A streamed answer with its whole text so far, which replaces any text known before.
    Stream(StreamSnapshot),
    /// The next chunk of a streamed answer.
    Chunk(Chunk),
    /// A step of a streamed answer started.
    StepStarted(StepFrame),
    /// A step of a streamed answer ended.
    StepFinished(StepFrame),
    Typing(Typing),
    Presence(PresenceChanges),
    /// A frame of a newer hub.
    Other(Box<OtherFrame>),
    /// The connection was lost; the client resumes after a pause.
    Reconnecting(Reconnecting),
}

/// A frame of an unknown type.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherFrame {
    /// The position in the log, if it is an event.
    pub position: Option<Position>,
    pub json: Value,
}

/// A lost connection that will be opened again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconnecting {
    /// The position to resume from, if any item was delivered.
    pub after: Option<Position>,
    pub why: Lost,
    /// Consecutive failed connections.
    pub attempt: u32,
    pub pause: Duration,
}

/// Why a connection was lost. The client reconnects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    #[error("no hub answers: {0}")]
    Unreachable(String),
    #[error("the hub accepts no connection now: {0}")]
    Busy(String),
    /// The hub closed it with a code that allows to resume.
    #[error("{}", .0.text())]
    Closed(CloseCode),
    /// It ended without a close frame of the hub.
    #[error("the connection ended: {0}")]
    Broken(String),
    #[error("the hub sent nothing for {0} seconds")]
    Silent(u64),
    #[error("a frame is invalid: {0}")]
    Unreadable(String),
    /// After a reconnect the hub sends a gap.
    #[error("the epoch of the log changed without a gap")]
    EpochChanged,
}

/// A permanent failure of a live reader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// The token is invalid or was revoked.
    #[error("{0} ({code})", code = Code::Unauthenticated.as_str())]
    SignedOut(String),
    /// The reader is no longer a member of the project.
    #[error("{}", CloseCode::AccessEnded.text())]
    AccessEnded,
    /// The hub refused the connection or the subscription.
    #[error("{detail} ({code})")]
    Refused { code: String, detail: String },
    /// The hub closed the connection with a code that does not allow to resume.
    #[error("the hub closed the connection: {}", .0.text())]
    Closed(CloseCode),
    /// The server is not a hub with live events.
    #[error("{url} answered with status {status}, but not like a Parlour hub with live events")]
    NoLive { url: String, status: u16 },
    /// An earlier error has ended the subscription.
    #[error("the project is no longer followed")]
    Over,
}

impl LiveItem {
    /// The position in the log after this item.
    pub fn position(&self) -> Option<&Position> {
        match self {
            Self::Event(event) => Some(&event.position),
            Self::Gap(gap) => Some(&gap.position),
            Self::Live(position) | Self::Position(position) => Some(position),
            Self::Other(frame) => frame.position.as_ref(),
            _ => None,
        }
    }
}

impl From<Problem> for LiveError {
    fn from(problem: Problem) -> Self {
        let detail = if problem.detail.is_empty() { problem.title } else { problem.detail };
        Self::of_code(problem.code, detail)
    }
}

impl From<CommandRefused> for LiveError {
    fn from(refused: CommandRefused) -> Self {
        Self::of_code(refused.code, refused.detail)
    }
}

impl LiveError {
    fn of_code(code: String, detail: String) -> Self {
        if code == Code::Unauthenticated.as_str() { Self::SignedOut(detail) } else { Self::Refused { code, detail } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_and_ended_connections_have_readable_texts() {
        let text = Lost::Closed(CloseCode::Restart).to_string();
        assert_eq!(text, "the hub is stopping; connect again and resume");
        assert_eq!(LiveError::SignedOut("no such token".into()).to_string(), "no such token (PARLOUR-A01)");
        assert_eq!(LiveError::AccessEnded.to_string(), "you can no longer read this project");
    }

    #[test]
    fn an_invalid_token_has_its_own_error() {
        let refused = |code: Code| LiveError::of_code(code.as_str().into(), "no".into());
        assert_eq!(refused(Code::Unauthenticated), LiveError::SignedOut("no".into()));
        assert_eq!(refused(Code::NotFound).to_string(), "no (PARLOUR-N01)");
    }
}
