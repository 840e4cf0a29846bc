//! Work that is given to the agent, and work that it gives.

use parlour_agent::link::{FollowUpTask, LinkError};
use parlour_core::{
    id::{MemberId, TaskId},
    task::{Task, TaskPatch, TaskStatus},
};
use parlour_hub::use_cases::NewTask;

use super::{LocalLink, all_pages, tried};

impl LocalLink {
    pub(super) async fn read_tasks(&self) -> Result<Vec<Task>, LinkError> {
        let (caller, own) = (&self.caller(), MemberId::from(self.agent.clone()));
        let tasks = all_pages(|page| async move { self.hub.tasks(caller, &self.project, &page).await }).await?;
        let is_own = |task: &Task| task.status == TaskStatus::Open && task.assignee.as_ref() == Some(&own);
        let mut tasks: Vec<_> = tasks.into_iter().filter(is_own).collect();
        tasks.sort_by_key(|task| task.created_at);
        Ok(tasks)
    }

    pub(super) async fn change_task(&self, id: &TaskId, patch: TaskPatch) -> Result<Task, LinkError> {
        let caller = self.caller();
        tried(|| self.hub.update_task(&caller, id, patch.clone())).await
    }

    pub(super) async fn give_task(&self, task: FollowUpTask) -> Result<Task, LinkError> {
        let caller = self.caller();
        let FollowUpTask { parent, title, description, assignee } = task;
        let request = NewTask {
            project_id: parent.project_id,
            title,
            description,
            status: TaskStatus::Open,
            assignee: Some(assignee),
            parent_id: Some(parent.id),
            batch_id: parent.batch_id,
            thread_id: parent.thread_id,
        };
        tried(|| self.hub.create_task(&caller, request.clone())).await
    }
}
