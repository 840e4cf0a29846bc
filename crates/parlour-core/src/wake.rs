//! Who answers: which agents a message calls, before the loop guard has its say.

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

mod follow;

/// What the hub knows of a message and the place where it stands.
#[derive(Clone, Copy, Debug)]
pub struct WakeFacts<'a> {
    /// The message as it will stand, with its mentions.
    pub message: &'a Message,
    /// Who takes part in the dm, the author included; nobody elsewhere.
    pub dm_members: &'a [MemberId],
    /// Agents that were called into the thread or have written there; nobody elsewhere.
    pub thread_agents: &'a [AgentId],
    /// The last messages of the thread, newest first; empty elsewhere. What no longer stands in it is not known: an
    /// agent whose mention lies further back does not follow.
    pub window: &'a [Message],
    /// The rules of the project.
    pub rules: &'a CallRules,
    /// The time.
    pub now: Timestamp,
}

/// Decides which agents a message calls: each once, with its strongest reason, never its author.
///
/// - Mentioned agents are called.
/// - In a dm, a person calls every agent there, unless the message mentions some: then those alone. An agent calls its
///   partner only in a dm of two; among more it has to mention. Applets and schedules count as people here.
/// - In a thread, a person who mentions no agent calls those inside of their follow window: agents that a mention has
///   called into this thread, as long as neither `follow_idle_seconds` have passed since they were called by a mention
///   or have written there, nor `follow_messages_max` messages have called them by following since that mention.
/// - Notices, and whatever `audience::may_call` does not let through, call nobody.
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
    // The strongest reason comes first, so that it is the one that is kept.
    mentioned(facts.message).for_each(|agent| add(agent, CallReason::Mention));
    dm_partners(facts).for_each(|agent| add(agent, CallReason::Dm));
    follow::followers(facts).for_each(|agent| add(agent, CallReason::Follow));
    calls
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

#[cfg(test)]
mod tests;
