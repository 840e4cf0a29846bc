//! Streamed answers: chunks, steps, leases and ends.

use std::{str::FromStr, sync::Arc};

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    Refusal, Timestamp,
    id::MessageId,
    live::{AddChunk, Cancel, Complete, Fail},
    step::{FinishStep, StartStep, Step, check_step_id},
};
use parlour_hub::{
    Hub,
    use_cases::{FinishedStream, StreamLease},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, IdPair, NoParams, OptionalBody},
    http_error::HttpResult,
    routes::messages::PostedMessage,
};

/// The state of an open answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({
    "message_id": "msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F", "chars": 42, "lease_until": "2026-11-15T09:12:30.000Z"
}))]
pub(crate) struct OpenAnswer {
    /// The answer.
    message_id: MessageId,
    /// How many characters (Unicode code points) its text has: the `start` of the next chunk.
    chars: u64,
    /// When it ends as interrupted, unless its producer renews the lease.
    lease_until: Timestamp,
}

impl From<StreamLease> for OpenAnswer {
    fn from(lease: StreamLease) -> Self {
        Self { message_id: lease.message_id, chars: lease.chars, lease_until: lease.lease_until }
    }
}

impl From<FinishedStream> for PostedMessage {
    fn from(ended: FinishedStream) -> Self {
        Self {
            message: ended.message,
            position: ended.position,
            mention_problems: ended.mention_problems,
            answer_problem: ended.answer_problem.map(Into::into),
        }
    }
}

/// The id of a step in the path, chosen by the producer: visible ASCII characters without a slash.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 1, max_length = 128, pattern = "^[!-.0-~]+$", example = "call-1")]
pub(crate) struct StepId(String);

impl FromStr for StepId {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        // The extractor names the field itself.
        check_step_id(text).map_err(|refusal| Refusal { field: None, ..refusal })?;
        Ok(Self(text.to_owned()))
    }
}

/// Appends a chunk to your open answer and renews its lease.
///
/// With a `start` it may be repeated: an existing chunk changes nothing, any other start is refused.
#[utoipa::path(post, path = "/messages/{id}/chunks", tag = "streams",
    request_body(content = AddChunk, example = json!({"start": 0, "text": "The build fails because "})),
    params(("id" = MessageId, Path, description = "The answer.")),
    responses((status = 200, description = "The state of the answer.", body = OpenAnswer)))]
pub(super) async fn add_chunk(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    Body(chunk): Body<AddChunk>,
) -> HttpResult<Json<OpenAnswer>> {
    Ok(Json(hub.add_chunk(&caller, &id, chunk).await?.into()))
}

/// Renews the lease of your answer.
#[utoipa::path(post, path = "/messages/{id}/beat", tag = "streams",
    params(("id" = MessageId, Path, description = "The answer.")),
    responses((status = 200, description = "The state of the answer.", body = OpenAnswer)))]
pub(super) async fn beat(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    _: NoParams,
) -> HttpResult<Json<OpenAnswer>> {
    Ok(Json(hub.beat_stream(&caller, &id).await?.into()))
}

/// Completes your answer. Without a body the streamed text is final.
#[utoipa::path(post, path = "/messages/{id}/complete", tag = "streams",
    request_body(content = Option<Complete>, example = json!({"body": "The build fails because a file is missing."})),
    params(("id" = MessageId, Path, description = "The answer.")),
    responses((status = 200, description = "The message with its final text.", body = PostedMessage)))]
pub(super) async fn complete(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    OptionalBody(end): OptionalBody<Complete>,
) -> HttpResult<Json<PostedMessage>> {
    Ok(Json(hub.complete_stream(&caller, &id, end).await?.into()))
}

/// Fails your answer. The streamed text stays unless a text is given.
#[utoipa::path(post, path = "/messages/{id}/fail", tag = "streams",
    request_body(content = Fail, example = json!({"reason": "the model did not answer"})),
    params(("id" = MessageId, Path, description = "The answer.")),
    responses((status = 200, description = "The ended message.", body = PostedMessage)))]
pub(super) async fn fail(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    Body(end): Body<Fail>,
) -> HttpResult<Json<PostedMessage>> {
    Ok(Json(hub.fail_stream(&caller, &id, end).await?.into()))
}

/// Cancels an answer: your own, or as a person any in a conversation that you may write to. The body is optional.
#[utoipa::path(post, path = "/messages/{id}/cancel", tag = "streams",
    request_body(content = Option<Cancel>, example = json!({"reason": "wrong question"})),
    params(("id" = MessageId, Path, description = "The answer.")),
    responses((status = 200, description = "The ended message.", body = PostedMessage)))]
pub(super) async fn cancel(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    OptionalBody(end): OptionalBody<Cancel>,
) -> HttpResult<Json<PostedMessage>> {
    Ok(Json(hub.cancel_stream(&caller, &id, end).await?.into()))
}

/// Starts a step of your answer, for example a tool call, and renews its lease.
#[utoipa::path(post, path = "/messages/{id}/steps", tag = "streams",
    request_body(content = StartStep, example = json!({"id": "call-1", "name": "search", "input": {"query": "build"}})),
    params(("id" = MessageId, Path, description = "The answer.")),
    responses((status = 201, description = "The step.", body = Step)))]
pub(super) async fn start_step(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    Body(step): Body<StartStep>,
) -> HttpResult<(StatusCode, Json<Step>)> {
    Ok((StatusCode::CREATED, Json(hub.start_step(&caller, &id, step).await?)))
}

/// Finishes a step of your answer and renews its lease. The body is optional.
#[utoipa::path(post, path = "/messages/{id}/steps/{step_id}/finish", tag = "streams",
    request_body(content = Option<FinishStep>, example = json!({"output": {"hits": 3}})),
    params(
        ("id" = MessageId, Path, description = "The answer."),
        ("step_id" = inline(StepId), Path, description = "The step, percent-encoded."),
    ),
    responses((status = 200, description = "The finished step.", body = Step)))]
pub(super) async fn finish_step(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, step): IdPair<MessageId, StepId>,
    OptionalBody(end): OptionalBody<FinishStep>,
) -> HttpResult<Json<Step>> {
    Ok(Json(hub.finish_step(&caller, &id, &step.0, end).await?))
}
