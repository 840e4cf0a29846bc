//! Who answers: which agents a message calls, before the loop guard has its say.

use crate::{
    Timestamp,
    call::NewCall,
    id::{AgentId, MemberId},
    message::Message,
    policy::CallRules,
};

/// What the hub knows of a message and the place where it stands.
#[derive(Clone, Copy, Debug)]
pub struct WakeFacts<'a> {
    /// The message as it will stand, with its mentions.
    pub message: &'a Message,
    /// Who takes part in the dm; nobody elsewhere.
    pub dm_members: &'a [MemberId],
    /// Agents that were called into the thread or have written there; nobody elsewhere.
    pub thread_agents: &'a [AgentId],
    /// The last messages of the thread, newest first; empty elsewhere.
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
///   partner only in a dm of two; among more it has to mention.
/// - In a thread, a person who mentions no agent calls those inside of their follow window: agents that a mention has
///   called into this thread, as long as neither `follow_idle_seconds` have passed since they were called by a mention
///   or have written there, nor `follow_messages_max` messages have called them by following since that mention.
/// - Notices, and whatever `audience::may_wake` does not let through, call nobody.
pub fn wakes(facts: &WakeFacts<'_>) -> Vec<NewCall> {
    let _ = facts;
    Vec::new()
}
