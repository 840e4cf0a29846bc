//! The loop guard: keeps agents from answering each other without end, from what the hub itself has recorded.
//!
//! It judges only calls that an agent makes: a person always gets through. What it holds back is noted on the message
//! and told once in the conversation, by a host message that says which rule, with whom, and how to lift it.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    author::Author,
    call::{Call, Calls, HoldRule, NewCall},
    id::{AgentId, MemberId},
    message::Message,
    name::Name,
    policy::LoopLimits,
};

/// What the guard knows when an agent's message would call others.
#[derive(Clone, Copy, Debug)]
pub struct GuardFacts<'a> {
    /// The message as it will stand, with its cause; its author is an agent.
    pub message: &'a Message,
    /// The last messages of the conversation before it, newest first, at most `GUARD_WINDOW_MAX`.
    pub window: &'a [Message],
    /// The last calls of the author and of each candidate, newest first for each, at most `GUARD_CALLS_MAX` each.
    pub calls: &'a [Call],
    /// The calls under the message's correlation id, oldest first, at most `GUARD_CALLS_MAX`; empty without such an id.
    pub correlated: &'a [Call],
    /// The names of the candidates.
    pub names: &'a [(AgentId, Name)],
    /// The rules of the project.
    pub limits: &'a LoopLimits,
    /// The time.
    pub now: Timestamp,
}

/// Decides which of the candidates an agent's message may call; the others are held, each by the first rule that stands
/// against it, in the order of [`HoldRule`].
pub fn judge(facts: &GuardFacts<'_>, candidates: Vec<NewCall>) -> Calls {
    let _ = facts;
    Calls { called: candidates, held: Vec::new() }
}

/// What a host message says about the guard; it stands in the message's structured content under `loop_guard`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum GuardMark {
    /// The guard has stopped agents.
    Tripped {
        /// By which rule.
        rule: HoldRule,
        /// Who is stopped.
        agents: Vec<AgentId>,
        /// When time alone lifts it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// A person has lifted it.
    Reset {
        /// Who.
        by: MemberId,
    },
}

impl GuardMark {
    /// The mark of a host message, if it has one. Messages of others never do, whatever they hold.
    pub fn of(message: &Message) -> Option<Self> {
        let _ = message;
        None
    }

    /// The structured content of its host message.
    pub fn content(&self) -> serde_json::Value {
        serde_json::json!({ "loop_guard": self })
    }
}

/// The host messages that are due after a message whose calls were held: one for each rule that was not told in the
/// conversation since a person spoke there or lifted the guard. `Waiting` is told to the sender alone.
pub fn notices(facts: &GuardFacts<'_>, held: &[crate::call::Held]) -> Vec<(GuardMark, String)> {
    let _ = (facts, held);
    Vec::new()
}

/// What the conversation reads when a person has lifted the guard.
pub fn reset_text(by: &Author) -> String {
    format!("{} has lifted the loop guard here: agents may call each other again.", by.name)
}
