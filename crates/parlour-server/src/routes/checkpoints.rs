//! What a run says and hears between its beginning and its end.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    checkpoint::Checkpoint,
    id::{MessageId, RunId},
    run::Run,
};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    extract::{Caller, Id, NoParams, OptionalBody},
    http_error::HttpResult,
};

/// From what a run is resumed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"message_id": "msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"}))]
pub(crate) struct ResumeRun {
    /// The message that was handled; all that pause the run, unless said otherwise.
    message_id: Option<MessageId>,
}

/// Asks whether your run may go on, between two steps of its work, and renews its lease.
///
/// `pause` means: put the injection before the model, let it handle the messages, then resume; or, when the run waits
/// for an answer to its own question, wait. Report as a delivery what you have put before the model.
#[utoipa::path(post, path = "/runs/{id}/checkpoint", tag = "runs",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, description = "Whether to go on, and what to handle first.", body = Checkpoint)))]
pub(super) async fn checkpoint(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    _: NoParams,
) -> HttpResult<Json<Checkpoint>> {
    Ok(Json(hub.checkpoint(&caller, &id).await?))
}

/// Renews the lease of your run without asking anything, from the middle of a step.
#[utoipa::path(post, path = "/runs/{id}/beat", tag = "runs",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, description = "The run.", body = Run)))]
pub(super) async fn beat_run(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    _: NoParams,
) -> HttpResult<Json<Run>> {
    Ok(Json(hub.beat_run(&caller, &id).await?))
}

/// Lets a paused run go on: its own agent after it has handled the message, or any person who sees the run.
///
/// The message counts as handled from then on, in all runs of the agent. An agent cannot resume from its own question;
/// when a person does, the question is withdrawn. The body may be left out.
#[utoipa::path(post, path = "/runs/{id}/resume", tag = "runs", request_body = Option<ResumeRun>,
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, description = "The run; it may still be paused by another message.", body = Run)))]
pub(super) async fn resume_run(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    OptionalBody(body): OptionalBody<ResumeRun>,
) -> HttpResult<Json<Run>> {
    Ok(Json(hub.resume_run(&caller, &id, body.message_id.as_ref()).await?))
}
