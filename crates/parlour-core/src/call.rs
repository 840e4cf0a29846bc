//! Calls: the record that an agent should answer a message, created with the message, at most once for each.
//!
//! A call is open until its agent starts an answer, passes, or the call expires. The runner of the agent reads the open
//! calls when it connects, so no call is lost or answered twice.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    Timestamp,
    author::Author,
    id::{AgentId, ConversationId, MessageId, ProjectId},
    message::{Kind, Message, State},
    name::Name,
};

/// Why an agent is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallReason {
    /// A person goes on in a thread that it was called into a short while ago. It may answer and need not.
    Follow,
    /// It is the other participant of a DM.
    Dm,
    /// It was mentioned.
    Mention,
}

impl CallReason {
    /// Whether the agent may pass without an answer.
    pub fn is_optional(self) -> bool {
        self == Self::Follow
    }
}

/// The state of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Nobody has begun an answer.
    Open,
    /// The answer is being written.
    Taken,
    /// The answer is complete.
    Answered,
    /// The answer failed, was cancelled or was interrupted.
    Failed,
    /// Closed without a message that answers: the agent said that it does not answer, the question of the message ended,
    /// or the message no longer calls the agent.
    Passed,
    /// Nobody began an answer in time.
    Expired,
}

impl CallState {
    /// The state of a call with this answer.
    pub fn of_answer(state: State) -> Self {
        match state {
            State::Streaming => Self::Taken,
            State::Complete => Self::Answered,
            State::Failed | State::Cancelled | State::Interrupted => Self::Failed,
        }
    }
}

/// The demand on an agent to answer a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Call {
    /// The agent.
    pub agent_id: AgentId,
    /// The message that it is to answer.
    pub message_id: MessageId,
    /// The project.
    pub project_id: ProjectId,
    /// The conversation of the message.
    pub conversation_id: ConversationId,
    /// Why it is called.
    pub reason: CallReason,
    /// The author of the message.
    pub from: Author,
    /// The number of agent answers between the message and the last message of a person.
    pub depth: u32,
    /// The correlation id of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// When it was called.
    pub called_at: Timestamp,
    /// The state.
    pub state: CallState,
    /// The answer, from its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_id: Option<MessageId>,
}

/// A call to be recorded with its message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewCall {
    /// The agent.
    pub agent_id: AgentId,
    /// Why.
    pub reason: CallReason,
}

/// The loop guard rule that held a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum HoldRule {
    /// So many agents have answered each other that a person is needed.
    Depth,
    /// The agent has already answered in this chain.
    Chain,
    /// The two agents have exchanged too many messages in a short time.
    Pair,
    /// Agents have answered too often in this conversation since a person spoke.
    Budget,
    /// The answers of agents are nearly the same again and again.
    NoProgress,
    /// The calls under one correlation id go too deep, for too long, or come too fast.
    Correlation,
    /// Too many calls of the agent wait in this conversation already.
    Waiting,
}

/// An agent that would have been called, and was not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HeldCall {
    /// The agent.
    pub agent_id: AgentId,
    /// Its name.
    pub name: Name,
    /// The rule.
    pub rule: HoldRule,
    /// When the hold ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// The calls that a message makes, and those that were held.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// The calls, each agent once.
    pub called: Vec<NewCall>,
    /// The held calls, each agent once.
    pub held: Vec<HeldCall>,
}

/// The calls that can be made, each agent once: an agent that cannot read the conversation may have lost access since
/// it was chosen.
pub fn callable(called: Vec<NewCall>, readers: &[AgentId]) -> Vec<NewCall> {
    let mut callable: Vec<NewCall> = Vec::with_capacity(called.len());
    for call in called {
        let is_new = callable.iter().all(|other| other.agent_id != call.agent_id);
        if is_new && readers.contains(&call.agent_id) {
            callable.push(call);
        }
    }
    callable
}

/// Whether a message can answer a call: a notice or a tool result cannot. Calls and deliveries use this one rule, so
/// that the ledger always agrees with the calls.
pub fn is_answer(message: &Message) -> bool {
    matches!(message.kind, Kind::User | Kind::Assistant) && !message.is_notice
}

/// The id of the answer to a call. Every runner of the agent derives the same id, so that a call is answered once even
/// after a crash or with two runners.
pub fn answer_id(agent: &AgentId, message: &MessageId) -> MessageId {
    let digest = Sha256::new().chain_update(agent.as_str()).chain_update([0]).chain_update(message.as_str()).finalize();
    let mut bits = [0; 16];
    bits.copy_from_slice(&digest[..16]);
    MessageId::from_bits(u128::from_be_bytes(bits))
}

/// A statement of an agent that it will not answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PassedCall {
    /// The agent.
    pub agent_id: AgentId,
    /// The message that it does not answer.
    pub message_id: MessageId,
    /// The conversation of the message.
    pub conversation_id: ConversationId,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_follow_calls_are_optional() {
        assert!(CallReason::Follow.is_optional());
        assert!(!CallReason::Mention.is_optional() && !CallReason::Dm.is_optional());
    }

    #[test]
    fn each_agent_that_can_read_is_called_once() {
        let call = |bits, reason| NewCall { agent_id: AgentId::from_bits(bits), reason };
        let called = vec![call(1, CallReason::Mention), call(2, CallReason::Dm), call(1, CallReason::Follow)];
        let readers = [AgentId::from_bits(1), AgentId::from_bits(3)];
        assert_eq!(callable(called, &readers), [call(1, CallReason::Mention)]);
    }

    #[test]
    fn the_answer_id_is_stable_per_agent_and_message() {
        let (agent, message) = (AgentId::from_bits(1), MessageId::from_bits(2));
        assert_eq!(answer_id(&agent, &message), answer_id(&agent, &message));
        assert_ne!(answer_id(&agent, &message), answer_id(&AgentId::from_bits(3), &message));
        assert_ne!(answer_id(&agent, &message), answer_id(&agent, &MessageId::from_bits(3)));
    }

    #[test]
    fn notices_and_tool_results_are_no_answers() {
        use crate::message::tests::sample;
        for (kind, expected) in [(Kind::User, true), (Kind::Assistant, true), (Kind::ToolResult, false)] {
            assert_eq!(is_answer(&Message { kind, ..sample() }), expected, "{kind:?}");
            assert!(!is_answer(&Message { kind, is_notice: true, ..sample() }), "{kind:?}");
        }
    }

    #[test]
    fn a_stronger_reason_is_greater_and_rules_are_in_the_order_in_which_they_apply() {
        assert!(CallReason::Mention > CallReason::Dm && CallReason::Dm > CallReason::Follow);
        assert!(HoldRule::Depth < HoldRule::Chain && HoldRule::Correlation < HoldRule::Waiting);
    }

    #[test]
    fn a_held_call_has_a_stable_wire_format() {
        let (agent_id, name) = (AgentId::from_bits(1), Name::parse("Coder").expect("a name"));
        let held = HeldCall { agent_id, name, rule: HoldRule::NoProgress, until: None };
        let json = serde_json::to_string(&held).expect("json");
        assert_eq!(json, r#"{"agent_id":"agt_00000000000000000000000001","name":"Coder","rule":"no_progress"}"#);
        assert_eq!(serde_json::from_str::<HeldCall>(&json).expect("own form"), held);
    }

    #[test]
    fn the_state_of_a_call_follows_its_answer() {
        assert_eq!(CallState::of_answer(State::Streaming), CallState::Taken);
        assert_eq!(CallState::of_answer(State::Complete), CallState::Answered);
        for state in [State::Failed, State::Cancelled, State::Interrupted] {
            assert_eq!(CallState::of_answer(state), CallState::Failed);
        }
    }
}
