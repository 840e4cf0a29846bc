//! Causes: what led to a message of an agent, from the hub's own records. A client's claim can only raise the count.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal,
    author::AuthorType,
    call::{Call, CallState},
    id::{AgentId, ConversationId, MemberId, MessageId},
    limits,
    message::{Cause, Message},
    name::Name,
    text,
};

/// The chain that a client claims for its message. It can only extend the recorded chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ClaimedCause {
    /// The number of agent answers since the last message of a person, this one included.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000_000))]
    pub depth: u32,
    /// The names of the agents that answered on the way.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub chain: Vec<String>,
}

impl ClaimedCause {
    /// Refuses a claim with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.depth as usize > limits::CLAIMED_DEPTH_MAX {
            let detail =
                format!("the claimed depth is {}; at most {} is allowed", self.depth, limits::CLAIMED_DEPTH_MAX);
            return Err(Refusal::out_of_bounds(detail).at("cause.depth"));
        }
        if self.chain.len() > limits::CHAIN_NAMES_MAX {
            let detail = format!("a chain has at most {} names", limits::CHAIN_NAMES_MAX);
            return Err(Refusal::out_of_bounds(detail).at("cause.chain"));
        }
        for (index, name) in self.chain.iter().enumerate() {
            text::check_text(name, limits::NAME_CHARS_MAX)
                .map_err(|refusal| refusal.at(&format!("cause.chain[{index}]")))?;
        }
        Ok(())
    }
}

/// The message or call that an agent's message responds to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// It answers this call, which is the ticket for one answer.
    Call(MessageId),
    /// It answers no call and follows from this message: the deepest one that has called the agent since a person last
    /// did, or the one that it replies to.
    Consequence(MessageId),
    /// No recent call: the agent posts on its own.
    Itself,
}

/// Finds what a message of an agent follows from.
///
/// `recent` are the agent's last calls, newest first. The hub leaves out those older than `calls.expire_seconds`: an
/// agent without a recent call posts on its own. A reply to a message with an open call takes that call; without
/// `reply_to` the message takes the oldest open call of its conversation. Everything else is a consequence: of the
/// message it replies to or of the deepest call since a person last called the agent (that one included), whichever is
/// deeper; of two that are equally deep it is the call, which the agent cannot choose.
pub fn origin(recent: &[Call], conversation: &ConversationId, reply_to: Option<&Message>) -> Trigger {
    let is_ticket = |call: &&Call| match reply_to {
        Some(message) => call.message_id == message.id,
        None => call.conversation_id == *conversation,
    };
    let open = recent.iter().filter(|call| call.state == CallState::Open);
    if let Some(ticket) = open.rev().find(is_ticket) {
        return Trigger::Call(ticket.message_id.clone());
    }
    let reply = reply_to.map(|message| (depth_of(message), &message.id));
    let called = deepest(recent).map(|call| (call.depth, &call.message_id));
    match (reply, called) {
        (Some((depth, id)), Some((other, _))) if depth > other => Trigger::Consequence(id.clone()),
        (_, Some((_, id))) | (Some((_, id)), None) => Trigger::Consequence(id.clone()),
        (None, None) => Trigger::Itself,
    }
}

/// The deepest of the calls since a person last called the agent, the newest of equally deep ones.
fn deepest(recent: &[Call]) -> Option<&Call> {
    let is_persons = |call: &Call| call.from.author_type == AuthorType::Person;
    let end = recent.iter().position(is_persons).map_or(recent.len(), |index| index + 1);
    recent[..end].iter().rev().max_by_key(|call| call.depth)
}

/// The number of agent answers between a message and the last message of a person. It is at least one for a message of
/// an agent, even if its cause was never recorded.
pub fn depth_of(message: &Message) -> u32 {
    let recorded = message.cause.as_ref().map_or(0, |cause| cause.depth);
    recorded.max(u32::from(message.from.author_type == AuthorType::Agent))
}

/// The cause of a message that this agent writes after `origin` (the message, when there is one): one deeper, with the
/// agent at the end of the chain. The chain contains folded names, as they are compared.
///
/// A claim can only raise: the greater depth counts, and names that the hub has not recorded are put before those that
/// it has. A chain keeps its last `CHAIN_NAMES_MAX` names, so a long claim cannot push out what is recorded.
pub fn cause_after(origin: Option<&Message>, agent: &AgentId, name: &Name, claimed: Option<&ClaimedCause>) -> Cause {
    let mut recorded = origin.map_or_else(nothing, recorded_cause);
    recorded.chain.push(Name::fold(name.as_str()));
    recorded.agents.push(agent.clone());
    let mut chain = claimed.map_or_else(Vec::new, |claim| unrecorded(&claim.chain, &recorded.chain));
    chain.append(&mut recorded.chain);
    Cause {
        depth: recorded.depth.saturating_add(1).max(claimed.map_or(0, |claim| claim.depth)),
        chain: last_names(chain),
        agents: last_names(recorded.agents),
        message_id: origin.map(|message| message.id.clone()),
    }
}

fn nothing() -> Cause {
    Cause { depth: 0, chain: Vec::new(), agents: Vec::new(), message_id: None }
}

/// The recorded cause of a message. A message of an agent without one counts as the first answer of that agent.
fn recorded_cause(message: &Message) -> Cause {
    let mut cause = message.cause.clone().unwrap_or_else(nothing);
    cause.chain.iter_mut().for_each(|name| *name = Name::fold(name));
    cause.depth = depth_of(message);
    if let (None, Some(MemberId::Agent(agent))) = (&message.cause, message.from.member_id()) {
        cause.chain.push(Name::fold(&message.from.name));
        cause.agents.push(agent);
    }
    cause
}

/// The claimed names that are not recorded, in their order; a name that is claimed more often than it is recorded
/// remains as often as the difference.
fn unrecorded(claimed: &[String], recorded: &[String]) -> Vec<String> {
    let mut known: Vec<&String> = recorded.iter().collect();
    let mut names: Vec<String> = claimed.iter().map(|name| Name::fold(name)).collect();
    names.retain(|name| match known.iter().position(|one| *one == name) {
        Some(index) => {
            known.swap_remove(index);
            false
        }
        None => true,
    });
    names
}

fn last_names<T>(mut names: Vec<T>) -> Vec<T> {
    names.drain(..names.len().saturating_sub(limits::CHAIN_NAMES_MAX));
    names
}

#[cfg(test)]
mod tests;
