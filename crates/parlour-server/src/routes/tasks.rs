//! Tasks and batches.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    id::{BatchId, MemberId, ProjectId, TaskId, ThreadId},
    paging::Page,
    task::{Batch, Task, TaskPatch, TaskStatus},
};
use parlour_hub::{
    Hub,
    use_cases::{NewBatch, NewTask},
};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    routes::request_types::{NameText, Paging},
};

/// A new task.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"project_id": "prj_01KA3V8Q2N7W4T9Y6B5C0D1E2F", "title": "Mend the build"}))]
pub(crate) struct CreateTask {
    /// The project.
    project_id: ProjectId,
    /// Title.
    #[schema(min_length = 1, max_length = 200)]
    title: String,
    /// Description.
    #[schema(max_length = 4000)]
    description: Option<String>,
    /// State; default: open.
    status: Option<TaskStatus>,
    /// Assignee.
    assignee: Option<MemberId>,
    /// Parent task.
    parent_id: Option<TaskId>,
    /// The batch it belongs to.
    batch_id: Option<BatchId>,
    /// Discussion thread.
    thread_id: Option<ThreadId>,
}

/// A change to a task; absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"status": "done"}))]
pub(crate) struct UpdateTask {
    /// The new title.
    #[schema(min_length = 1, max_length = 200)]
    title: Option<String>,
    /// The new description; an empty text removes it.
    #[schema(max_length = 4000)]
    description: Option<String>,
    /// The new state.
    status: Option<TaskStatus>,
    /// The new assignee.
    assignee: Option<MemberId>,
    /// Discussion thread.
    thread_id: Option<ThreadId>,
    /// Change it only from this state: of several members who claim a task, one succeeds.
    if_status: Option<TaskStatus>,
}

/// Creates a task.
#[utoipa::path(post, path = "/tasks", tag = "tasks", request_body = CreateTask,
    responses((status = 201, description = "The task.", body = Task)))]
pub(super) async fn create_task(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<CreateTask>,
) -> HttpResult<(StatusCode, Json<Task>)> {
    let request = NewTask {
        project_id: body.project_id,
        title: body.title,
        description: body.description,
        status: body.status.unwrap_or_default(),
        assignee: body.assignee,
        parent_id: body.parent_id,
        batch_id: body.batch_id,
        thread_id: body.thread_id,
    };
    Ok((StatusCode::CREATED, Json(hub.create_task(&caller, request).await?)))
}

/// Lists the tasks of a project.
#[utoipa::path(get, path = "/projects/{id}/tasks", tag = "tasks",
    params(("id" = ProjectId, Path, description = "The project."), Paging),
    responses((status = 200, description = "A page of tasks, oldest first.", body = Page<Task>)))]
pub(super) async fn list_tasks(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Task>>> {
    Ok(Json(hub.tasks(&caller, &id, &paging.page()?).await?))
}

/// Reads a task.
#[utoipa::path(get, path = "/tasks/{id}", tag = "tasks",
    params(("id" = TaskId, Path, description = "The task.")),
    responses((status = 200, description = "The task.", body = Task)))]
pub(super) async fn get_task(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<TaskId>,
    _: NoParams,
) -> HttpResult<Json<Task>> {
    Ok(Json(hub.task(&caller, &id).await?))
}

/// Changes a task: for every member of the project.
#[utoipa::path(patch, path = "/tasks/{id}", tag = "tasks", request_body = UpdateTask,
    params(("id" = TaskId, Path, description = "The task.")),
    responses((status = 200, description = "The task as it is now.", body = Task)))]
pub(super) async fn update_task(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<TaskId>,
    Body(body): Body<UpdateTask>,
) -> HttpResult<Json<Task>> {
    let patch = TaskPatch {
        title: body.title,
        description: body.description,
        status: body.status,
        assignee: body.assignee,
        thread_id: body.thread_id,
        if_status: body.if_status,
    };
    Ok(Json(hub.update_task(&caller, &id, patch).await?))
}

/// A new batch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"project_id": "prj_01KA3V8Q2N7W4T9Y6B5C0D1E2F", "name": "Release 2"}))]
pub(crate) struct CreateBatch {
    /// The project.
    project_id: ProjectId,
    /// Title of the batch.
    name: NameText,
}

/// Creates a batch.
#[utoipa::path(post, path = "/batches", tag = "tasks", request_body = CreateBatch,
    responses((status = 201, description = "The batch.", body = Batch)))]
pub(super) async fn create_batch(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<CreateBatch>,
) -> HttpResult<(StatusCode, Json<Batch>)> {
    let request = NewBatch { project_id: body.project_id, name: body.name.parse()? };
    Ok((StatusCode::CREATED, Json(hub.create_batch(&caller, request).await?)))
}

/// Lists the batches of a project.
#[utoipa::path(get, path = "/projects/{id}/batches", tag = "tasks",
    params(("id" = ProjectId, Path, description = "The project."), Paging),
    responses((status = 200, description = "A page of batches, oldest first.", body = Page<Batch>)))]
pub(super) async fn list_batches(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Batch>>> {
    Ok(Json(hub.batches(&caller, &id, &paging.page()?).await?))
}

/// Reads a batch.
#[utoipa::path(get, path = "/batches/{id}", tag = "tasks",
    params(("id" = BatchId, Path, description = "The batch.")),
    responses((status = 200, description = "The batch.", body = Batch)))]
pub(super) async fn get_batch(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<BatchId>,
    _: NoParams,
) -> HttpResult<Json<Batch>> {
    Ok(Json(hub.batch(&caller, &id).await?))
}
