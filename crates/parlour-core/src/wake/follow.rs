//! The follow window: agents that go on listening in a thread for a while after they were called into it.

use super::{WakeFacts, mentioned};
use crate::{
    Timestamp,
    author::AuthorType,
    conversation::ConversationType,
    id::{AgentId, MemberId},
    message::Message,
};

/// The agents that this message calls because they follow its thread.
pub(super) fn followers<'a>(facts: &WakeFacts<'a>) -> impl Iterator<Item = &'a AgentId> + use<'a> {
    let facts = *facts;
    let is_followed = facts.message.conversation_type == ConversationType::Thread
        && facts.message.from.author_type == AuthorType::Person
        && mentioned(facts.message).next().is_none();
    let agents = if is_followed { facts.thread_agents } else { &[] };
    agents.iter().filter(move |agent| Footing::of(agent, &facts).is_some_and(|footing| footing.is_inside(&facts)))
}

/// How an agent stands in a thread since a mention last called it.
struct Footing {
    /// When it was last mentioned or wrote.
    active_at: Timestamp,
    /// How many messages have called it by following since the mention.
    followed: u64,
}

impl Footing {
    /// Reads the window back to the mention that called the agent; none when there is no such mention.
    fn of(agent: &AgentId, facts: &WakeFacts<'_>) -> Option<Self> {
        let mut wrote_at = None;
        let mut followed = 0;
        // At the end of a stream the message itself stands in the window already.
        for message in facts.window.iter().filter(|message| message.id != facts.message.id) {
            if message.from.member_id().as_ref().and_then(MemberId::agent) == Some(agent) {
                wrote_at = wrote_at.max(Some(message.created_at));
            }
            match (is_called(message, agent), mentioned(message).any(|one| one == agent)) {
                (true, true) => {
                    let active_at = wrote_at.map_or(message.created_at, |at: Timestamp| at.max(message.created_at));
                    return Some(Self { active_at, followed });
                }
                (true, false) => followed += 1,
                _ => {}
            }
        }
        None
    }

    fn is_inside(&self, facts: &WakeFacts<'_>) -> bool {
        let idle_ms = facts.rules.follow_idle_seconds.saturating_mul(1_000);
        facts.now < self.active_at.plus_millis(idle_ms) && self.followed < facts.rules.follow_messages_max
    }
}

fn is_called(message: &Message, agent: &AgentId) -> bool {
    message.calls.contains(agent)
}
