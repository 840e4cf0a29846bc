//! Why a socket is left, and what is said at the end.

use parlour_core::live::CloseCode;
use parlour_hub::live::SessionEnd;
use tokio_tungstenite::tungstenite::{
    Error, Message,
    error::ProtocolError,
    protocol::{CloseFrame, frame::coding::CloseCode as Number},
};

/// Why a socket is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Farewell {
    /// The client is gone or has said goodbye: nothing is left to be said.
    Gone,
    /// The hub closes, and says why.
    Close(CloseCode),
    /// The client has broken the protocol (RFC 6455): with this code of it.
    Broken(Number, &'static str),
}

impl Farewell {
    /// The frame to close with.
    pub(super) fn message(self) -> Option<Message> {
        let (code, reason) = match self {
            Self::Gone => return None,
            Self::Close(code) => (code.number().into(), code.text()),
            Self::Broken(code, reason) => (code, reason),
        };
        Some(Message::Close(Some(CloseFrame { code, reason: reason.into() })))
    }

    /// Whether the client may have sent more than was read: then the reading broke off in the middle.
    pub(super) fn leaves_unread(self) -> bool {
        matches!(self, Self::Broken(..) | Self::Close(CloseCode::TooLong))
    }
}

impl From<CloseCode> for Farewell {
    fn from(code: CloseCode) -> Self {
        Self::Close(code)
    }
}

impl From<SessionEnd> for Farewell {
    fn from(why: SessionEnd) -> Self {
        Self::Close(code_of(why))
    }
}

/// What a client is told when its session has ended.
pub(super) fn code_of(why: SessionEnd) -> CloseCode {
    match why {
        SessionEnd::TooSlow => CloseCode::Resume,
        SessionEnd::SignedOut => CloseCode::SignedOut,
        SessionEnd::AccessEnded => CloseCode::AccessEnded,
        SessionEnd::Stopping => CloseCode::Restart,
        SessionEnd::Fault => CloseCode::Fault,
    }
}

impl From<Error> for Farewell {
    fn from(error: Error) -> Self {
        match error {
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Self::Gone,
            Error::Protocol(_) => Self::Broken(Number::Protocol, "this breaks the WebSocket protocol"),
            Error::Utf8(_) => Self::Broken(Number::Invalid, "a text is not UTF-8"),
            Error::Capacity(_) => Self::Close(CloseCode::TooLong),
            Error::ConnectionClosed | Error::AlreadyClosed | Error::Io(_) => Self::Gone,
            other => {
                tracing::warn!(error = %other, "a socket failed");
                Self::Close(CloseCode::Fault)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_a_session_has_its_code() {
        let codes = [
            SessionEnd::TooSlow,
            SessionEnd::SignedOut,
            SessionEnd::AccessEnded,
            SessionEnd::Stopping,
            SessionEnd::Fault,
        ]
        .map(code_of);
        assert_eq!(codes.map(CloseCode::number), [4000, 4401, 4403, 1012, 4500]);
    }

    #[test]
    fn nothing_is_said_to_those_who_are_gone() {
        let gone = Error::Protocol(ProtocolError::ResetWithoutClosingHandshake);
        assert_eq!(Farewell::from(gone).message(), None);
        assert_eq!(Farewell::from(Error::Io(std::io::ErrorKind::BrokenPipe.into())).message(), None);
    }

    #[test]
    fn a_close_frame_has_number_and_reason() {
        let Some(Message::Close(Some(frame))) = Farewell::Close(CloseCode::Resume).message() else { unreachable!() };
        assert_eq!((u16::from(frame.code), frame.reason.as_str()), (4000, CloseCode::Resume.text()));
    }
}
