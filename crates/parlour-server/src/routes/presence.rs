//! Presence and typing notifications.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    id::{ChannelId, DmId, ProjectId, ThreadId},
    paging::Page,
    post::PostMessage,
    presence::{Presence, PresenceUpdate},
};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    routes::request_types::Paging,
};

/// The conversation: exactly one of the three.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"channel_id": "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F"}))]
pub(crate) struct NoteTyping {
    /// The channel.
    channel_id: Option<ChannelId>,
    /// The thread.
    thread_id: Option<ThreadId>,
    /// The DM.
    dm_id: Option<DmId>,
}

/// Lists the presence of members in your projects.
///
/// People come first, then agents, each by id. It contains only projects that you can see.
#[utoipa::path(get, path = "/presence", tag = "presence", params(Paging),
    responses((status = 200, description = "A page of members.", body = Page<Presence>)))]
pub(super) async fn list_presence(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Presence>>> {
    Ok(Json(hub.presence(&caller, None, &paging.page()?).await?))
}

/// Lists the presence of members in a project: people first, then agents, each by id.
#[utoipa::path(get, path = "/projects/{id}/presence", tag = "presence",
    params(("id" = ProjectId, Path, description = "The project."), Paging),
    responses((status = 200, description = "A page of members.", body = Page<Presence>)))]
pub(super) async fn list_project_presence(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Presence>>> {
    Ok(Json(hub.presence(&caller, Some(&id), &paging.page()?).await?))
}

/// Sets your presence. Repeat it within a minute; a live session keeps it alive.
#[utoipa::path(put, path = "/presence", tag = "presence",
    request_body(content = PresenceUpdate, example = json!({
        "state": "working", "machine_name": "build-7", "runtime": "claude-code 2.1",
        "abilities": {"can_stream": true, "can_be_paused": true, "can_be_woken": true}
    })),
    responses((status = 200, description = "Your presence over all connections.", body = Presence)))]
pub(super) async fn announce_presence(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(request): Body<PresenceUpdate>,
) -> HttpResult<Json<Presence>> {
    Ok(Json(hub.announce_presence(&caller, request).await?))
}

/// Deletes the presence set with `PUT /presence`; idempotent.
#[utoipa::path(delete, path = "/presence", tag = "presence",
    responses((status = 204, description = "The presence is deleted. Live sessions still count.")))]
pub(super) async fn withdraw_presence(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    _: NoParams,
) -> HttpResult<StatusCode> {
    hub.withdraw_presence(&caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends a typing notification: for people, repeated every few seconds. Agents stream instead.
#[utoipa::path(post, path = "/typing", tag = "presence", request_body = NoteTyping,
    responses((status = 204, description = "The readers of the conversation are notified.")))]
pub(super) async fn note_typing(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<NoteTyping>,
) -> HttpResult<StatusCode> {
    let NoteTyping { channel_id, thread_id, dm_id } = body;
    let conversation = PostMessage { channel_id, thread_id, dm_id, ..PostMessage::default() }.conversation()?;
    hub.note_typing(&caller, &conversation).await?;
    Ok(StatusCode::NO_CONTENT)
}
