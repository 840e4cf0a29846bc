use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    call::Call,
    id::{AgentId, ConversationId, MessageId, ProjectId},
    paging::{Page, PageRequest},
};

use crate::Failure;

/// The calls of agents. `Log::append` writes calls with their message and takes them with the answer.
///
/// The state of a call follows its answer: taken while the answer is streaming, then answered or failed. A call that was
/// closed without an answer is passed: its agent passed it, the question of the message ended or its agent declined to
/// answer it, the message was removed, an edit took the mention of the agent out of the message, or the agent lost
/// access to the conversation. A store never returns `Expired`; the hub compares times.
///
/// Calls are ordered by creation; a stream creates its calls when it ends. Records are kept for ever, and the cost of no
/// method grows with their number.
#[async_trait]
pub trait CallRecords: Send + Sync {
    /// Reads the call of an agent by a message.
    async fn call(&self, agent: &AgentId, message: &MessageId) -> Result<Option<Call>, Failure>;

    /// Lists an agent's open calls after this time, oldest first; a page key is a message id. Calls in conversations that
    /// the agent may no longer read are left out.
    async fn open_calls(&self, agent: &AgentId, after: Timestamp, page: &PageRequest) -> Result<Page<Call>, Failure>;

    /// The latest calls of each of these agents, at most `limit` per agent: in the order of `agents`, newest first.
    async fn recent_calls(&self, agents: &[AgentId], limit: usize) -> Result<Vec<Call>, Failure>;

    /// The number of open calls after this time of each agent in the conversation, in the order of `agents`.
    async fn waiting_calls(
        &self,
        conversation: &ConversationId,
        agents: &[AgentId],
        after: Timestamp,
    ) -> Result<Vec<u64>, Failure>;

    /// The first calls by agents in the project with this correlation id, oldest first, at most `limit`.
    async fn correlated_calls(
        &self,
        project: &ProjectId,
        correlation_id: &str,
        limit: usize,
    ) -> Result<Vec<Call>, Failure>;
}
