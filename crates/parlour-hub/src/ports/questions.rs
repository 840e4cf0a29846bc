use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::Principal,
    id::{AgentId, MemberId, MessageId, ProjectId},
    message::Message,
    paging::{Page, PageRequest},
    waiting::PendingQuestion,
};

use crate::Failure;

/// Questions of blocking messages. `Log::append` stores, answers and ends them. Every message is read with the current
/// state of its question.
///
/// The cost of no method grows with the number of closed questions.
#[async_trait]
pub trait Questions: Send + Sync {
    /// Lists the open questions that address the caller, in one project or in all that it sees, the soonest to expire
    /// first. Questions that the caller has ignored or may no longer read are left out. A page key is a message id.
    async fn questions_to(
        &self,
        caller: &Principal,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Message>, Failure>;

    /// Lists all open questions of a project that the caller may read, the soonest to expire first.
    async fn open_questions(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Message>, Failure>;

    /// The open questions of all projects that expire at or before this time, the soonest first, at most `limit`.
    async fn expiring_questions(&self, until: Timestamp, limit: usize) -> Result<Vec<MessageId>, Failure>;

    /// When the next open question expires.
    async fn next_expiry(&self) -> Result<Option<Timestamp>, Failure>;

    /// The open questions to this agent that it may read and has neither ignored nor handled: the most important first,
    /// then the oldest, at most `limit`.
    async fn blocks_of(&self, agent: &AgentId, limit: usize) -> Result<Vec<Message>, Failure>;

    /// Which agents of a project wait for whom.
    async fn waits(&self, project: &ProjectId) -> Result<Vec<PendingQuestion>, Failure>;

    /// The number of open questions of a member in a project, and of all its members.
    async fn open_question_counts(&self, project: &ProjectId, asker: &MemberId) -> Result<(u64, u64), Failure>;
}
