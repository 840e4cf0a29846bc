//! The loop guard: stops agents from answering each other endlessly. It uses only the hub's own records.
//!
//! It judges calls made by agents; a person is never stopped. A held call is recorded on the message, and a host
//! message reports it once in the conversation: the rule, the agents, and how to reset the guard.
//!
//! A message of a person restarts the budget of its conversation, and a mention by a person starts a new chain. A reset
//! clears everything that happened in its conversation before.

use crate::{
    Timestamp,
    author::AuthorType,
    call::{Call, Calls, HeldCall, HoldRule, NewCall},
    id::AgentId,
    message::Message,
    name::Name,
    policy::LoopLimits,
};

mod delegation;
mod history;
mod notice;
mod rules;
mod similarity;

pub use delegation::{delegation_chain, delegation_depth};
pub use notice::{GuardMark, active_stops, needs_older_messages, notices, reset_text};

/// The facts with which the guard judges a message that would call agents.
#[derive(Clone, Copy, Debug)]
pub struct GuardFacts<'a> {
    /// The message to judge, with its cause; its author is an agent.
    pub message: &'a Message,
    /// The last messages of the conversation before it, newest first, at most `GUARD_WINDOW_MAX`.
    pub window: &'a [Message],
    /// The last calls of the author and of each candidate, newest first for each, at most `GUARD_CALLS_MAX` each.
    pub calls: &'a [Call],
    /// The calls under the message's correlation id that agents have made, oldest first, at most `GUARD_CALLS_MAX`;
    /// empty without such an id.
    pub correlated: &'a [Call],
    /// The names of the candidates.
    pub names: &'a [(AgentId, Name)],
    /// The rules of the project.
    pub limits: &'a LoopLimits,
    /// The time.
    pub now: Timestamp,
}

impl GuardFacts<'_> {
    /// The agent that wrote the message; `None` for another author, whom the guard does not judge.
    fn author(&self) -> Option<AgentId> {
        self.message.from.member_id()?.agent().cloned()
    }

    /// The name of a candidate, or a placeholder when the hub did not provide it.
    fn name_of(&self, agent: &AgentId) -> Name {
        let known = self.names.iter().find(|(id, _)| id == agent).map(|(_, name)| name.clone());
        known.unwrap_or_else(|| Name::parse("an agent").expect("a name: two words of letters"))
    }
}

/// The result of a rule that forbids a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hold {
    /// When the hold ends by itself.
    until: Option<Timestamp>,
}

impl Hold {
    /// A hold that only a person can end.
    const UNTIL_PERSON: Self = Self { until: None };
}

/// Decides which candidates an agent's message may call. The others are held, each by the first rule that forbids the
/// call, in the order of [`HoldRule`]. Each candidate is judged once. The hub itself applies the rule `Waiting`.
pub fn judge(facts: &GuardFacts<'_>, candidates: Vec<NewCall>) -> Calls {
    if facts.message.from.author_type != AuthorType::Agent {
        return Calls { called: candidates, held: Vec::new() };
    }
    let for_all = hold_for_all(facts);
    let mut calls = Calls::default();
    let mut seen: Vec<AgentId> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let agent = &candidate.agent_id;
        if seen.contains(agent) {
            continue;
        }
        seen.push(agent.clone());
        let own = hold_for_one(facts, agent, calls.called.len());
        match [for_all, own].into_iter().flatten().min_by_key(|(rule, _)| *rule) {
            Some((rule, hold)) => {
                let (agent_id, name) = (agent.clone(), facts.name_of(agent));
                calls.held.push(HeldCall { agent_id, name, rule, until: hold.until });
            }
            None => calls.called.push(candidate),
        }
    }
    calls
}

/// The first rule that forbids every call of the message.
fn hold_for_all(facts: &GuardFacts<'_>) -> Option<(HoldRule, Hold)> {
    let depth = || rules::depth_hold(facts).map(|hold| (HoldRule::Depth, hold));
    let budget = || rules::budget_hold(facts).map(|hold| (HoldRule::Budget, hold));
    let no_progress = || rules::no_progress_hold(facts).map(|hold| (HoldRule::NoProgress, hold));
    depth().or_else(budget).or_else(no_progress)
}

/// The first rule that forbids the call of this candidate; the message already calls `called` others.
fn hold_for_one(facts: &GuardFacts<'_>, candidate: &AgentId, called: usize) -> Option<(HoldRule, Hold)> {
    let chain = || rules::chain_hold(facts, candidate).map(|hold| (HoldRule::Chain, hold));
    let pair = || rules::pair_hold(facts, candidate).map(|hold| (HoldRule::Pair, hold));
    let correlation = || rules::correlation_hold(facts, candidate, called).map(|hold| (HoldRule::Correlation, hold));
    chain().or_else(pair).or_else(correlation)
}

#[cfg(test)]
mod tests;
