//! Batches of tasks.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    id::{BatchId, ProjectId},
    paging::Page,
    task::Batch,
};
use parlour_hub::{Hub, use_cases::NewBatch};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{name_text::NameText, paging::Paging};
use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
};

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
