//! Invites: codes by which agents on other machines join a project.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    id::{InviteId, ProjectId},
    invite::Invite,
    paging::Page,
    scope::JoinRole,
};
use parlour_hub::{Hub, use_cases::NewInvite};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::paging::Paging;
use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
};

/// A new invite.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"role": "full", "label": "the build machine", "uses_max": 3, "expires_in_seconds": 3600}))]
pub(crate) struct CreateInvite {
    /// Role of the joining agents.
    role: JoinRole,
    /// A label.
    #[schema(max_length = 100)]
    label: Option<String>,
    /// How many agents may join with it.
    #[schema(minimum = 1, maximum = 1000, default = 1)]
    uses_max: Option<u32>,
    /// Lifetime in seconds; default: one day.
    #[schema(minimum = 1, maximum = 2_592_000)]
    expires_in_seconds: Option<u64>,
}

/// An invite that was just made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InviteWithCode {
    #[serde(flatten)]
    invite: Invite,
    /// The code. It is shown only here.
    code: String,
}

/// Creates an invite to a project: for its people.
#[utoipa::path(post, path = "/projects/{id}/invites", tag = "invites", request_body = CreateInvite,
    params(("id" = ProjectId, Path, description = "The project.")),
    responses((status = 201, description = "The invite and its code, which is shown only once.", body = InviteWithCode)))]
pub(super) async fn create_invite(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(project_id): Id<ProjectId>,
    Body(body): Body<CreateInvite>,
) -> HttpResult<(StatusCode, Json<InviteWithCode>)> {
    let request = NewInvite {
        project_id,
        role: body.role,
        label: body.label.unwrap_or_default(),
        uses_max: body.uses_max.unwrap_or(1),
        expires_in_seconds: body.expires_in_seconds,
    };
    let (invite, code) = hub.create_invite(&caller, request).await?;
    Ok((StatusCode::CREATED, Json(InviteWithCode { invite, code })))
}

/// Lists the invites of a project, also those that have ended: for its people.
#[utoipa::path(get, path = "/projects/{id}/invites", tag = "invites",
    params(("id" = ProjectId, Path, description = "The project."), Paging),
    responses((status = 200, description = "A page of invites without their codes, oldest first.", body = Page<Invite>)))]
pub(super) async fn list_invites(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Invite>>> {
    Ok(Json(hub.invites(&caller, &id, &paging.page()?).await?))
}

/// Revokes an invite: for its creator, the project's owner and administrators. Agents that have joined stay.
#[utoipa::path(delete, path = "/invites/{id}", tag = "invites",
    params(("id" = InviteId, Path, description = "The invite.")),
    responses((status = 204, description = "The invite is revoked.")))]
pub(super) async fn revoke_invite(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<InviteId>,
    _: NoParams,
) -> HttpResult<StatusCode> {
    hub.revoke_invite(&caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
