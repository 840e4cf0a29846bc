//! Causes: what led to a message of an agent, from the hub's own records. A client's claim can only raise the count.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal,
    call::Call,
    id::{AgentId, ConversationId, MessageId},
    limits,
    message::{Cause, Message},
    name::Name,
    text,
};

/// What a client says of the chain that led to its message. It can make the chain longer, never shorter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ClaimedCause {
    /// How many answers of agents lie between the message and the last person's, this one included.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000_000))]
    pub depth: u32,
    /// The names of the agents that answered on the way.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub chain: Vec<String>,
}

impl ClaimedCause {
    /// Refuses a claim with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
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

/// What a message of an agent follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It answers this call, which is the ticket for one answer; earlier open calls of the same conversation are
    /// answered with it.
    Call(MessageId),
    /// It answers no call, and counts as a consequence of this message: the deepest that has called the agent since a
    /// person last did, or the one that it replies to.
    Consequence(MessageId),
    /// Nothing has called the agent of late: it speaks by itself.
    Itself,
}

/// Finds what a message of an agent follows from.
///
/// `recent` are the agent's last calls, newest first. A reply to a message with an open call takes that call; without
/// `reply_to` the message takes the oldest open call of its conversation. Everything else is a consequence: of the
/// message it replies to or of the deepest call since a person last called the agent (that one included), whichever is
/// deeper.
pub fn origin(recent: &[Call], conversation: &ConversationId, reply_to: Option<&Message>) -> Origin {
    let _ = (recent, conversation, reply_to);
    Origin::Itself
}

/// The cause of a message that this agent writes after `origin` (the message, when there is one): one deeper, with the
/// agent at the end of the chain. A chain keeps its last `CHAIN_NAMES_MAX` names.
pub fn cause_after(origin: Option<&Message>, agent: &AgentId, name: &Name, claimed: Option<&ClaimedCause>) -> Cause {
    let _ = (origin, name, claimed);
    Cause { depth: 1, chain: Vec::new(), agents: vec![agent.clone()], message_id: None }
}
