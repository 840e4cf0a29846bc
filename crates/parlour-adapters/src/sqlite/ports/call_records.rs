use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    call::Call,
    id::{AgentId, ConversationId, MessageId, ProjectId},
    paging::{Page, PageRequest},
};
use parlour_hub::{Failure, ports::CallRecords};

use crate::sqlite::SqliteStore;

#[async_trait]
impl CallRecords for SqliteStore {
    async fn call(&self, _agent: &AgentId, _message: &MessageId) -> Result<Option<Call>, Failure> {
        Ok(None)
    }

    async fn open_calls(&self, _agent: &AgentId, _after: Timestamp, page: &PageRequest) -> Result<Page<Call>, Failure> {
        Ok(Page::from_probe(Vec::new(), page.limit(), |call: &Call| call.message_id.to_string()))
    }

    async fn recent_calls(&self, _agents: &[AgentId], _limit: usize) -> Result<Vec<Call>, Failure> {
        Ok(Vec::new())
    }

    async fn waiting_calls(
        &self,
        _conversation: &ConversationId,
        agents: &[AgentId],
        _after: Timestamp,
    ) -> Result<Vec<u64>, Failure> {
        Ok(vec![0; agents.len()])
    }

    async fn correlated_calls(
        &self,
        _project: &ProjectId,
        _correlation_id: &str,
        _limit: usize,
    ) -> Result<Vec<Call>, Failure> {
        Ok(Vec::new())
    }
}
