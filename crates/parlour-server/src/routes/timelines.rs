//! What happened in a run, or to a task, one moment after another.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    id::{RunId, TaskId},
    paging::Page,
    timeline::TimelineEntry,
};
use parlour_hub::Hub;

use super::paging::Paging;
use crate::{
    extract::{Caller, Id, Params},
    http_error::HttpResult,
};

/// Lists the timeline of a run, oldest first.
///
/// Entries about messages that you may not read are omitted.
#[utoipa::path(get, path = "/runs/{id}/timeline", tag = "runs",
    params(("id" = RunId, Path, description = "The run."), Paging),
    responses((status = 200, description = "A page of timeline entries.", body = Page<TimelineEntry>)))]
pub(super) async fn get_run_timeline(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<TimelineEntry>>> {
    Ok(Json(hub.run_timeline(&caller, &id, &paging.page()?).await?))
}

/// Lists the timeline of a task and its runs, oldest first.
///
/// Entries about runs and messages that you may not see are omitted.
#[utoipa::path(get, path = "/tasks/{id}/timeline", tag = "tasks",
    params(("id" = TaskId, Path, description = "The task."), Paging),
    responses((status = 200, description = "A page of timeline entries.", body = Page<TimelineEntry>)))]
pub(super) async fn get_task_timeline(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<TaskId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<TimelineEntry>>> {
    Ok(Json(hub.task_timeline(&caller, &id, &paging.page()?).await?))
}
