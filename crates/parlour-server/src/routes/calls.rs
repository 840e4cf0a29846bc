//! Calls: who is to answer what, and agents that do not.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    call::{Call, PassedCall},
    id::{AgentId, MessageId},
    paging::Page,
};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::ToSchema;

use super::paging::Paging;
use crate::{
    extract::{Caller, Id, OptionalBody, Params},
    http_error::HttpResult,
};

/// Why an agent passes on a call.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"reason": "another agent has said it"}))]
pub(crate) struct PassCall {
    /// The reason, for people; a blank text counts as none.
    #[schema(max_length = 2000)]
    reason: Option<String>,
}

/// Lists an agent's open calls, oldest first: for the agent itself and administrators.
///
/// A runner reads them when it connects, so that no call is missed. A call is closed when the agent has started an answer,
/// has passed, or the call has expired. Administrators see only those in conversations that
/// they may read.
#[utoipa::path(get, path = "/agents/{id}/calls", tag = "calls",
    params(("id" = AgentId, Path, description = "The agent."), Paging),
    responses((status = 200, description = "A page of open calls.", body = Page<Call>)))]
pub(super) async fn list_calls(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Call>>> {
    Ok(Json(hub.open_calls(&caller, &id, &paging.page()?).await?))
}

/// Passes on a call without an answer: for the called agent.
///
/// A closed call stays unchanged. The body is optional.
#[utoipa::path(post, path = "/messages/{id}/pass", tag = "calls", request_body = Option<PassCall>,
    params(("id" = MessageId, Path, description = "The calling message.")),
    responses((status = 200, description = "The call that was passed.", body = PassedCall)))]
pub(super) async fn pass_call(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    OptionalBody(body): OptionalBody<PassCall>,
) -> HttpResult<Json<PassedCall>> {
    Ok(Json(hub.pass_call(&caller, &id, body.reason).await?))
}
