use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::Principal,
    chronicle::Moment,
    delivery::Delivery,
    id::{AgentId, MemberId, MessageId, ProjectId, RunId, TaskId},
    message::Message,
    paging::{Page, PageRequest},
    run::{Run, RunFilter},
    waiting::Wait,
};
use parlour_hub::{
    Failure, Fault,
    ports::{Deliveries, Questions, Runs},
};

use crate::sqlite::SqliteStore;

pub(in crate::sqlite) fn unbuilt() -> Failure {
    Fault::new("read", "not built yet").into()
}

#[async_trait]
impl Runs for SqliteStore {
    async fn run(&self, _: &RunId) -> Result<Option<Run>, Failure> {
        Err(unbuilt())
    }

    async fn runs(&self, _: &ProjectId, _: &Principal, _: &RunFilter, _: &PageRequest) -> Result<Page<Run>, Failure> {
        Err(unbuilt())
    }

    async fn open_runs(&self, _: &PageRequest) -> Result<Page<Run>, Failure> {
        Err(unbuilt())
    }

    async fn runs_paused_by(&self, _: &MessageId) -> Result<Vec<Run>, Failure> {
        Err(unbuilt())
    }

    async fn open_runs_of(&self, _: &AgentId) -> Result<Vec<Run>, Failure> {
        Err(unbuilt())
    }

    async fn run_chronicle(&self, _: &RunId, _: &Principal, _: &PageRequest) -> Result<Page<Moment>, Failure> {
        Err(unbuilt())
    }

    async fn task_chronicle(&self, _: &TaskId, _: &Principal, _: &PageRequest) -> Result<Page<Moment>, Failure> {
        Err(unbuilt())
    }
}

#[async_trait]
impl Questions for SqliteStore {
    async fn questions_to(
        &self,
        _: &Principal,
        _: Option<&ProjectId>,
        _: &PageRequest,
    ) -> Result<Page<Message>, Failure> {
        Err(unbuilt())
    }

    async fn open_questions(&self, _: &ProjectId, _: &Principal, _: &PageRequest) -> Result<Page<Message>, Failure> {
        Err(unbuilt())
    }

    async fn expiring_questions(&self, _: Timestamp, _: usize) -> Result<Vec<MessageId>, Failure> {
        Err(unbuilt())
    }

    async fn next_expiry(&self) -> Result<Option<Timestamp>, Failure> {
        Err(unbuilt())
    }

    async fn blocks_of(&self, _: &AgentId, _: usize) -> Result<Vec<Message>, Failure> {
        Err(unbuilt())
    }

    async fn waits(&self, _: &ProjectId) -> Result<Vec<Wait>, Failure> {
        Err(unbuilt())
    }

    async fn open_question_counts(&self, _: &ProjectId, _: &MemberId) -> Result<(u64, u64), Failure> {
        Err(unbuilt())
    }
}

#[async_trait]
impl Deliveries for SqliteStore {
    async fn deliveries(&self, _: &MessageId, _: &[MemberId]) -> Result<Vec<Delivery>, Failure> {
        Err(unbuilt())
    }
}
