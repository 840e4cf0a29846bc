use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    id::{AgentId, ConversationId, ProjectId},
    inbox::{ConversationUnread, Digest, InboxCounts, InboxEntry, InboxFilter},
    paging::{Page, PageRequest},
};

use crate::Failure;

/// Unread messages.
#[async_trait]
pub trait Inboxes: Send + Sync {
    /// Lists an agent's unread messages with this filter and order. The cost does not grow with their number.
    ///
    /// Removed messages, and messages that the agent may no longer read, are left out.
    async fn inbox(
        &self,
        agent: &AgentId,
        filter: &InboxFilter,
        page: &PageRequest,
    ) -> Result<Page<InboxEntry>, Failure>;

    /// The counts of an agent's inbox. The cost does not grow with them.
    async fn inbox_counts(&self, agent: &AgentId) -> Result<InboxCounts, Failure>;

    /// The number of messages of a conversation in an agent's inbox, up to the message with this number or in all.
    /// Counting all has a constant cost; counting up to a number reads no message.
    async fn inbox_count_in(
        &self,
        agent: &AgentId,
        conversation: &ConversationId,
        up_to: Option<u64>,
    ) -> Result<u64, Failure>;

    /// Lists the unread messages of an agent by conversation: first conversations with critical messages, then with high
    /// ones, then by the oldest unread message. A page key is a conversation id.
    async fn digests(&self, agent: &AgentId, page: &PageRequest) -> Result<Page<Digest>, Failure>;

    /// Lists the unread messages of a project that a person should not miss, newest first: messages that mention the
    /// person, have an open question to anybody, are of high or critical importance, or are in a DM of the person. Own
    /// and unreadable messages are left out.
    async fn notable_unread(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<InboxEntry>, Failure>;

    /// The number of unread messages in each readable conversation of the project.
    ///
    /// For people these are the messages after their read position, except removed ones; for agents, those in their
    /// inbox.
    async fn unread(&self, project: &ProjectId, caller: &Principal) -> Result<Vec<ConversationUnread>, Failure>;
}
