use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    call::Call,
    id::{AgentId, ConversationId, MessageId, ProjectId},
    paging::{Page, PageRequest},
};

use crate::Failure;

/// Who was called to answer what. Calls are written with their message, and taken with the answer, by `Log::append`.
///
/// The state of a call follows its answer: taken while that is written, answered or failed afterwards. What was closed
/// without an answer counts as passed: by its agent, because the message was removed, or because the agent has lost the
/// conversation. A store never says `Expired`: the hub knows what time it is.
///
/// Calls come in the order in which they were made; a stream makes its calls at its end. Records stay for ever, and the
/// cost of no method grows with their number.
#[async_trait]
pub trait CallRecords: Send + Sync {
    /// Reads the call of an agent by a message.
    async fn call(&self, agent: &AgentId, message: &MessageId) -> Result<Option<Call>, Failure>;

    /// Lists an agent's open calls that are younger than this, oldest first; a page key is the id of a message. What the
    /// agent may no longer read is not among them.
    async fn open_calls(&self, agent: &AgentId, after: Timestamp, page: &PageRequest) -> Result<Page<Call>, Failure>;

    /// The last calls of each of these agents, at most `limit` of each: by agent in the given order, newest first.
    async fn recent_calls(&self, agents: &[AgentId], limit: usize) -> Result<Vec<Call>, Failure>;

    /// How many open calls younger than this each of these agents has in the conversation, in the given order.
    async fn waiting_calls(
        &self,
        conversation: &ConversationId,
        agents: &[AgentId],
        after: Timestamp,
    ) -> Result<Vec<u64>, Failure>;

    /// The first calls in the project under a correlation id that agents have made, oldest first, at most `limit`.
    async fn correlated_calls(
        &self,
        project: &ProjectId,
        correlation_id: &str,
        limit: usize,
    ) -> Result<Vec<Call>, Failure>;
}
