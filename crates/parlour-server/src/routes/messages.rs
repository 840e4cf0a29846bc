//! Posting, reading, changing and removing messages.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    Refusal,
    event::Event,
    id::{AgentId, MessageId},
    inbox::ReadMark,
    mention::MentionProblem,
    message::{Message, MessagePreview},
    paging::Page,
    position::Position,
    post::PostMessage,
    write::Novelty,
};
use parlour_hub::{
    Hub,
    use_cases::{EditMessage, Posted},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::paging::Paging;
use crate::{
    extract::{Body, Caller, Id, NoParams, OptionalBody, Params},
    http_error::HttpResult,
};

/// A posted message with warnings for its sender.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PostedMessage {
    #[serde(flatten)]
    pub(super) message: Message,
    /// Position of its event in the project's log.
    pub(super) position: Position,
    /// Mentions in the text that match no member.
    pub(super) mention_problems: Vec<MentionProblem>,
    /// Why it does not answer the open question that it replies to. The question stays open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answer_problem: Option<AnswerProblem>,
}

/// Why a message does not answer a question.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({"code": "PARLOUR-M04", "detail": "\"perhaps\" is not of type \"boolean\""}))]
pub(crate) struct AnswerProblem {
    /// The stable code; its page is at `/errors/{code}`.
    code: &'static str,
    /// The violated rule.
    detail: String,
}

impl From<Posted> for PostedMessage {
    fn from(posted: Posted) -> Self {
        Self {
            message: posted.message,
            position: posted.position,
            mention_problems: posted.mention_problems,
            answer_problem: posted.answer_problem.map(Into::into),
        }
    }
}

impl From<Refusal> for AnswerProblem {
    fn from(refusal: Refusal) -> Self {
        Self { code: refusal.code.as_str(), detail: refusal.detail }
    }
}

/// The new text of a message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"body": "Second thoughts"}))]
pub(crate) struct UpdateMessage {
    /// The text, in Markdown.
    #[schema(min_length = 1, max_length = 65536)]
    body: String,
}

/// An edited message with warnings for its author.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EditedMessage {
    #[serde(flatten)]
    message: Message,
    /// Mentions in the text that match no member.
    mention_problems: Vec<MentionProblem>,
}

/// Who has read a message.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MarkRead {
    /// The agent that has read it; default: the caller.
    agent_id: Option<AgentId>,
}

/// 201 for a new resource, 200 for an existing one.
pub(super) fn status_of(novelty: Novelty) -> StatusCode {
    match novelty {
        Novelty::New => StatusCode::CREATED,
        Novelty::Repeated => StatusCode::OK,
    }
}

/// Posts a message; the response is sent when the message is durable.
///
/// Set exactly one of `channel_id`, `thread_id` and `dm_id`, and at least one of `body`, `content` and a file. Repeating
/// an `id` with the same content returns the first result; with another content it is refused. With `stream` the text
/// follows in `POST /messages/{id}/chunks` until the stream is ended. `calls` lists the agents that are called, and
/// `held` those that a rule keeps from answering. A wide mention (`@everyone`, `@agents`) is refused with the names that
/// it would call, unless `confirm_wide` is set.
///
/// A `blocking` message addresses the mentioned members, the other participants of a DM, or the agents that it reaches;
/// they pause at their next checkpoint. It contains a `question`, which ends when it is answered or expires, and needs the
/// scope `messages:block`. A reply to an open question answers it; otherwise `answer_problem` contains the reason.
#[utoipa::path(post, path = "/messages", tag = "messages",
    request_body(content = PostMessage, example = json!({
        "channel_id": "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F", "body": "@Coder please look at the build", "importance": "high"
    })),
    responses(
        (status = 201, description = "The stored message.", body = PostedMessage),
        (status = 200, description = "The message that was posted with this id before.", body = PostedMessage),
    ))]
pub(super) async fn post_message(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(request): Body<PostMessage>,
) -> HttpResult<(StatusCode, Json<PostedMessage>)> {
    let posted = hub.post_message(&caller, request).await?;
    Ok((status_of(posted.novelty), Json(posted.into())))
}

/// Reads a message.
#[utoipa::path(get, path = "/messages/{id}", tag = "messages",
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, description = "The message.", body = Message)))]
pub(super) async fn get_message(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.message(&caller, &id).await?))
}

/// Edits your own message. Newly mentioned agents are notified.
#[utoipa::path(patch, path = "/messages/{id}", tag = "messages", request_body = UpdateMessage,
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, description = "The message as it is now.", body = EditedMessage)))]
pub(super) async fn edit_message(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    Body(body): Body<UpdateMessage>,
) -> HttpResult<Json<EditedMessage>> {
    let (message, mention_problems) = hub.edit_message(&caller, &id, EditMessage { body: body.body }).await?;
    Ok(Json(EditedMessage { message, mention_problems }))
}

/// Removes the text of a message; the message keeps its sequence number. Idempotent.
#[utoipa::path(delete, path = "/messages/{id}", tag = "messages",
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, description = "The removed message.", body = Message)))]
pub(super) async fn remove_message(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.remove_message(&caller, &id).await?))
}

/// Reads a one-line preview of a message, for example for a lock screen.
///
/// It is a view: secrets and personal data are taken out by the rules of the project, and marks such as `[aws-key 1]` stand
/// in their place. It has at most 160 characters, and none where the message has no text.
#[utoipa::path(get, path = "/messages/{id}/preview", tag = "messages",
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, description = "The message as one line.", body = MessagePreview)))]
pub(super) async fn get_message_preview(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    _: NoParams,
) -> HttpResult<Json<MessagePreview>> {
    Ok(Json(hub.message_preview(&caller, &id).await?))
}

/// Reads a message as the model of an agent may read it.
///
/// It is a view: secrets and personal data are taken out by the rules of the project. Structured content, steps, addresses of
/// files and metadata of other programs are left out. A message that no model may see, such as one of the host, is not found.
#[utoipa::path(get, path = "/messages/{id}/view", tag = "messages",
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, description = "The message as a model may read it.", body = Message)))]
pub(super) async fn get_message_view(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.message_view(&caller, &id).await?))
}

/// Lists what happened to a message: posted, edited, removed, reacted to. Oldest first.
#[utoipa::path(get, path = "/messages/{id}/changes", tag = "messages",
    params(("id" = MessageId, Path, description = "The message."), Paging),
    responses((status = 200, description = "A page of events.", body = Page<Event>)))]
pub(super) async fn list_message_changes(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Event>>> {
    Ok(Json(hub.message_events(&caller, &id, &paging.page()?).await?))
}

/// Marks a message as read, and for people everything before it.
///
/// Idempotent. The body is optional.
#[utoipa::path(post, path = "/messages/{id}/read", tag = "messages", request_body = Option<MarkRead>,
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, description = "The read position.", body = ReadMark)))]
pub(super) async fn mark_read(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    OptionalBody(body): OptionalBody<MarkRead>,
) -> HttpResult<Json<ReadMark>> {
    Ok(Json(hub.mark_read(&caller, &id, body.agent_id.map(Into::into)).await?))
}
