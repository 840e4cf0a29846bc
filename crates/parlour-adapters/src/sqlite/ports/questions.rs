use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::Principal,
    id::{AgentId, MemberId, MessageId, ProjectId},
    message::Message,
    paging::{Page, PageRequest},
    waiting::Wait,
};
use parlour_hub::{Failure, ports::Questions};

use crate::sqlite::{SqliteStore, read::questions};

#[async_trait]
impl Questions for SqliteStore {
    async fn questions_to(
        &self,
        caller: &Principal,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Message>, Failure> {
        let (caller, project, page) = (caller.clone(), project.cloned(), page.clone());
        self.read("list questions", move |db| questions::questions_to(db, &caller, project.as_ref(), &page)).await
    }

    async fn open_questions(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Message>, Failure> {
        let (project, caller, page) = (project.clone(), caller.clone(), page.clone());
        self.read("list open questions", move |db| questions::open_questions(db, &project, &caller, &page)).await
    }

    async fn expiring_questions(&self, until: Timestamp, limit: usize) -> Result<Vec<MessageId>, Failure> {
        self.read("list expiring questions", move |db| questions::expiring_questions(db, until, limit)).await
    }

    async fn next_expiry(&self) -> Result<Option<Timestamp>, Failure> {
        self.read("find the next expiry", questions::next_expiry).await
    }

    async fn blocks_of(&self, agent: &AgentId, limit: usize) -> Result<Vec<Message>, Failure> {
        let agent = agent.clone();
        self.read("list what blocks an agent", move |db| questions::blocks_of(db, &agent, limit)).await
    }

    async fn waits(&self, project: &ProjectId) -> Result<Vec<Wait>, Failure> {
        let project = project.clone();
        self.read("list who waits", move |db| questions::waits(db, &project)).await
    }

    async fn open_question_counts(&self, project: &ProjectId, asker: &MemberId) -> Result<(u64, u64), Failure> {
        let (project, asker) = (project.clone(), asker.clone());
        self.read("count open questions", move |db| questions::open_question_counts(db, &project, &asker)).await
    }
}
