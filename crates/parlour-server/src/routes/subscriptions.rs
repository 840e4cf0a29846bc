//! Which agents follow a channel.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    event::Subscription,
    id::{AgentId, ChannelId},
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
