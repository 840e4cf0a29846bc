use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::Principal,
    id::{AgentId, MemberId, MessageId, ProjectId},
    message::Message,
    paging::{Page, PageRequest},
    waiting::Wait,
};

use crate::Failure;

/// Questions of blocking messages. They are asked with their message, answered by a message or by themselves, and
/// otherwise ended, by `Log::append`. Every message is read with its question as it is now.
///
/// The cost of no method grows with the number of questions that have ended.
#[async_trait]
pub trait Questions: Send + Sync {
    /// Lists the open questions that address the caller, in one project or in all that it sees, the soonest to expire
    /// first. Those that the caller said it will not answer, and those that it may no longer read, are not among them.
    /// A page key is the id of a message.
    async fn questions_to(
        &self,
        caller: &Principal,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Message>, Failure>;

    /// Lists the open questions of a project that the caller may read, whoever asks or is asked, the soonest to expire
    /// first.
    async fn open_questions(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Message>, Failure>;

    /// The open questions of all projects that expire at or before this moment, the soonest first, at most `limit`.
    async fn expiring_questions(&self, until: Timestamp, limit: usize) -> Result<Vec<MessageId>, Failure>;

    /// When the next open question expires.
    async fn next_expiry(&self) -> Result<Option<Timestamp>, Failure>;

    /// The open questions that address this agent, that it may read, will answer and has not handled yet: the most
    /// important first, then the oldest, at most `limit`.
    async fn blocks_of(&self, agent: &AgentId, limit: usize) -> Result<Vec<Message>, Failure>;

    /// Which agents of a project wait for whom.
    async fn waits(&self, project: &ProjectId) -> Result<Vec<Wait>, Failure>;

    /// How many open questions a member has asked in a project, and how many are open there in all.
    async fn open_question_counts(&self, project: &ProjectId, asker: &MemberId) -> Result<(u64, u64), Failure>;
}
