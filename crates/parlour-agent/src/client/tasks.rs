//! Tasks: giving, listing and changing them.

use parlour_core::{
    id::{ProjectId, TaskId},
    paging::Page,
    task::{Task, TaskPatch},
};

use super::Client;
use crate::{ClientError, requests::NewTask};

impl Client {
    /// Gives a task. It is never repeated by itself: a task has no id of its giver's, so it would be given twice.
    pub async fn create_task(&self, request: &NewTask) -> Result<Task, ClientError> {
        self.post("/tasks", request).await
    }

    /// Reads a task.
    pub async fn task(&self, id: &TaskId) -> Result<Task, ClientError> {
        self.get(&format!("/tasks/{id}"), &[]).await
    }

    /// Lists all tasks of a project, oldest first.
    pub async fn tasks(&self, project: &ProjectId) -> Result<Page<Task>, ClientError> {
        self.whole_list(&format!("/projects/{project}/tasks"), &[]).await
    }

    /// Changes a task.
    pub async fn update_task(&self, id: &TaskId, patch: &TaskPatch) -> Result<Task, ClientError> {
        self.patch(&format!("/tasks/{id}"), patch).await
    }
}
