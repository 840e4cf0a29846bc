//! The types of messages.

use parlour_core::Refusal;

use crate::json::{Json, wrong};

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageType {
    Text,
    AgentMessage,
    System,
    Error,
    ContextUpdate,
    TaskUpdate,
    Ping,
    Pong,
    /// Only the legacy form has it; it is read in both, so that one that was turned into the other survives.
    Ack,
}

impl MessageType {
    const ALL: [Self; 9] = [
        Self::Text,
        Self::AgentMessage,
        Self::System,
        Self::Error,
        Self::ContextUpdate,
        Self::TaskUpdate,
        Self::Ping,
        Self::Pong,
        Self::Ack,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::AgentMessage => "agent_message",
            Self::System => "system",
            Self::Error => "error",
            Self::ContextUpdate => "context_update",
            Self::TaskUpdate => "task_update",
            Self::Ping => "ping",
            Self::Pong => "pong",
            Self::Ack => "ack",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }

    /// The value of the field `type`.
    pub(super) fn read(value: &Json<'_>) -> Result<Self, Refusal> {
        let Some(text) = value.as_str() else { return Err(wrong("type", "a text", value)) };
        Self::parse(text).ok_or_else(|| {
            let names = Self::ALL.map(|one| one.as_str().to_owned()).to_vec();
            Refusal::invalid("this is no type of a TKR message").at("type").proposing(names)
        })
    }

    /// Whether it only says that a connection lives.
    pub(super) fn is_signal(self) -> bool {
        matches!(self, Self::Ping | Self::Pong | Self::Ack)
    }

    /// Whether its own fields say all of it, so that it needs no text.
    pub(super) fn is_update(self) -> bool {
        matches!(self, Self::ContextUpdate | Self::TaskUpdate)
    }
}
