//! Threads below the messages of a channel.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    conversation::Thread,
    id::{ChannelId, MessageId, ThreadId},
    paging::Page,
};
use parlour_hub::{Hub, use_cases::OpenThread};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    routes::{messages::status_of, request_types::Paging},
};

/// A thread to open.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateThread {
    /// The channel.
    channel_id: ChannelId,
    /// The root message, in that channel.
    root_message_id: MessageId,
}

/// Opens a thread below a message, or returns the existing one.
#[utoipa::path(post, path = "/threads", tag = "threads", request_body = CreateThread,
    responses(
        (status = 201, description = "The new thread.", body = Thread),
        (status = 200, description = "The thread that the message has already.", body = Thread),
    ))]
pub(super) async fn open_thread(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<CreateThread>,
) -> HttpResult<(StatusCode, Json<Thread>)> {
    let request = OpenThread { channel_id: body.channel_id, root_message_id: body.root_message_id };
    let (thread, novelty) = hub.open_thread(&caller, request).await?;
    Ok((status_of(novelty), Json(thread)))
}

/// Lists the threads of a channel.
#[utoipa::path(get, path = "/channels/{id}/threads", tag = "threads",
    params(("id" = ChannelId, Path, description = "The channel."), Paging),
    responses((status = 200, description = "A page of threads, oldest first.", body = Page<Thread>)))]
pub(super) async fn list_threads(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Thread>>> {
    Ok(Json(hub.threads(&caller, &id, &paging.page()?).await?))
}

/// Reads a thread.
#[utoipa::path(get, path = "/threads/{id}", tag = "threads",
    params(("id" = ThreadId, Path, description = "The thread.")),
    responses((status = 200, description = "The thread.", body = Thread)))]
pub(super) async fn get_thread(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ThreadId>,
    _: NoParams,
) -> HttpResult<Json<Thread>> {
    Ok(Json(hub.thread(&caller, &id).await?))
}
