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

/// The message that a run resumes from.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"message_id": "msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"}))]
pub(crate) struct ResumeRun {
    /// The handled message; default: all messages that pause the run.
    message_id: Option<MessageId>,
}

/// Checks between two steps whether your run may continue, and renews its lease.
///
/// `pause` means: add the injection to the prompt, handle the messages, then resume; or, when the run waits for an answer
/// to its own question, wait. Report what you have added to the prompt as a delivery.
#[utoipa::path(post, path = "/runs/{id}/checkpoint", tag = "runs",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, description = "The verdict, and the messages to handle first.", body = Checkpoint)))]
pub(super) async fn checkpoint(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    _: NoParams,
) -> HttpResult<Json<Checkpoint>> {
    Ok(Json(hub.checkpoint(&caller, &id).await?))
}

/// Renews the lease of your run during a step.
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

/// Resumes a paused run: for its agent after it has handled the message, and for any person who sees the run.
///
/// The message counts as handled from then on, in all runs of the agent. An agent cannot resume from its own question;
/// when a person does, the question is withdrawn. The body is optional.
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
