//! What was given to the models of runs, and how that of two runs differs.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    context::{Injection, InjectionDiff},
    id::RunId,
    paging::Page,
};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::IntoParams;

use super::paging::Paging;
use crate::{
    extract::{Caller, Id, Params},
    http_error::HttpResult,
};

/// The run to compare with.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DifferenceParams {
    /// The second run.
    with: RunId,
}

/// Lists the injections of a run, oldest first: for everybody who sees the run.
///
/// Receipts omit what the caller may not read, and a text that contains any of it is omitted as a whole.
#[utoipa::path(get, path = "/runs/{id}/injections", tag = "context",
    params(("id" = RunId, Path, description = "The run."), Paging),
    responses((status = 200, description = "A page of injections.", body = Page<Injection>)))]
pub(super) async fn list_injections(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Injection>>> {
    Ok(Json(hub.injections(&caller, &id, &paging.page()?).await?))
}

/// Compares the injections of two runs, as far as the caller may read them.
///
/// The run in the path is the first run.
#[utoipa::path(get, path = "/runs/{id}/injections/difference", tag = "context",
    params(("id" = RunId, Path, description = "The first run."), DifferenceParams),
    responses((status = 200, description = "The entries of only one run, and those of both.", body = InjectionDiff)))]
pub(super) async fn get_injection_difference(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    Params(params): Params<DifferenceParams>,
) -> HttpResult<Json<InjectionDiff>> {
    Ok(Json(hub.injection_difference(&caller, &id, &params.with).await?))
}
