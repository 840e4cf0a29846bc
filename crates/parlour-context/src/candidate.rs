//! Candidates: what may be shown, where it stands, and why it comes into question.

use std::sync::Arc;

use parlour_core::{
    author::Author,
    context::{Reason, Section, SubjectType},
    id::ConversationId,
    message::Importance,
};

use crate::prepared::Prepared;

/// Something that may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What it is.
    pub subject_type: SubjectType,
    /// Its id.
    pub id: String,
    /// In which section it would stand.
    pub section: Section,
    /// Where it was said; nothing for what was not said anywhere.
    pub conversation: Option<Arc<ConversationRef>>,
    /// Its number there: what is newer is larger. Clocks play no part.
    pub seq: u64,
    /// Who wrote it; nothing for what the hub itself says, such as the card of a project.
    pub from: Option<Author>,
    /// What it says.
    pub prepared: Arc<Prepared>,
    /// How much it matters to its recipients.
    pub importance: Importance,
    /// Why it comes into question, the strongest first; never empty.
    pub reasons: Vec<Reason>,
    /// Steps from the agent, or its task, in the project graph.
    pub distance: u8,
    /// The message that it answers, by its id.
    pub reply_to: Option<String>,
    /// What the hub itself says of it, such as how much it matters: written in front of it, each of its lines as a line
    /// of the hub's own. No word of others belongs here.
    pub note: Option<String>,
    /// What an answer to it is to look like, such as the options of a question: words of its author, quoted behind it.
    pub answer_format: Option<String>,
    /// What a summary stands for; nothing for everything else.
    pub summarizes: Option<Arc<SummarizedMessages>>,
}

/// The messages that a summary stands for, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummarizedMessages {
    /// All of them: one that is not shown is summed up.
    pub covers: Vec<String>,
    /// Those that it quotes, in the order of its lines: they are not shown beside it, save where they must be.
    pub quotes: Vec<String>,
}

/// Where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationRef {
    /// The conversation.
    pub id: ConversationId,
    /// What it is called: `#general`, `a thread in #general`, `a dm with Mara`.
    pub name: String,
    /// How many messages there are in it.
    pub last_seq: u64,
}

/// How far what somebody says is trusted. The hub decides it by who wrote it, never by what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// The hub itself.
    Hub,
    /// A person of the project.
    Person,
    /// An agent, applet, schedule or tool.
    Machine,
    /// Somebody whom only another system knew.
    Foreign,
}

impl Candidate {
    /// Whether it is shown whatever else is: what is to be answered, and what blocks.
    pub fn is_mandatory(&self) -> bool {
        self.reasons.iter().any(|reason| matches!(reason, Reason::Current | Reason::Blocking))
    }

    /// Whether it asks the agent something that it has to answer first.
    pub(crate) fn is_blocking(&self) -> bool {
        self.reasons.contains(&Reason::Blocking)
    }

    /// Whether the agent has not read it yet.
    pub(crate) fn is_unread(&self) -> bool {
        self.reasons.contains(&Reason::Unread)
    }

    /// How far its sender is trusted.
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
