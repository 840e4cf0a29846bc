//! Inboxes of agents and people, and marking messages as read.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    id::{AgentId, ConversationId, MessageId, ProjectId},
    inbox::{Digest, InboxCounts, InboxEntry, InboxFilter, InboxOrder},
    message::Importance,
    paging::Page,
};
use parlour_hub::{
    Hub,
    use_cases::{ReadMessages, ReadOutcome},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    routes::request_types::{Paging, page},
};

/// Filter and order of an inbox.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxParams {
    /// Minimum importance.
    #[param(inline)]
    importance: Option<Importance>,
    /// Only those that mention the agent.
    mentions: Option<bool>,
    /// Only those whose open question addresses the agent.
    blocking: Option<bool>,
    /// Only those of this conversation.
    conversation_id: Option<ConversationId>,
    /// Order; default: by time.
    #[param(inline)]
    order: Option<InboxOrder>,
    /// Maximum number of items.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// The `next` of the previous page.
    #[param(max_length = 200)]
    cursor: Option<String>,
}

/// Unread messages of an agent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Inbox {
    /// The messages of this page.
    items: Vec<InboxEntry>,
    /// Pass this back as `cursor` for the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// Total number of unread messages, without the filter.
    unread: u64,
}

/// The messages to mark as read, or a conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"message_ids": ["msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"]}))]
pub(crate) struct MarkManyRead {
    /// The agent that has read them; default: the caller.
    agent_id: Option<AgentId>,
    /// The messages.
    #[schema(max_items = 200)]
    #[serde(default)]
    message_ids: Vec<MessageId>,
    /// Instead of messages: all unread messages of this conversation.
    conversation_id: Option<ConversationId>,
    /// Only up to this message of the conversation.
    up_to: Option<MessageId>,
}

/// The result of marking messages as read.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({"read": 3, "already": 1, "left": 0}))]
pub(crate) struct ManyRead {
    /// Number of newly read messages.
    read: u64,
    /// Number of messages that were read before.
    already: u64,
    /// Number of remaining messages: repeat the request while there are any.
    left: u64,
}

impl InboxParams {
    fn filter(&self) -> InboxFilter {
        InboxFilter {
            importance: self.importance,
            only_mentions: self.mentions.unwrap_or_default(),
            only_blocking: self.blocking.unwrap_or_default(),
            conversation_id: self.conversation_id.clone(),
            order: self.order.unwrap_or_default(),
        }
    }
}

impl From<ReadOutcome> for ManyRead {
    fn from(outcome: ReadOutcome) -> Self {
        Self { read: outcome.read, already: outcome.already, left: outcome.left }
    }
}

/// Lists an agent's unread messages, oldest first: for the agent itself and administrators.
///
/// With `order=importance` critical messages come first, then high ones. Administrators see and count only messages of
/// conversations that they may read.
#[utoipa::path(get, path = "/agents/{id}/inbox", tag = "inbox",
    params(("id" = AgentId, Path, description = "The agent."), InboxParams),
    responses((status = 200, description = "A page of the inbox.", body = Inbox)))]
pub(super) async fn get_inbox(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    Params(params): Params<InboxParams>,
) -> HttpResult<Json<Inbox>> {
    let filter = params.filter();
    let (page, unread) = hub.inbox(&caller, &id, &filter, &page(params.limit, params.cursor)?).await?;
    Ok(Json(Inbox { items: page.items, next: page.next, unread }))
}

/// Counts an agent's unread messages: for the agent itself and administrators.
#[utoipa::path(get, path = "/agents/{id}/inbox/counts", tag = "inbox",
    params(("id" = AgentId, Path, description = "The agent.")),
    responses((status = 200, description = "The number of unread messages by importance.", body = InboxCounts)))]
pub(super) async fn get_inbox_counts(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    _: NoParams,
) -> HttpResult<Json<InboxCounts>> {
    Ok(Json(hub.inbox_counts(&caller, &id).await?))
}

/// Lists an agent's unread messages by conversation, the most important first: for the agent itself and administrators.
#[utoipa::path(get, path = "/agents/{id}/inbox/digests", tag = "inbox",
    params(("id" = AgentId, Path, description = "The agent."), Paging),
    responses((status = 200, description = "A page of conversations with unread messages.", body = Page<Digest>)))]
pub(super) async fn list_digests(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Digest>>> {
    Ok(Json(hub.digests(&caller, &id, &paging.page()?).await?))
}

/// Lists the unread messages of a project that you should not miss, newest first: for people.
///
/// These are messages that mention you, ask a question, have a raised importance, or belong to your DMs. Agents use
/// `GET /agents/{id}/inbox` instead.
#[utoipa::path(get, path = "/projects/{id}/inbox", tag = "inbox",
    params(("id" = ProjectId, Path, description = "The project."), Paging),
    responses((status = 200, description = "A page of unread messages.", body = Page<InboxEntry>)))]
pub(super) async fn get_project_inbox(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<InboxEntry>>> {
    Ok(Json(hub.my_inbox(&caller, &id, &paging.page()?).await?))
}

/// Marks many messages as read: those named, or all of a conversation up to one of them.
///
/// Idempotent. One request marks a limited number of messages; the response contains the number that remains.
#[utoipa::path(post, path = "/inbox/read", tag = "inbox", request_body = MarkManyRead,
    responses((status = 200, description = "The numbers of read and remaining messages.", body = ManyRead)))]
pub(super) async fn read_messages(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<MarkManyRead>,
) -> HttpResult<Json<ManyRead>> {
    let request = ReadMessages {
        agent_id: body.agent_id,
        message_ids: body.message_ids,
        conversation_id: body.conversation_id,
        up_to: body.up_to,
    };
    Ok(Json(hub.read_messages(&caller, request).await?.into()))
}
