//! The part of a conversation and of a chain of answers that still counts: what follows the last message of a person or
//! the last reset.

use crate::{
    Timestamp,
    author::AuthorType,
    id::{AgentId, MemberId, MessageId},
    loop_guard::{GuardFacts, GuardMark},
    message::Message,
};

/// The messages since the last message of a person or the last reset, newest first, without the judged one.
pub(super) fn since_person<'a>(facts: &GuardFacts<'a>) -> impl Iterator<Item = &'a Message> + use<'a> {
    let id = &facts.message.id;
    in_window(facts.window).filter(move |message| message.id != *id)
}

/// The messages of a window since the last message of a person or the last reset, newest first.
pub(super) fn in_window(window: &[Message]) -> impl Iterator<Item = &Message> {
    window.iter().take_while(|message| !is_end(message))
}

/// Whether the message is of a person or a reset: older messages no longer count.
pub(super) fn is_end(message: &Message) -> bool {
    (is_native(message) && message.from.author_type == AuthorType::Person) || is_reset(message)
}

/// Whether an agent of this hub wrote the message.
pub(super) fn is_from_agent(message: &Message) -> bool {
    is_native(message) && message.from.author_type == AuthorType::Agent
}

/// Whether the message was written here. Imported messages neither count against a limit nor reset one.
pub(super) fn is_native(message: &Message) -> bool {
    message.from.foreign_system().is_none()
}

pub(super) fn is_reset(message: &Message) -> bool {
    matches!(GuardMark::of(message), Some(GuardMark::Reset { .. }))
}

/// The time of the last reset in this conversation.
pub(super) fn last_reset(facts: &GuardFacts<'_>) -> Option<Timestamp> {
    facts.window.iter().find(|message| is_reset(message)).map(|message| message.created_at)
}

/// The chain of agent answers that led to a message, as the guard counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerChain {
    /// The number of answers, the message included.
    pub depth: u32,
    pub agents: Vec<AgentId>,
    /// The names of these agents, and names claimed by clients.
    pub names: Vec<String>,
}

impl AnswerChain {
    /// The chain of the judged message: its cause, or the part of it after the last reset in this conversation.
    pub(super) fn of(facts: &GuardFacts<'_>) -> Self {
        Self::since_reset(facts).unwrap_or_else(|| Self::recorded(facts.message))
    }

    fn recorded(message: &Message) -> Self {
        match &message.cause {
            Some(cause) => Self { depth: cause.depth, agents: cause.agents.clone(), names: cause.chain.clone() },
            None => Self::started_by(message),
        }
    }

    fn started_by(message: &Message) -> Self {
        let author = message.from.member_id().as_ref().and_then(MemberId::agent).cloned();
        Self { depth: 1, agents: author.into_iter().collect(), names: vec![message.from.name.clone()] }
    }

    /// Follows the causes through the window. `None` without a reset in the window, or when the chain is not proven to
    /// reach back to it: then the whole recorded chain counts.
    fn since_reset(facts: &GuardFacts<'_>) -> Option<Self> {
        let index = facts.window.iter().position(is_reset)?;
        let (newer, older) = (&facts.window[..index], &facts.window[index..]);
        let mut chain = Self { depth: 0, agents: Vec::new(), names: Vec::new() };
        let mut current = facts.message;
        // Each step goes to an older message; the count bounds the loop even if the records contain a cycle.
        for _ in 0..=newer.len() {
            chain.add(current);
            let parent = current.cause.as_ref()?.message_id.as_ref()?;
            if older.iter().any(|message| message.id == *parent) || is_called_before(facts, parent, older[0].created_at)
            {
                return Some(chain);
            }
            current = newer.iter().find(|message| message.id == *parent)?;
        }
        None
    }

    fn add(&mut self, message: &Message) {
        let own = Self::started_by(message);
        self.depth = self.depth.saturating_add(own.depth);
        self.agents.extend(own.agents);
        self.names.extend(own.names);
    }
}

/// Whether the message called the author in this conversation before the reset, by the records of calls: the message
/// can be older than the window.
fn is_called_before(facts: &GuardFacts<'_>, message: &MessageId, reset_at: Timestamp) -> bool {
    facts.calls.iter().any(|call| {
        call.message_id == *message && call.conversation_id == facts.message.to && call.called_at <= reset_at
    })
}
