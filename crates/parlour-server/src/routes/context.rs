//! Context packs of agents, and the injections of runs.

mod formats;

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    context::{ContextFormat, ContextRequest, Injection, InjectionDiff, Pack},
    id::{AgentId, RunId},
    paging::Page,
};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    extract::{Body, Caller, Id, Params},
    http_error::HttpResult,
    routes::request_types::Paging,
};

/// Builds the context pack of an agent within a budget: for the agent itself and people of its project.
///
/// The receipt lists every candidate with its level of detail, or the reason why it is omitted. The pack contains only
/// what both the agent and the caller may read. With a `run_id` (for the agent itself) the pack is stored and can be read
/// later. `request` contains the message list of a provider, with the agent's instructions in the system part, within the
/// budget.
#[utoipa::path(post, path = "/agents/{id}/context", tag = "context",
    request_body(content = ContextRequest, examples(
        ("pack" = (summary = "A pack at the start of a turn", value = json!({
            "budget": 1024, "conversation_id": "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F",
            "message_id": "msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"
        }))),
        ("injection" = (summary = "An injection during a turn", value = json!({
            "format": "injection", "budget": 512, "run_id": "run_01KA3V8Q2N7W4T9Y6B5C0D1E2F",
            "told": ["msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"]
        }))),
        ("list" = (summary = "A message list for a model provider", value = json!({
            "format": "anthropic", "budget": 4000, "model": "claude-sonnet-4-5", "query": "Why did the deployment fail?",
            "system_notices": ["Deployments are frozen until 18:00."]
        })))
    )),
    params(("id" = AgentId, Path, description = "The agent.")),
    responses((status = 200, description = "The pack and its receipt.", body = Pack)))]
pub(super) async fn make_context(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    Body(request): Body<ContextRequest>,
) -> HttpResult<Json<Pack>> {
    let pack = match request.format {
        ContextFormat::Pack | ContextFormat::Injection | ContextFormat::Native => {
            hub.context(&caller, &id, &request).await?.pack
        }
        _ => hub.context_written(&caller, &id, &request, &formats::write).await?,
    };
    Ok(Json(pack))
}

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
