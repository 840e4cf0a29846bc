//! Channels, their members and the subscriptions of agents.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    conversation::{Channel, ChannelPatch, Visibility},
    event::{ChannelMember, Subscription},
    id::{AgentId, ChannelId, MemberId, ProjectId},
    paging::Page,
    write::Archival,
};
use parlour_hub::{Hub, use_cases::NewChannel};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, IdPair, NoParams, Params},
    http_error::HttpResult,
    routes::request_types::{NameText, Paging},
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

/// A member to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddChannelMember {
    /// The member: a person or an agent of the project.
    member_id: MemberId,
}

/// Lists the members of a private channel. A channel of the whole project has none of its own.
#[utoipa::path(get, path = "/channels/{id}/members", tag = "channels",
    params(("id" = ChannelId, Path, description = "The channel."), Paging),
    responses((status = 200, description = "A page of members.", body = Page<MemberId>)))]
pub(super) async fn list_channel_members(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<MemberId>>> {
    Ok(Json(hub.channel_members(&caller, &id, &paging.page()?).await?))
}

/// Adds a member of the project to a private channel; idempotent.
#[utoipa::path(post, path = "/channels/{id}/members", tag = "channels", request_body = AddChannelMember,
    params(("id" = ChannelId, Path, description = "The channel.")),
    responses((status = 201, description = "The member was added.", body = ChannelMember)))]
pub(super) async fn add_channel_member(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    Body(body): Body<AddChannelMember>,
) -> HttpResult<(StatusCode, Json<ChannelMember>)> {
    let joined = hub.add_channel_member(&caller, &id, &body.member_id).await?;
    Ok((StatusCode::CREATED, Json(joined)))
}

/// Removes a member from a private channel: for the member itself and those who manage the channel.
#[utoipa::path(delete, path = "/channels/{id}/members/{member_id}", tag = "channels",
    params(
        ("id" = ChannelId, Path, description = "The channel."),
        ("member_id" = MemberId, Path, description = "The member."),
    ),
    responses((status = 204, description = "The member was removed.")))]
pub(super) async fn remove_channel_member(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, member): IdPair<ChannelId, MemberId>,
    _: NoParams,
) -> HttpResult<StatusCode> {
    hub.remove_channel_member(&caller, &id, &member).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The agent to subscribe.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subscribe {
    /// The agent.
    agent_id: AgentId,
}

/// Lists the agents that are subscribed to a channel.
#[utoipa::path(get, path = "/channels/{id}/subscriptions", tag = "channels",
    params(("id" = ChannelId, Path, description = "The channel."), Paging),
    responses((status = 200, description = "A page of agents.", body = Page<AgentId>)))]
pub(super) async fn list_subscriptions(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<AgentId>>> {
    Ok(Json(hub.subscribers(&caller, &id, &paging.page()?).await?))
}

/// Subscribes an agent to a channel: all messages of the channel go to its inbox.
///
/// Idempotent.
#[utoipa::path(post, path = "/channels/{id}/subscriptions", tag = "channels", request_body = Subscribe,
    params(("id" = ChannelId, Path, description = "The channel.")),
    responses((status = 201, description = "The subscription.", body = Subscription)))]
pub(super) async fn subscribe(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ChannelId>,
    Body(body): Body<Subscribe>,
) -> HttpResult<(StatusCode, Json<Subscription>)> {
    let subscription = hub.subscribe(&caller, &id, &body.agent_id).await?;
    Ok((StatusCode::CREATED, Json(subscription)))
}

/// Ends an agent's subscription.
#[utoipa::path(delete, path = "/channels/{id}/subscriptions/{agent_id}", tag = "channels",
    params(
        ("id" = ChannelId, Path, description = "The channel."),
        ("agent_id" = AgentId, Path, description = "The agent."),
    ),
    responses((status = 204, description = "The subscription is ended.")))]
pub(super) async fn unsubscribe(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    IdPair(id, agent): IdPair<ChannelId, AgentId>,
    _: NoParams,
) -> HttpResult<StatusCode> {
    hub.unsubscribe(&caller, &id, &agent).await?;
    Ok(StatusCode::NO_CONTENT)
}
