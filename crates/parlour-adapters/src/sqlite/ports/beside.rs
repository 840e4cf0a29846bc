use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    artifact::Artifact,
    id::{AgentId, ConversationId, ProjectId, TaskId},
    task::Task,
};
use parlour_hub::{Failure, ports::RelatedLookups};

use crate::sqlite::{SqliteStore, read::beside};

#[async_trait]
impl RelatedLookups for SqliteStore {
    async fn called_places(
        &self,
        project: &ProjectId,
        agent: &AgentId,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<ConversationId>, Failure> {
        let (project, agent, readers) = (project.clone(), agent.clone(), readers.to_vec());
        self.read("list where an agent was called", move |db| {
            beside::called_places(db, &project, &agent, &readers, limit)
        })
        .await
    }

    async fn tasks_beside(&self, task: &Task, limit: usize) -> Result<Vec<Task>, Failure> {
        let task = task.clone();
        self.read("list the tasks beside a task", move |db| beside::tasks_beside(db, &task, limit)).await
    }

    async fn artifacts_beside(
        &self,
        project: &ProjectId,
        place: Option<&ConversationId>,
        task: Option<&TaskId>,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<Artifact>, Failure> {
        let (project, place, task, readers) = (project.clone(), place.cloned(), task.cloned(), readers.to_vec());
        self.read("list the artifacts beside something", move |db| {
            beside::artifacts_beside(db, &project, place.as_ref(), task.as_ref(), &readers, limit)
        })
        .await
    }
}
