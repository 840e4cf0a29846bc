//! Agents, and the engines that they can have.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use parlour_core::{
    context::AgentContext,
    engine::{Engine, EngineOffer},
    id::{AgentId, ProjectId},
    member::{Agent, AgentPatch},
    paging::Page,
    scope::JoinRole,
};
use parlour_hub::{Hub, use_cases::NewAgent};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    routes::{
        people::NewToken,
        request_types::{NameText, Paging},
    },
};

/// A new agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"project_id": "prj_01KA3V8Q2N7W4T9Y6B5C0D1E2F", "name": "Coder", "capabilities": ["rust"]}))]
pub(crate) struct CreateAgent {
    /// The project of the agent.
    project_id: ProjectId,
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
    /// The engine, when the hub runs the agent; absent for an agent that runs elsewhere.
    engine: Option<Engine>,
    /// Context settings that override those of the project.
    context: Option<AgentContext>,
    /// Role of its token; default: `full`.
    role: Option<JoinRole>,
}

/// A change to an agent; absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"capabilities": ["rust", "review"]}))]
pub(crate) struct UpdateAgent {
    /// The new name.
    name: Option<NameText>,
    /// The new list of capabilities.
    #[schema(max_items = 50)]
    capabilities: Option<Vec<CapabilityText>>,
    /// The new address; an empty text removes it.
    #[schema(max_length = 2000, pattern = r"^(https?://[^/\s\x00-\x1f\x7f-\x9f][^\s\x00-\x1f\x7f-\x9f]*)?$")]
    endpoint_url: Option<String>,
    /// The new instructions; an empty text removes them.
    #[schema(max_length = 32000)]
    instructions: Option<String>,
    /// The new engine; an empty provider removes it, and the agent runs elsewhere.
    engine: Option<Engine>,
    /// The complete context settings; an empty object removes them.
    context: Option<AgentContext>,
}

/// One capability, in a few words.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(value_type = String, min_length = 1, max_length = 64, example = "rust")]
pub(crate) struct CapabilityText(String);

/// A new agent with its token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentWithToken {
    #[serde(flatten)]
    agent: Agent,
    /// The agent's token. It is shown only here.
    token: String,
}

pub(super) fn texts(capabilities: Vec<CapabilityText>) -> Vec<String> {
    capabilities.into_iter().map(|capability| capability.0).collect()
}

/// Adds an agent to a project: for its people.
///
/// With an `engine` the hub runs the agent. An agent that runs elsewhere connects with the token.
#[utoipa::path(post, path = "/agents", tag = "agents", request_body = CreateAgent,
    responses((status = 201, description = "The agent and its token, which is shown only once.", body = AgentWithToken)))]
pub(super) async fn create_agent(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Body(body): Body<CreateAgent>,
) -> HttpResult<(StatusCode, Json<AgentWithToken>)> {
    let request = NewAgent {
        project_id: body.project_id,
        name: body.name.parse()?,
        capabilities: texts(body.capabilities.unwrap_or_default()),
        endpoint_url: body.endpoint_url,
        instructions: body.instructions,
        engine: body.engine,
        context: body.context,
        role: body.role,
    };
    let (agent, token) = hub.create_agent(&caller, request).await?;
    Ok((StatusCode::CREATED, Json(AgentWithToken { agent, token })))
}

/// Lists the agents of a project.
#[utoipa::path(get, path = "/projects/{id}/agents", tag = "agents",
    params(("id" = ProjectId, Path, description = "The project."), Paging),
    responses((status = 200, description = "A page of agents, oldest first.", body = Page<Agent>)))]
pub(super) async fn list_agents(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<ProjectId>,
    Params(paging): Params<Paging>,
) -> HttpResult<Json<Page<Agent>>> {
    Ok(Json(hub.agents(&caller, &id, &paging.page()?).await?))
}

/// Reads an agent.
#[utoipa::path(get, path = "/agents/{id}", tag = "agents",
    params(("id" = AgentId, Path, description = "The agent.")),
    responses((status = 200, description = "The agent.", body = Agent)))]
pub(super) async fn get_agent(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    _: NoParams,
) -> HttpResult<Json<Agent>> {
    Ok(Json(hub.agent(&caller, &id).await?))
}

/// Changes an agent: by itself, its owner, the project's owner or an administrator.
#[utoipa::path(patch, path = "/agents/{id}", tag = "agents", request_body = UpdateAgent,
    params(("id" = AgentId, Path, description = "The agent.")),
    responses((status = 200, description = "The agent as it is now.", body = Agent)))]
pub(super) async fn update_agent(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    Body(body): Body<UpdateAgent>,
) -> HttpResult<Json<Agent>> {
    let patch = AgentPatch {
        name: body.name.map(|name| name.parse()).transpose()?,
        capabilities: body.capabilities.map(texts),
        endpoint_url: body.endpoint_url,
        instructions: body.instructions,
        engine: body.engine,
        context: body.context,
    };
    Ok(Json(hub.update_agent(&caller, &id, patch).await?))
}

/// Replaces the token of an agent.
#[utoipa::path(post, path = "/agents/{id}/token", tag = "agents",
    params(("id" = AgentId, Path, description = "The agent.")),
    responses((status = 201, description = "The new token.", body = NewToken)))]
pub(super) async fn renew_agent_token(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    _: NoParams,
) -> HttpResult<(StatusCode, Json<NewToken>)> {
    let token = hub.renew_agent_token(&caller, &id).await?;
    Ok((StatusCode::CREATED, Json(NewToken { token })))
}

/// The engines that agents of this hub can have.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({"items": [
    {"provider": "built-in", "interface": "built-in"},
    {"provider": "local", "interface": "openai", "model": "qwen3"}
]}))]
pub(crate) struct Engines {
    /// The providers that the operator has set up, each once.
    items: Vec<EngineOffer>,
}

/// Lists the engines that agents of this hub can have.
///
/// The operator configures them by name. The API never contains their addresses or keys.
#[utoipa::path(get, path = "/engines", tag = "agents",
    responses((status = 200, description = "The engines.", body = Engines)))]
pub(super) async fn list_engines(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    _: NoParams,
) -> HttpResult<Json<Engines>> {
    Ok(Json(Engines { items: hub.engines(&caller)? }))
}
