//! Inboxes: what waits for an agent or a person, and marking as read.

use parlour_core::{
    id::{AgentId, ProjectId},
    inbox::{Digest, InboxCounts, InboxEntry, InboxFilter, InboxOrder, Unread},
    paging::Page,
};

use super::{
    Client,
    query::{PageAt, Query},
};
use crate::{
    ClientError,
    answers::{InboxPage, ReadOutcome},
    requests::ReadMessages,
};

impl Client {
    /// Reads a page of an agent's unread messages.
    pub async fn inbox(&self, agent: &AgentId, filter: &InboxFilter, page: &PageAt) -> Result<InboxPage, ClientError> {
        let order = Some(filter.order).filter(|order| *order != InboxOrder::default());
        let query = Query::page(page)
            .with_word("importance", filter.importance)
            .with_flag("mentions", filter.only_mentions)
            .with_flag("blocking", filter.only_blocking)
            .with("conversation_id", filter.conversation_id.as_ref())
            .with_word("order", order);
        self.get(&format!("/agents/{agent}/inbox"), &query.pairs()).await
    }

    /// How much waits in an agent's inbox.
    pub async fn inbox_counts(&self, agent: &AgentId) -> Result<InboxCounts, ClientError> {
        self.get(&format!("/agents/{agent}/inbox/counts"), &[]).await
    }

    /// Reads a page of what an agent has not read, by conversation.
    pub async fn digests(&self, agent: &AgentId, page: &PageAt) -> Result<Page<Digest>, ClientError> {
        self.get(&format!("/agents/{agent}/inbox/digests"), &Query::page(page).pairs()).await
    }

    /// Reads a page of the unread messages of a project that the calling person should not miss, newest first.
    pub async fn project_inbox(&self, project: &ProjectId, page: &PageAt) -> Result<Page<InboxEntry>, ClientError> {
        self.get(&format!("/projects/{project}/inbox"), &Query::page(page).pairs()).await
    }

    /// Marks messages as read. What is read already changes nothing, so the call is repeated while the hub cannot be
    /// reached or asks for patience.
    pub async fn read_messages(&self, request: &ReadMessages) -> Result<ReadOutcome, ClientError> {
        self.retry.run(|| self.post("/inbox/read", request)).await
    }

    /// What the owner of the token has not read in a project.
    pub async fn unread(&self, project: &ProjectId) -> Result<Unread, ClientError> {
        self.get(&format!("/projects/{project}/unread"), &[]).await
    }
}
