//! Runs of agents: start, checkpoint, resume, end, and the timelines of runs and tasks.

use std::sync::Arc;

use axum::{Extension, Json, extract::State, http::StatusCode};
use parlour_core::{
    Code, Refusal,
    access::{Principal, Role},
    checkpoint::{Checkpoint, CheckpointDelivery, RunFinished},
    id::{AgentId, MessageId, ProjectId, RunId, TaskId},
    paging::Page,
    run::{FinishRun, Run, RunFilter, StartRun},
    timeline::TimelineEntry,
};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    extract::{Body, Caller, Id, NoParams, OptionalBody, Params},
    http_error::HttpResult,
    middleware::LongPoll,
    routes::{
        long_poll::{long_poll_mark, until_stop, wait_seconds},
        request_types::{Paging, page},
    },
    serve::Connection,
};

/// Filter of runs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunsParams {
    /// The project; default for an agent: its own.
    project_id: Option<ProjectId>,
    /// Only those of this agent.
    agent_id: Option<AgentId>,
    /// Only those for this task.
    task_id: Option<TaskId>,
    /// Only those that have not ended.
    open: Option<bool>,
    /// Maximum number of items.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// The `next` of the previous page.
    #[param(max_length = 200)]
    cursor: Option<String>,
}

/// Long-polling parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunParams {
    /// Maximum time to wait while the run is paused, in seconds.
    #[param(minimum = 0, maximum = 25, default = 0)]
    seconds: Option<u64>,
}

/// The delivery of a checkpoint.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointParams {
    /// How the messages that pause the run reach a model; `checkpoint` by default.
    #[param(inline)]
    delivery: Option<CheckpointDelivery>,
}

/// The reason for cancelling a run.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"reason": "the plan has changed"}))]
pub(crate) struct CancelRun {
    /// The reason, for people.
    #[schema(min_length = 1, max_length = 2000)]
    reason: Option<String>,
}

impl RunsParams {
    /// The project of the filter; for an agent its own by default.
    fn project(&self, caller: &Principal) -> Result<ProjectId, Refusal> {
        match (&self.project_id, &caller.role) {
            (Some(named), _) => Ok(named.clone()),
            (None, Role::Agent(home)) => Ok(home.clone()),
            (None, _) => {
                Err(Refusal::new(Code::BadQuery, "`project_id` is required: this token does not belong to an agent")
                    .at("project_id"))
            }
        }
    }
}

/// Starts a run of an agent: for the agent itself and those who may act for it.
///
/// Call the checkpoint between steps, and finish the run. A run whose lease is not renewed fails. Repeating an `id`
/// returns the first result.
#[utoipa::path(post, path = "/runs", tag = "runs",
    request_body(content = StartRun, example = json!({
        "channel_id": "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F", "label": "Mend the build"
    })),
    responses((status = 201, description = "The run.", body = Run)))]
pub(super) async fn start_run(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(request): Body<StartRun>,
) -> HttpResult<(StatusCode, Json<Run>)> {
    Ok((StatusCode::CREATED, Json(hub.start_run(&caller, request).await?)))
}

/// Lists the runs of a project that you see, newest first.
///
/// You see the runs of conversations that you may read, and those without a conversation.
#[utoipa::path(get, path = "/runs", tag = "runs", params(RunsParams),
    responses((status = 200, description = "A page of runs.", body = Page<Run>)))]
pub(super) async fn list_runs(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(params): Params<RunsParams>,
) -> HttpResult<Json<Page<Run>>> {
    let project = params.project(&caller)?;
    let page = page(params.limit, params.cursor)?;
    let only_open = params.open.unwrap_or_default();
    let filter = RunFilter { agent_id: params.agent_id, task_id: params.task_id, only_open };
    Ok(Json(hub.runs(&caller, &project, &filter, &page).await?))
}

/// Reads a run with the pauses whose messages you may read.
///
/// With `seconds` the response is delayed while the run is paused.
#[utoipa::path(get, path = "/runs/{id}", tag = "runs",
    params(("id" = RunId, Path, description = "The run."), RunParams),
    responses((status = 200, description = "The run.", body = Run)))]
pub(super) async fn get_run(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    Params(params): Params<RunParams>,
    connection: Connection,
) -> HttpResult<(Option<Extension<LongPoll>>, Json<Run>)> {
    let (now, seconds) = (hub.run(&caller, &id), wait_seconds(params.seconds, 0)?);
    let run = match seconds {
        0 => now.await?,
        seconds => until_stop(&connection, hub.wait_run(&caller, &id, seconds), now).await?,
    };
    Ok((long_poll_mark(seconds), Json(run)))
}

/// Finishes your run and returns a nudge about unread messages: for its agent. The body is optional.
///
/// A paused run can be finished too; its own open questions are withdrawn. With `failed` it ends as failed.
#[utoipa::path(post, path = "/runs/{id}/finish", tag = "runs",
    request_body(content = Option<FinishRun>, example = json!({"failed": "the compiler is missing"})),
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, description = "The run, and the nudge when something is unread.", body = RunFinished)))]
pub(super) async fn finish_run(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    OptionalBody(end): OptionalBody<FinishRun>,
) -> HttpResult<Json<RunFinished>> {
    Ok(Json(hub.finish_run(&caller, &id, end).await?))
}

/// Cancels a run: for its agent and any person who sees it. The body is optional.
#[utoipa::path(post, path = "/runs/{id}/cancel", tag = "runs", request_body = Option<CancelRun>,
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, description = "The ended run.", body = Run)))]
pub(super) async fn cancel_run(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    OptionalBody(body): OptionalBody<CancelRun>,
) -> HttpResult<Json<Run>> {
    Ok(Json(hub.cancel_run(&caller, &id, body.reason).await?))
}

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
/// to its own question, wait. Report what you have added to the prompt as a delivery. If this run does not get the
/// injection, say so with `delivery`.
#[utoipa::path(post, path = "/runs/{id}/checkpoint", tag = "runs",
    params(("id" = RunId, Path, description = "The run."), CheckpointParams),
    responses((status = 200, description = "The verdict, and the messages to handle first.", body = Checkpoint)))]
pub(super) async fn checkpoint(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<RunId>,
    Params(params): Params<CheckpointParams>,
) -> HttpResult<Json<Checkpoint>> {
    Ok(Json(hub.checkpoint(&caller, &id, params.delivery.unwrap_or_default()).await?))
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
