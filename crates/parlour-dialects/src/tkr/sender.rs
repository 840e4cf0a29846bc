//! Who sends a message: TKR knows its one user, agents by their ids, and itself.

use parlour_core::{
    author::{Author, AuthorType},
    message::{Kind, State},
    model_visibility::usual_kind,
};

use super::{NAME, message_type::MessageType};
use crate::foreign_author::{foreign_author, said_author};

/// The sort of sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    User,
    Agent,
    /// The system itself. The original takes such a message for the user's, which puts words into the user's mouth.
    Nobody,
}

impl Sender {
    /// How TKR sees an author: whatever is neither a person nor the hub is a program, and so an agent.
    pub(super) fn of(author: &Author) -> Self {
        match author.author_type {
            AuthorType::Person => Self::User,
            AuthorType::Host | AuthorType::System => Self::Nobody,
            AuthorType::Agent | AuthorType::Applet | AuthorType::Scheduler | AuthorType::Tool => Self::Agent,
        }
    }

    /// The author natively; `agent` is the id of the agent that sends.
    pub(super) fn author(self, agent: &str) -> Author {
        match self {
            Self::User => foreign_author(NAME, AuthorType::Person, "user", "User"),
            Self::Agent => foreign_author(NAME, AuthorType::Agent, agent, agent),
            Self::Nobody => foreign_author(NAME, AuthorType::Host, "system", "TKR"),
        }
    }

    /// What its message of this type is to a model: notifications, and whatever the system says, are for people only.
    pub(super) fn kind(self, message_type: MessageType) -> Kind {
        match self {
            _ if message_type == MessageType::System => Kind::Host,
            Self::User => usual_kind(AuthorType::Person),
            Self::Agent => usual_kind(AuthorType::Agent),
            Self::Nobody => usual_kind(AuthorType::Host),
        }
    }

    /// How its message of this type ended: an error of somebody is an answer that failed, one of the system is news.
    pub(super) fn state(self, message_type: MessageType, is_streaming: bool) -> State {
        match message_type {
            _ if is_streaming => State::Streaming,
            MessageType::Error if self != Self::Nobody => State::Failed,
            _ => State::Complete,
        }
    }

    /// The type of its messages where nothing else is said.
    pub(super) fn usual_type(self, kind: Kind, state: State) -> MessageType {
        match self {
            Self::Nobody => MessageType::System,
            _ if state == State::Failed => MessageType::Error,
            _ if kind == Kind::Host => MessageType::System,
            _ => MessageType::Text,
        }
    }
}

/// The id of the agent that an author is to TKR; never empty, because a message of nobody would be the system's.
pub(super) fn said_agent(author: &Author) -> &str {
    match said_author(NAME, author) {
        "" => "agent",
        id => id,
    }
}
