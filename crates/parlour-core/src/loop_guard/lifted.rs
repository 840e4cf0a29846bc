//! The line of agents that led to a message, as far as no reset has cut it off.

use super::{GuardFacts, since};
use crate::{
    Timestamp,
    id::{AgentId, MemberId, MessageId},
    message::Message,
};

/// How deep a message is and who has answered on the way, as the guard counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// How many answers of agents led here, the message included.
    pub depth: u32,
    /// Those agents.
    pub agents: Vec<AgentId>,
    /// Their names, and those that a client has claimed.
    pub names: Vec<String>,
}

impl Line {
    /// The line of the message that is judged: its cause, or what is left of that after a reset in this conversation.
    pub(super) fn of(facts: &GuardFacts<'_>) -> Self {
        Self::since_reset(facts).unwrap_or_else(|| Self::recorded(facts.message))
    }

    fn recorded(message: &Message) -> Self {
        match &message.cause {
            Some(cause) => Self { depth: cause.depth, agents: cause.agents.clone(), names: cause.chain.clone() },
            None => Self::begun_by(message),
        }
    }

    fn begun_by(message: &Message) -> Self {
        let author = message.from.member_id().as_ref().and_then(MemberId::agent).cloned();
        Self { depth: 1, agents: author.into_iter().collect(), names: vec![message.from.name.clone()] }
    }

    /// Walks from cause to cause through the window. None when no reset stands there, or when it is not sure that the
    /// line passes it: then everything that is recorded counts.
    fn since_reset(facts: &GuardFacts<'_>) -> Option<Self> {
        let place = facts.window.iter().position(since::is_reset)?;
        let (newer, older) = (&facts.window[..place], &facts.window[place..]);
        let mut line = Self { depth: 0, agents: Vec::new(), names: Vec::new() };
        let mut here = facts.message;
        // Each step goes to an older message, and the count bounds it even if a record should not.
        for _ in 0..=newer.len() {
            line.add(here);
            let parent = here.cause.as_ref()?.message_id.as_ref()?;
            if older.iter().any(|message| message.id == *parent) || is_before(facts, parent, older[0].created_at) {
                return Some(line);
            }
            here = newer.iter().find(|message| message.id == *parent)?;
        }
        None
    }

    fn add(&mut self, message: &Message) {
        let own = Self::begun_by(message);
        self.depth = self.depth.saturating_add(own.depth);
        self.agents.extend(own.agents);
        self.names.extend(own.names);
    }
}

/// Whether the message has called the author in this conversation before the reset, by the records of calls: it may be
/// too old for the window.
fn is_before(facts: &GuardFacts<'_>, message: &MessageId, reset_at: Timestamp) -> bool {
    facts.calls.iter().any(|call| {
        call.message_id == *message && call.conversation_id == facts.message.to && call.called_at <= reset_at
    })
}
