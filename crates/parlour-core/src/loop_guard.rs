//! The loop guard: keeps agents from answering each other without end, from what the hub itself has recorded.
//!
//! It judges only calls that an agent makes: a person always gets through. What it holds back is noted on the message
//! and told once in the conversation, by a host message that says which rule, with whom, and how to lift it.
//!
//! A person lifts it by writing (what agents may write counts from there) and by a mention (the chain starts anew); a
//! reset lifts all that has happened in its conversation before.

use crate::{
    Timestamp,
    author::AuthorType,
    call::{Call, Calls, HeldCall, HoldRule, NewCall},
    id::AgentId,
    message::Message,
    name::Name,
    policy::LoopLimits,
};

mod alike;
mod budget;
mod chain;
mod correlation;
mod depth;
mod lifted;
mod mark;
mod no_progress;
mod notice;
mod pair;
mod since;

pub use mark::{GuardMark, standing_stops};
pub use notice::{notices, reset_text};

/// What the guard knows when an agent's message would call others.
#[derive(Clone, Copy, Debug)]
pub struct GuardFacts<'a> {
    /// The message as it will stand, with its cause; its author is an agent.
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
    /// The agent that wrote the message; none when somebody else did, whom the guard does not judge.
    fn author(&self) -> Option<AgentId> {
        self.message.from.member_id()?.agent().cloned()
    }

    /// The name of a candidate; one that the hub did not tell is held under a word that names nobody.
    fn name_of(&self, agent: &AgentId) -> Name {
        let known = self.names.iter().find(|(id, _)| id == agent).map(|(_, name)| name.clone());
        known.unwrap_or_else(|| Name::parse("an agent").expect("a name: two words of letters"))
    }
}

/// A rule that stands against a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stop {
    /// When time alone lifts it.
    until: Option<Timestamp>,
}

impl Stop {
    /// A stop that only a person lifts.
    const FOR_A_PERSON: Self = Self { until: None };
}

/// Decides which of the candidates an agent's message may call; the others are held, each by the first rule that stands
/// against it, in the order of [`HoldRule`]. Each candidate is judged once; `Waiting` is the hub's own rule and not
/// judged here.
pub fn judge(facts: &GuardFacts<'_>, candidates: Vec<NewCall>) -> Calls {
    if facts.message.from.author_type != AuthorType::Agent {
        return Calls { called: candidates, held: Vec::new() };
    }
    let for_all = stop_for_all(facts);
    let mut calls = Calls::default();
    let mut seen: Vec<AgentId> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let agent = &candidate.agent_id;
        if seen.contains(agent) {
            continue;
        }
        seen.push(agent.clone());
        let own = stop_for_one(facts, agent, calls.called.len());
        match [for_all, own].into_iter().flatten().min_by_key(|(rule, _)| *rule) {
            Some((rule, stop)) => {
                let (agent_id, name) = (agent.clone(), facts.name_of(agent));
                calls.held.push(HeldCall { agent_id, name, rule, until: stop.until });
            }
            None => calls.called.push(candidate),
        }
    }
    calls
}

/// The first of the rules that stand against the message, whomever it would call.
fn stop_for_all(facts: &GuardFacts<'_>) -> Option<(HoldRule, Stop)> {
    let depth = || depth::stop(facts).map(|stop| (HoldRule::Depth, stop));
    let budget = || budget::stop(facts).map(|stop| (HoldRule::Budget, stop));
    let no_progress = || no_progress::stop(facts).map(|stop| (HoldRule::NoProgress, stop));
    depth().or_else(budget).or_else(no_progress)
}

/// The first of the rules that stand against this candidate, after so many others are called already.
fn stop_for_one(facts: &GuardFacts<'_>, candidate: &AgentId, called: usize) -> Option<(HoldRule, Stop)> {
    let chain = || chain::stop(facts, candidate).map(|stop| (HoldRule::Chain, stop));
    let pair = || pair::stop(facts, candidate).map(|stop| (HoldRule::Pair, stop));
    let correlation = || correlation::stop(facts, candidate, called).map(|stop| (HoldRule::Correlation, stop));
    chain().or_else(pair).or_else(correlation)
}

#[cfg(test)]
mod tests;
