use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    artifact::Artifact,
    id::{AgentId, ConversationId, ProjectId, TaskId},
    task::Task,
};

use crate::Failure;

/// What stands beside something in a project, newest first: for packs. What one of several readers may not read changes
/// nothing in what they find together, and without a reader nothing is found.
#[async_trait]
pub trait RelatedLookups: Send + Sync {
    /// The conversations of the project in which this agent was called and that all of these may read, at most `limit`:
    /// where it was called last comes first. The cost does not grow with the number of calls.
    async fn called_places(
        &self,
        project: &ProjectId,
        agent: &AgentId,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<ConversationId>, Failure>;

    /// The tasks beside a task: its own parts, those of the same larger task, and those of the same batch, each once; of
    /// each sort the newest `limit`.
    async fn tasks_beside(&self, task: &Task, limit: usize) -> Result<Vec<Task>, Failure>;

    /// The artifacts of a project that belong to this conversation or to this task and that all of these may see, each
    /// once; of each sort the newest `limit`.
    async fn artifacts_beside(
        &self,
        project: &ProjectId,
        place: Option<&ConversationId>,
        task: Option<&TaskId>,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<Artifact>, Failure>;
}
