//! Calls: which agents a message calls, before the loop guard judges the calls.

use crate::{
    Timestamp,
    author::AuthorType,
    call::{CallReason, NewCall},
    conversation::ConversationType,
    id::{AgentId, MemberId},
    message::Message,
    model_visibility,
    policy::CallRules,
};

/// The facts that decide which agents a message calls.
#[derive(Clone, Copy, Debug)]
pub struct WakeFacts<'a> {
    /// The message, with its mentions.
    pub message: &'a Message,
    /// The participants of the DM, the author included; empty elsewhere.
    pub dm_members: &'a [MemberId],
    /// Agents that were called into the thread or have written there; empty elsewhere.
    pub thread_agents: &'a [AgentId],
    /// The last messages of the thread, newest first; empty elsewhere. Older messages are not loaded: an agent whose
    /// mention lies further back does not follow.
    pub window: &'a [Message],
    /// The rules of the project.
    pub rules: &'a CallRules,
    /// The time.
    pub now: Timestamp,
}

/// Decides which agents a message calls: each once, with its strongest reason, never its author.
///
/// - Mentioned agents are called.
/// - In a DM, a person calls every agent there, unless the message mentions some: then only those. An agent calls its
///   partner only in a DM of two; among more it has to mention. Applets and schedules count as people here.
/// - In a thread, a person who mentions no agent calls those inside of their follow window: agents that a mention has
///   called into this thread, as long as neither `follow_idle_seconds` have passed since they were called by a mention
///   or have written there, nor `follow_messages_max` messages have called them by following since that mention.
/// - Notices, and messages that `model_visibility::may_call` excludes, call nobody.
pub fn wakes(facts: &WakeFacts<'_>) -> Vec<NewCall> {
    if !model_visibility::may_call(facts.message) {
        return Vec::new();
    }
    let author = facts.message.from.member_id();
    let mut calls: Vec<NewCall> = Vec::new();
    let mut add = |agent: &AgentId, reason: CallReason| {
        let is_author = author.as_ref().and_then(MemberId::agent) == Some(agent);
        if !is_author && calls.iter().all(|call| call.agent_id != *agent) {
            calls.push(NewCall { agent_id: agent.clone(), reason });
        }
    };
    // The strongest reason comes first, so that deduplication keeps it.
    mentioned(facts.message).for_each(|agent| add(agent, CallReason::Mention));
    dm_partners(facts).for_each(|agent| add(agent, CallReason::Dm));
    followers(facts).for_each(|agent| add(agent, CallReason::Follow));
    calls
}

/// The called agents that a message no longer addresses once an edit has changed its mentions to `mentions`: those that
/// it mentioned before and does not mention any more.
///
/// In a DM, a text that mentions no other agent addresses every agent there, so no call ends. A question keeps its
/// addressees, and with them its calls.
pub fn no_longer_called(message: &Message, mentions: &[MemberId]) -> Vec<AgentId> {
    let author = message.from.member_id();
    let mut others = mentions.iter().filter(|member| author.as_ref() != Some(member)).filter_map(MemberId::agent);
    let is_for_all = message.conversation_type == ConversationType::Dm && others.next().is_none();
    if is_for_all || message.question.is_some() {
        return Vec::new();
    }
    let is_dropped = |agent: &&AgentId| !mentions.iter().any(|member| member.agent() == Some(*agent));
    let dropped = mentioned(message).filter(is_dropped);
    dropped.filter(|agent| is_called(message, agent)).cloned().collect()
}

fn mentioned(message: &Message) -> impl Iterator<Item = &AgentId> {
    message.mentions.iter().filter_map(MemberId::agent)
}

fn dm_partners<'a>(facts: &WakeFacts<'a>) -> impl Iterator<Item = &'a AgentId> + use<'a> {
    let message = facts.message;
    let is_meant_for_all = match message.from.author_type {
        AuthorType::Agent => facts.dm_members.len() == 2,
        _ => mentioned(message).next().is_none(),
    };
    let is_dm = message.conversation_type == ConversationType::Dm;
    let members = if is_dm && is_meant_for_all { facts.dm_members } else { &[] };
    members.iter().filter_map(MemberId::agent)
}

/// The agents that this message calls because they follow its thread.
fn followers<'a>(facts: &WakeFacts<'a>) -> impl Iterator<Item = &'a AgentId> + use<'a> {
    let facts = *facts;
    let is_followed = facts.message.conversation_type == ConversationType::Thread
        && facts.message.from.author_type == AuthorType::Person
        && mentioned(facts.message).next().is_none();
    let agents = if is_followed { facts.thread_agents } else { &[] };
    agents.iter().filter(move |agent| FollowWindow::of(agent, &facts).is_some_and(|footing| footing.is_open(&facts)))
}

/// The follow window of an agent in a thread: its activity since a mention last called it.
struct FollowWindow {
    /// When the agent was last mentioned or wrote.
    active_at: Timestamp,
    /// The number of messages that have called it by following since the mention.
    calls_by_following: u64,
}

impl FollowWindow {
    /// Reads the window back to the mention that called the agent; none when there is no such mention.
    fn of(agent: &AgentId, facts: &WakeFacts<'_>) -> Option<Self> {
        let mut wrote_at = None;
        let mut calls_by_following = 0;
        // At the end of a stream, the window already contains the message itself.
        for message in facts.window.iter().filter(|message| message.id != facts.message.id) {
            if message.from.member_id().as_ref().and_then(MemberId::agent) == Some(agent) {
                wrote_at = wrote_at.max(Some(message.created_at));
            }
            match (is_called(message, agent), mentioned(message).any(|one| one == agent)) {
                (true, true) => {
                    let active_at = wrote_at.map_or(message.created_at, |at: Timestamp| at.max(message.created_at));
                    return Some(Self { active_at, calls_by_following });
                }
                (true, false) => calls_by_following += 1,
                _ => {}
            }
        }
        None
    }

    fn is_open(&self, facts: &WakeFacts<'_>) -> bool {
        let idle_ms = facts.rules.follow_idle_seconds.saturating_mul(1_000);
        facts.now < self.active_at.plus_millis(idle_ms) && self.calls_by_following < facts.rules.follow_messages_max
    }
}

fn is_called(message: &Message, agent: &AgentId) -> bool {
    message.calls.contains(agent)
}

#[cfg(test)]
mod tests;
