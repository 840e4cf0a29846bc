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

/// With which run one is compared.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DifferenceParams {
    /// The other run: what it was given is the second of the two.
    with: RunId,
}

/// Lists what was given to the model of a run, oldest first: for whoever sees the run.
///
/// What you may not read is left out of the receipts, and a text with anything of it is left out as a whole.
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

/// Tells how what was given to two runs differs, as far as you may read it.
///
/// The run of the address is the first of the two.
#[utoipa::path(get, path = "/runs/{id}/injections/difference", tag = "context",
    params(("id" = RunId, Path, description = "The first run."), DifferenceParams),
    responses((status = 200, description = "What only one of them was shown, and what both were shown.", body = InjectionDiff)))]
pub(super) async fn get_injection_difference(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    Params(params): Params<DifferenceParams>,
) -> HttpResult<Json<InjectionDiff>> {
    Ok(Json(hub.injection_difference(&caller, &id, &params.with).await?))
}
