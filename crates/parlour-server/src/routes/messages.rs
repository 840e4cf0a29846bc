//! Messages, reactions and imports.

use std::{str::FromStr, sync::Arc};

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    Refusal,
    event::Event,
    id::{AgentId, MessageId},
    import::{ImportMessages, ImportOutcome},
    inbox::ReadMark,
    limits,
    mention::MentionProblem,
    message::{Message, MessagePreview},
    paging::Page,
    position::Position,
    post::PostMessage,
    reaction::check_emoji,
    write::Novelty,
};
use parlour_hub::{
    Hub,
    use_cases::{EditMessage, Posted},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, IdPair, LargeBody, NoParams, OptionalBody, Params},
    http_error::HttpResult,
    routes::request_types::Paging,
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

/// The reader of a message.
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
/// `held` those whose call the loop guard holds back. A wide mention (`@everyone`, `@agents`) is refused with the names that
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
/// Secrets and personal data are redacted by the rules of the project and replaced by marks such as `[aws-key 1]`. The
/// preview has at most 160 characters; it is empty when the message has no text.
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

/// Reads a message in the form that the model of an agent may receive.
///
/// Secrets and personal data are redacted by the rules of the project. Structured content, steps, URLs of files and
/// metadata of other programs are omitted. A message that no model may receive, such as a host message, is not found.
#[utoipa::path(get, path = "/messages/{id}/view", tag = "messages",
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, description = "The redacted message.", body = Message)))]
pub(super) async fn get_message_view(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.message_view(&caller, &id).await?))
}

/// Lists the events of a message (posted, edited, removed, reactions), oldest first.
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

/// A reaction: visible characters without white space, control characters and bidirectional controls.
#[derive(ToSchema)]
#[schema(
    value_type = String, min_length = 1, max_length = 32, example = "👍",
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*[^\s\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8][^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$"
)]
pub(crate) struct Emoji(String);

impl FromStr for Emoji {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        // The extractor names the field itself.
        check_emoji(text).map_err(|refusal| Refusal { field: None, ..refusal })?;
        Ok(Self(text.to_owned()))
    }
}

/// Adds your reaction to a message; idempotent.
#[utoipa::path(put, path = "/messages/{id}/reactions/{emoji}", tag = "messages",
    params(
        ("id" = MessageId, Path, description = "The message."),
        ("emoji" = inline(Emoji), Path, description = "The reaction, usually an emoji, percent-encoded."),
    ),
    responses((status = 200, description = "The message as it is now.", body = Message)))]
pub(super) async fn react(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, emoji): IdPair<MessageId, Emoji>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.react(&caller, &id, &emoji.0).await?))
}

/// Removes your reaction; idempotent.
#[utoipa::path(delete, path = "/messages/{id}/reactions/{emoji}", tag = "messages",
    params(
        ("id" = MessageId, Path, description = "The message."),
        ("emoji" = inline(Emoji), Path, description = "The reaction, percent-encoded."),
    ),
    responses((status = 200, description = "The message as it is now.", body = Message)))]
pub(super) async fn unreact(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, emoji): IdPair<MessageId, Emoji>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.unreact(&caller, &id, &emoji.0).await?))
}

/// Imports messages of another system into a channel or thread: for administrators.
///
/// Up to 100 messages, oldest first, in a body of up to `IMPORT_BODY_BYTES_MAX` bytes. They keep their authors,
/// times and order. The id of an author contains its system (`pynchy:u-7`), so that it is never a member; the audit log
/// records the caller.
///
/// Imported messages call no agent and are not counted by the loop guard.
/// A `reply_to` is kept when that message is in the conversation or earlier in the list; otherwise it is omitted.
///
/// A message that is already in the conversation with the same id and content is skipped and counted as known, so a failed
/// request can be repeated. An id that belongs to another message is refused (`PARLOUR-C01`) with its index, such as
/// `messages[17].id`. The messages before it stay stored; the messages after it are not stored.
///
/// A request counts as one change for the rate limit of the caller, and not for the message rate of the project.
#[utoipa::path(post, path = "/imports", tag = "messages", request_body = ImportMessages,
    responses((status = 200, description = "The numbers of stored and known messages.", body = ImportOutcome)))]
pub(super) async fn import_messages(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    LargeBody(request): LargeBody<ImportMessages, { limits::IMPORT_BODY_BYTES_MAX }>,
) -> HttpResult<Json<ImportOutcome>> {
    Ok(Json(hub.import_messages(&caller, request).await?))
}
