//! What a runner is to do: answer calls, or do a task.

use parlour_core::{
    call::{Call, CallReason, CallState},
    id::{AgentId, ConversationId, MemberId, MessageId, TaskId},
    message::Message,
    task::Task,
};

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Work {
    Call(Box<Call>),
    Task(Box<Task>),
}

/// What is done at once: calls of one conversation that are answered together, or one task.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Batch {
    /// Never empty, oldest first.
    Calls(Vec<Call>),
    Task(Box<Task>),
}

/// Where only one thing is done at a time: a conversation, or a task that has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum LaneKey {
    Conversation(ConversationId),
    Task(TaskId),
}

/// What tells two things to do apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum WorkId {
    Call(MessageId),
    Task(TaskId),
}

impl Work {
    pub(super) fn id(&self) -> WorkId {
        match self {
            Self::Call(call) => WorkId::Call(call.message_id.clone()),
            Self::Task(task) => WorkId::Task(task.id.clone()),
        }
    }

    pub(super) fn lane(&self) -> LaneKey {
        match self {
            Self::Call(call) => LaneKey::Conversation(call.conversation_id.clone()),
            Self::Task(task) => match &task.thread_id {
                Some(thread) => LaneKey::Conversation(thread.clone().into()),
                None => LaneKey::Task(task.id.clone()),
            },
        }
    }
}

/// The call that a message is to this agent, if it is one. Reasons have an order, so this one is the hub's own.
pub(super) fn call_of(message: &Message, agent: &AgentId) -> Option<Call> {
    if !message.calls.contains(agent) {
        return None;
    }
    let is_mentioned = message.mentions.contains(&MemberId::from(agent.clone()));
    let reason = match &message.to {
        _ if is_mentioned => CallReason::Mention,
        ConversationId::Dm(_) => CallReason::Dm,
        ConversationId::Channel(_) | ConversationId::Thread(_) => CallReason::Follow,
    };
    Some(Call {
        agent_id: agent.clone(),
        message_id: message.id.clone(),
        project_id: message.project_id.clone(),
        conversation_id: message.to.clone(),
        reason,
        from: message.from.clone(),
        depth: message.cause.as_ref().map_or(0, |cause| cause.depth),
        correlation_id: message.correlation_id.clone(),
        called_at: message.created_at,
        state: CallState::Open,
        answer_id: None,
    })
}
