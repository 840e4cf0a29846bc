//! What a reader is handed, and why a connection is lost or over.

use std::time::Duration;

use parlour_core::{
    Code,
    event::Event,
    live::{CloseCode, Gap, PresenceChanges, Refused, StepFrame, Typing},
    position::Position,
    stream::{Chunk, Running},
};
use serde_json::Value;

use crate::Problem;

/// One thing that a reader of a project is told.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveItem {
    /// Something has happened. Each event comes once, in the order of the log.
    Event(Box<Event>),
    /// Events are missing for good: load a snapshot. What follows goes on after the gap's position.
    Gap(Gap),
    /// Everything up to this position was told; what follows is live. Comes once for each connection.
    Live(Position),
    /// Everything up to this position was told or is not for this reader: a place to resume from.
    Position(Position),
    /// An answer that is being written, with its whole text so far, in place of any text known before.
    Stream(Running),
    /// A further piece of an answer.
    Chunk(Chunk),
    /// The producer of an answer has begun a step.
    StepStarted(StepFrame),
    /// The producer of an answer has ended a step.
    StepFinished(StepFrame),
    /// Who is typing.
    Typing(Typing),
    /// Whose presence has changed.
    Presence(PresenceChanges),
    /// A frame of a newer hub, as it came.
    Other(Box<OtherFrame>),
    /// The connection is lost; after a pause it is opened again and goes on where it was.
    Reconnecting(Reconnecting),
}

/// A frame that this client does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherFrame {
    /// Where it stands in the log, when it is an event.
    pub position: Option<Position>,
    /// The frame.
    pub json: Value,
}

/// A connection that was lost and is to be opened again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconnecting {
    /// Where it goes on; absent when nothing was told yet.
    pub after: Option<Position>,
    /// Why it was lost.
    pub why: Lost,
    /// How many connections in a row were lost or could not be opened.
    pub attempt: u32,
    /// How long the client waits now.
    pub pause: Duration,
}

/// Why a connection was lost that can be opened again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// Nobody took the call, or not in time.
    #[error("no hub answers: {0}")]
    Unreachable(String),
    /// The hub has no room or is not ready.
    #[error("the hub takes no connection now: {0}")]
    Busy(String),
    /// The hub closed it and says that one may resume.
    #[error("{}", .0.text())]
    Closed(CloseCode),
    /// It ended without a word.
    #[error("the connection ended: {0}")]
    Broken(String),
    /// No sign of life came for so many seconds.
    #[error("nothing was heard for {0} seconds")]
    Silent(u64),
    /// What came is no frame.
    #[error("a frame cannot be read: {0}")]
    Unreadable(String),
    /// The log changed its life without a gap; after a reconnect the hub has to tell one.
    #[error("the log was begun anew without a word")]
    OtherLife,
}

/// Why a project cannot be followed any more. Trying again would not help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// Nobody is signed in: the token is wrong or was replaced.
    #[error("{0} ({code})", code = Code::Unauthenticated.as_str())]
    SignedOut(String),
    /// The reader is no longer a member of the project.
    #[error("{}", CloseCode::AccessEnded.text())]
    AccessEnded,
    /// The hub refused the connection or the subscription.
    #[error("{detail} ({code})")]
    Refused {
        /// The stable code.
        code: String,
        /// What was wrong.
        detail: String,
    },
    /// The hub closed the connection and would close the next one too.
    #[error("the hub closed the connection: {}", .0.text())]
    Closed(CloseCode),
    /// Something answered that is no hub with live events.
    #[error("{url} answered with status {status}, but not like a Parlour hub with live events")]
    NoLive {
        /// What was asked.
        url: String,
        /// The status of the answer.
        status: u16,
    },
    /// Nothing more comes after an earlier error.
    #[error("the project is no longer followed")]
    Over,
}

impl LiveItem {
    /// The place in the log that a reader has reached with it.
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

impl From<Refused> for LiveError {
    fn from(refused: Refused) -> Self {
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
    fn losses_and_ends_are_told_in_plain_words() {
        let text = Lost::Closed(CloseCode::Restart).to_string();
        assert_eq!(text, "the hub is stopping; connect again and resume");
        assert_eq!(LiveError::SignedOut("no such token".into()).to_string(), "no such token (PARLOUR-A01)");
        assert_eq!(LiveError::AccessEnded.to_string(), "you may no longer read this project");
    }

    #[test]
    fn a_refused_token_is_told_apart_from_other_refusals() {
        let refused = |code: Code| LiveError::of_code(code.as_str().into(), "no".into());
        assert_eq!(refused(Code::Unauthenticated), LiveError::SignedOut("no".into()));
        assert_eq!(refused(Code::NotFound).to_string(), "no (PARLOUR-N01)");
    }
}
