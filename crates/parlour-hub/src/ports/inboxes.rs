use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    id::{AgentId, ConversationId, ProjectId},
    inbox::{ConversationUnread, Digest, InboxCounts, InboxEntry, InboxFilter},
    paging::{Page, PageRequest},
};

use crate::Failure;

/// What was not read yet.
#[async_trait]
pub trait Inboxes: Send + Sync {
    /// Lists an agent's unread messages, those that are wanted and in the wanted order. The cost does not grow with their
    /// number, whatever is wanted.
    ///
    /// What was removed, and what the agent may no longer read, is not among them.
    async fn inbox(
        &self,
        agent: &AgentId,
        filter: &InboxFilter,
        page: &PageRequest,
    ) -> Result<Page<InboxEntry>, Failure>;

    /// How much waits in an agent's inbox. The cost does not grow with it.
    async fn inbox_counts(&self, agent: &AgentId) -> Result<InboxCounts, Failure>;

    /// How many messages of a conversation stand in an agent's inbox: up to the one with this number, or all. All cost the
    /// same however many they are; up to a number, none of them is read to be counted.
    async fn inbox_count_in(
        &self,
        agent: &AgentId,
        conversation: &ConversationId,
        up_to: Option<u64>,
    ) -> Result<u64, Failure>;

    /// Lists what an agent has not read by conversation, those with critical messages first, then with high ones, then
    /// the one whose oldest unread message is oldest; a page key is the id of a conversation.
    async fn digests(&self, agent: &AgentId, page: &PageRequest) -> Result<Page<Digest>, Failure>;

    /// Lists the unread messages of a project that a person should not miss, newest first: those that mention it, ask
    /// something that is still open, whomever they ask, matter more than usual, or stand in its dms. Never its own, and none
    /// that it may not read.
    async fn notable_unread(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<InboxEntry>, Failure>;

    /// What the caller has not read in each conversation of the project that it may read.
    ///
    /// For people that is everything after their read position, except what was removed; for agents, what stands in
    /// their inbox.
    async fn unread(&self, project: &ProjectId, caller: &Principal) -> Result<Vec<ConversationUnread>, Failure>;
}
