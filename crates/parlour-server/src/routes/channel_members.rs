//! Who is in a private channel.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    event::ChannelMember,
    id::{ChannelId, MemberId},
    paging::Page,
};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::ToSchema;

use super::paging::Paging;
use crate::{
    extract::{Body, Caller, Id, IdPair, NoParams, Params},
    http_error::HttpResult,
};

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
