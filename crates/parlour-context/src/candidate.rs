//! Candidates: the items that a pack may show.

use std::sync::Arc;

use parlour_core::{
    author::Author,
    context::{Reason, Section, SubjectType},
    id::ConversationId,
    message::Importance,
};

use crate::prepared::Prepared;

/// An item that a pack may show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The kind of item.
    pub subject_type: SubjectType,
    /// The id of the item.
    pub id: String,
    /// The section of the pack that it belongs to.
    pub section: Section,
    /// The conversation of a message; `None` for other items.
    pub conversation: Option<Arc<ConversationRef>>,
    /// Sequence number in its conversation; recency is measured by it, not by time.
    pub seq: u64,
    /// The author; `None` for items of the hub itself, such as the card of a project.
    pub from: Option<Author>,
    /// The redacted, prepared text.
    pub prepared: Arc<Prepared>,
    /// Importance to the recipients.
    pub importance: Importance,
    /// The reasons for being a candidate, the strongest first; never empty.
    pub reasons: Vec<Reason>,
    /// Steps from the agent, or its task, in the project graph.
    pub distance: u8,
    /// Id of the message that it replies to.
    pub reply_to: Option<String>,
    /// Lines that the hub writes before it. They must not contain text of others.
    pub note: Option<String>,
    /// The expected answer format, such as the options of a question, in the words of its author; quoted after it.
    pub answer_format: Option<String>,
    /// The messages that a summary stands for; `None` for other items.
    pub summarizes: Option<Arc<SummarizedMessages>>,
}

/// Ids of the messages that a summary stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummarizedMessages {
    /// All of them.
    pub covers: Vec<String>,
    /// The quoted ones in text order; they are not shown beside the summary unless they are mandatory.
    pub quotes: Vec<String>,
}

/// A conversation as packs name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationRef {
    /// The conversation.
    pub id: ConversationId,
    /// `#general`, `a thread in #general`, `a dm with Mara`.
    pub name: String,
    /// Sequence number of its last message.
    pub last_seq: u64,
}

/// Trust in an author. It depends on who wrote a text, never on what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// The hub itself.
    Hub,
    /// A person of the project.
    Person,
    /// An agent, applet, schedule or tool.
    Machine,
    /// An author that only another system knows.
    Foreign,
}

impl Candidate {
    /// Whether it must be shown: messages to answer, and blocking messages.
    pub fn is_mandatory(&self) -> bool {
        self.reasons.iter().any(|reason| matches!(reason, Reason::Current | Reason::Blocking))
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.reasons.contains(&Reason::Blocking)
    }

    pub(crate) fn is_unread(&self) -> bool {
        self.reasons.contains(&Reason::Unread)
    }

    /// Trust in its author.
    pub fn trust(&self) -> Trust {
        use parlour_core::author::AuthorType;
        let Some(from) = &self.from else { return Trust::Hub };
        if from.foreign_system().is_some() {
            return Trust::Foreign;
        }
        match from.author_type {
            AuthorType::Person => Trust::Person,
            AuthorType::Agent | AuthorType::Applet | AuthorType::Scheduler | AuthorType::Tool => Trust::Machine,
            AuthorType::Host | AuthorType::System => Trust::Hub,
        }
    }
}
