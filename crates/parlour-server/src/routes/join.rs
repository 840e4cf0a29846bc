//! Joining a project by the code of an invite.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{context::AgentContext, member::Agent, origin::Surface, project::Project};
use parlour_hub::{Fault, Hub, SignInAttempt, use_cases};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    agents::{CapabilityText, texts},
    name_text::NameText,
};
use crate::{extract::Body, http_error::HttpResult, rate_limits::RequestMeter};

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
