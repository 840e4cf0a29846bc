//! A project as a whole, to begin with.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{id::ProjectId, snapshot::Snapshot};
use parlour_hub::Hub;

use crate::{
    extract::{Caller, Id, NoParams},
    http_error::HttpResult,
};

/// Reads a project as you see it, at one position of its log.
///
/// Subscribe after its `position` to get every later event exactly once. Read messages with the lists of their
/// conversations.
#[utoipa::path(get, path = "/projects/{id}/snapshot", tag = "projects",
    params(("id" = ProjectId, Path, description = "The project.")),
    responses((status = 200, description = "The project and everything in it that you see.", body = Snapshot)))]
pub(super) async fn get_snapshot(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    _: NoParams,
) -> HttpResult<Json<Snapshot>> {
    Ok(Json(hub.snapshot(&caller, &id).await?))
}
