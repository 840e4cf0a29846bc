//! Channels of a project.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    conversation::{Channel, ChannelPatch, Visibility},
    id::{ChannelId, ProjectId},
    paging::Page,
    write::Archival,
};
use parlour_hub::{Hub, use_cases::NewChannel};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{name_text::NameText, paging::Paging};
use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
};

/// A new channel.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"project_id": "prj_01KA3V8Q2N7W4T9Y6B5C0D1E2F", "name": "general", "topic": "All and sundry"}))]
pub(crate) struct CreateChannel {
    /// The project.
    project_id: ProjectId,
    /// The name, unique in the project.
    name: NameText,
    /// The topic.
    #[schema(max_length = 500)]
    topic: Option<String>,
    /// Visibility; default: every member of the project.
    visibility: Option<Visibility>,
}

/// A change to a channel; absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"topic": "Only the news"}))]
pub(crate) struct UpdateChannel {
    /// The new name.
    name: Option<NameText>,
    /// The new topic; an empty text removes it.
    #[schema(max_length = 500)]
    topic: Option<String>,
    /// The new visibility.
    visibility: Option<Visibility>,
}

/// Creates a channel. The creator of a private channel is its first member.
#[utoipa::path(post, path = "/channels", tag = "channels", request_body = CreateChannel,
    responses((status = 201, description = "The channel.", body = Channel)))]
pub(super) async fn create_channel(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<CreateChannel>,
) -> HttpResult<(StatusCode, Json<Channel>)> {
    let request = NewChannel {
        project_id: body.project_id,
        name: body.name.parse()?,
        topic: body.topic,
        visibility: body.visibility.unwrap_or_default(),
    };
    Ok((StatusCode::CREATED, Json(hub.create_channel(&caller, request).await?)))
}

/// Lists the channels of a project that you may read, archived ones included.
#[utoipa::path(get, path = "/projects/{id}/channels", tag = "channels",
    params(("id" = ProjectId, Path, description = "The project."), Paging),
    responses((status = 200, description = "A page of channels, oldest first.", body = Page<Channel>)))]
pub(super) async fn list_channels(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Channel>>> {
    Ok(Json(hub.channels(&caller, &id, &paging.page()?).await?))
}

/// Reads a channel.
#[utoipa::path(get, path = "/channels/{id}", tag = "channels",
    params(("id" = ChannelId, Path, description = "The channel.")),
    responses((status = 200, description = "The channel.", body = Channel)))]
pub(super) async fn get_channel(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    _: NoParams,
) -> HttpResult<Json<Channel>> {
    Ok(Json(hub.channel(&caller, &id).await?))
}

/// Changes a channel: for its creator, the project's owner and administrators.
///
/// When a channel becomes private, the caller stays a member.
#[utoipa::path(patch, path = "/channels/{id}", tag = "channels", request_body = UpdateChannel,
    params(("id" = ChannelId, Path, description = "The channel.")),
    responses((status = 200, description = "The channel as it is now.", body = Channel)))]
pub(super) async fn update_channel(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    Body(body): Body<UpdateChannel>,
) -> HttpResult<Json<Channel>> {
    let name = body.name.map(|name| name.parse()).transpose()?;
    let patch = ChannelPatch { name, topic: body.topic, visibility: body.visibility };
    Ok(Json(hub.update_channel(&caller, &id, patch).await?))
}

/// Archives a channel, which makes it read-only; idempotent.
#[utoipa::path(post, path = "/channels/{id}/archive", tag = "channels",
    params(("id" = ChannelId, Path, description = "The channel.")),
    responses((status = 200, description = "The channel as it is now.", body = Channel)))]
pub(super) async fn archive_channel(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    _: NoParams,
) -> HttpResult<Json<Channel>> {
    Ok(Json(hub.archive_channel(&caller, &id, Archival::Archived).await?))
}

/// Makes an archived channel writable again; idempotent.
#[utoipa::path(post, path = "/channels/{id}/unarchive", tag = "channels",
    params(("id" = ChannelId, Path, description = "The channel.")),
    responses((status = 200, description = "The channel as it is now.", body = Channel)))]
pub(super) async fn unarchive_channel(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    _: NoParams,
) -> HttpResult<Json<Channel>> {
    Ok(Json(hub.archive_channel(&caller, &id, Archival::Active).await?))
}
