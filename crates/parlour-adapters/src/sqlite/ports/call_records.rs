use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    call::Call,
    id::{AgentId, ConversationId, MessageId, ProjectId},
    paging::{Page, PageRequest},
};
use parlour_hub::{Failure, ports::CallRecords};

use crate::sqlite::{SqliteStore, read::calls};

#[async_trait]
impl CallRecords for SqliteStore {
    async fn call(&self, agent: &AgentId, message: &MessageId) -> Result<Option<Call>, Failure> {
        let (agent, message) = (agent.clone(), message.clone());
        self.read("read a call", move |db| calls::call(db, &agent, &message)).await
    }

    async fn open_calls(&self, agent: &AgentId, after: Timestamp, page: &PageRequest) -> Result<Page<Call>, Failure> {
        let (agent, page) = (agent.clone(), page.clone());
        self.read("list open calls", move |db| calls::open_calls(db, &agent, after, &page)).await
    }

    async fn recent_calls(&self, agents: &[AgentId], limit: usize) -> Result<Vec<Call>, Failure> {
        let agents = agents.to_vec();
        self.read("read recent calls", move |db| calls::recent_calls(db, &agents, limit)).await
    }

    async fn waiting_calls(
        &self,
        conversation: &ConversationId,
        agents: &[AgentId],
        after: Timestamp,
    ) -> Result<Vec<u64>, Failure> {
        let (conversation, agents) = (conversation.clone(), agents.to_vec());
        self.read("count waiting calls", move |db| calls::waiting_calls(db, &conversation, &agents, after)).await
    }

    async fn correlated_calls(
        &self,
        project: &ProjectId,
        correlation_id: &str,
        limit: usize,
    ) -> Result<Vec<Call>, Failure> {
        let (project, correlation_id) = (project.clone(), correlation_id.to_owned());
        self.read("read correlated calls", move |db| calls::correlated_calls(db, &project, &correlation_id, limit))
            .await
    }
}
