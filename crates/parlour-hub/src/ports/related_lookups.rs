use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    artifact::Artifact,
    id::{AgentId, ConversationId, ProjectId, TaskId},
    task::Task,
};

use crate::Failure;

/// Related things in a project, newest first, for packs. Only things that all readers may read are found; hidden ones do
/// not influence the result. Without a reader nothing is found.
#[async_trait]
pub trait RelatedLookups: Send + Sync {
    /// The conversations of the project in which this agent was called and that all readers may read, ordered by the
    /// latest call, at most `limit`. The cost does not grow with the number of calls.
    async fn conversations_with_calls(
        &self,
        project: &ProjectId,
        agent: &AgentId,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<ConversationId>, Failure>;

    /// The children and siblings of a task and the tasks of its batch, each once; of each group the newest `limit`.
    async fn related_tasks(&self, task: &Task, limit: usize) -> Result<Vec<Task>, Failure>;

    /// The artifacts of this conversation and of this task that all readers may see, each once; of each group the newest
    /// `limit`.
    async fn related_artifacts(
        &self,
        project: &ProjectId,
        conversation: Option<&ConversationId>,
        task: Option<&TaskId>,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<Artifact>, Failure>;
}
