//! Why a session is closed.

/// Why the hub closed a session: the codes of the WebSocket's close frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum CloseCode {
    /// The hub stops, or starts again.
    Restart = 1012,
    /// A frame was too long.
    TooLong = 1009,
    /// The reader was too slow. Connect again and resume after the last position.
    Resume = 4000,
    /// Too many frames in a row could not be read.
    Unreadable = 4400,
    /// Nobody is signed in: the token was wrong, was replaced, or did not come in time.
    SignedOut = 4401,
    /// The reader may no longer read a project that it follows.
    AccessEnded = 4403,
    /// The heartbeats were not answered.
    Silent = 4408,
    /// Too many frames in a row came faster than the rates allow. Wait, then connect again.
    TooMany = 4429,
    /// A fault of the hub. Connect again and resume.
    Fault = 4500,
}

impl CloseCode {
    /// All codes.
    pub const ALL: &'static [Self] = &[
        Self::Restart,
        Self::TooLong,
        Self::Resume,
        Self::Unreadable,
        Self::SignedOut,
        Self::AccessEnded,
        Self::Silent,
        Self::TooMany,
        Self::Fault,
    ];

    /// The code with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.number() == number)
    }

    /// The number on the wire.
    pub fn number(self) -> u16 {
        self as u16
    }

    /// Whether the same session may be opened again, with the same token, and resume.
    pub fn may_resume(self) -> bool {
        matches!(self, Self::Restart | Self::Resume | Self::Silent | Self::TooMany | Self::Fault)
    }

    /// What a person is told.
    pub fn text(self) -> &'static str {
        match self {
            Self::Restart => "the hub is stopping; connect again and resume",
            Self::TooLong => "the frame was too long",
            Self::Resume => "too slow; connect again and resume after the last position",
            Self::Unreadable => "too many frames that cannot be read",
            Self::SignedOut => "nobody is signed in",
            Self::AccessEnded => "you may no longer read this project",
            Self::Silent => "no answer to the heartbeats",
            Self::TooMany => "too many requests; wait, then connect again",
            Self::Fault => "a fault of the hub; connect again and resume",
        }
    }
}
