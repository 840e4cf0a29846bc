use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    id::{AgentId, ConversationId, ProjectId},
    inbox::{ConversationUnread, Digest, InboxCounts, InboxEntry, InboxFilter},
    paging::{Page, PageRequest},
};
use parlour_hub::{Failure, ports::Inboxes};
use rusqlite::Connection;

use crate::sqlite::{
    SqliteStore,
    read::{digests, inbox_lists, inboxes, notable},
};

#[async_trait]
impl Inboxes for SqliteStore {
    async fn inbox(
        &self,
        agent: &AgentId,
        filter: &InboxFilter,
        page: &PageRequest,
    ) -> Result<Page<InboxEntry>, Failure> {
        let (agent, filter, page) = (agent.clone(), filter.clone(), page.clone());
        self.read("read an inbox", move |db| inbox_lists::inbox(db, &agent, &filter, &page)).await
    }

    async fn inbox_counts(&self, agent: &AgentId) -> Result<InboxCounts, Failure> {
        let agent = agent.clone();
        self.read("count an inbox", move |db| inbox_lists::inbox_counts(db, &agent)).await
    }

    async fn inbox_count_in(
        &self,
        agent: &AgentId,
        conversation: &ConversationId,
        up_to: Option<u64>,
    ) -> Result<u64, Failure> {
        let (agent, conversation) = (agent.clone(), conversation.clone());
        let count = move |db: &Connection| inboxes::inbox_count_in(db, &agent, &conversation, up_to);
        self.read("count what is unread in a conversation", count).await
    }

    async fn digests(&self, agent: &AgentId, page: &PageRequest) -> Result<Page<Digest>, Failure> {
        let (agent, page) = (agent.clone(), page.clone());
        self.read("read the digests of an inbox", move |db| digests::digests(db, &agent, &page)).await
    }

    async fn notable_unread(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<InboxEntry>, Failure> {
        let (project, caller, page) = (project.clone(), caller.clone(), page.clone());
        self.read("list what should not be missed", move |db| notable::notable_unread(db, &project, &caller, &page))
            .await
    }

    async fn unread(&self, project: &ProjectId, caller: &Principal) -> Result<Vec<ConversationUnread>, Failure> {
        let (project, caller) = (project.clone(), caller.clone());
        self.read("count unread messages", move |db| inboxes::unread(db, &project, &caller)).await
    }
}
