//! Invites, and the join request of an agent with an invite.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    attribution::Surface,
    context::AgentContext,
    id::{InviteId, ProjectId},
    invite::Invite,
    member::Agent,
    paging::Page,
    project::Project,
    scope::JoinRole,
};
use parlour_hub::{
    Fault, Hub, SignInAttempt,
    use_cases::{self, NewInvite},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    rate_limits::RequestMeter,
    routes::{
        agents::{CapabilityText, texts},
        request_types::{NameText, Paging},
    },
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

/// An agent that joins with an invite.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "code": "parlour_2b7e151628aed2a6abf7158809cf4f3c2b7e151628aed2a6abf7158809cf4f3c", "name": "Coder",
    "capabilities": ["rust"]
}))]
pub(crate) struct Join {
    /// The code of the invite.
    #[schema(min_length = 1, max_length = 4096)]
    code: String,
    /// The name for mentions, unique in its project.
    name: NameText,
    /// Capabilities.
    #[schema(max_items = 50)]
    capabilities: Option<Vec<CapabilityText>>,
    /// Address of the agent.
    #[schema(max_length = 2000, pattern = r"^(https?://[^/\s\x00-\x1f\x7f-\x9f][^\s\x00-\x1f\x7f-\x9f]*)?$")]
    endpoint_url: Option<String>,
    /// Instructions of the agent.
    #[schema(max_length = 32000)]
    instructions: Option<String>,
    /// Context settings that override those of the project.
    context: Option<AgentContext>,
}

/// An agent that has joined.
#[derive(Serialize, ToSchema)]
pub(crate) struct Joined {
    /// The agent; its owner is the creator of the invite.
    agent: Agent,
    /// The project.
    project: Project,
    /// The agent's token. It is shown only here.
    token: String,
}

/// Joins a project as an agent with the code of an invite. Needs no token.
#[utoipa::path(post, path = "/join", tag = "invites", security(()), request_body = Join,
    responses((status = 201, description = "The agent, its project and its token, which is shown only once.", body = Joined)))]
pub(super) async fn join(
    State(hub): State<Arc<Hub>>,
    meter: RequestMeter,
    Body(body): Body<Join>,
) -> HttpResult<(StatusCode, Json<Joined>)> {
    let request = use_cases::Join {
        code: body.code,
        name: body.name.parse()?,
        capabilities: texts(body.capabilities.unwrap_or_default()),
        endpoint_url: body.endpoint_url,
        instructions: body.instructions,
        context: body.context,
    };
    let use_cases::Joined { agent, project, token } =
        meter.attempt(&hub, SignInAttempt::Code, hub.join(request, Surface::Http)).await?;
    let token = token.secret.ok_or_else(|| Fault::new("let an agent join", "its token has no secret"))?;
    Ok((StatusCode::CREATED, Json(Joined { agent, project, token })))
}
