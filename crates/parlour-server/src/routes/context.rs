//! What the model of an agent will see.

mod written;

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::{
    context::{ContextFormat, ContextRequest, Pack},
    id::AgentId,
};
use parlour_hub::Hub;

use crate::{
    extract::{Body, Caller, Id},
    http_error::HttpResult,
};

/// Builds the context pack of an agent within a budget: for the agent itself and people of its project.
///
/// The receipt lists every candidate with its level of detail, or the reason why it is omitted. The pack contains only
/// what both the agent and the caller may read. With a `run_id` (for the agent itself) the pack is stored and can be read
/// later. `request` contains the message list of a provider, with the agent's instructions in the system part, within the
/// budget.
#[utoipa::path(post, path = "/agents/{id}/context", tag = "context",
    request_body(content = ContextRequest, examples(
        ("pack" = (summary = "For the beginning of a turn", value = json!({
            "budget": 1024, "conversation_id": "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F",
            "message_id": "msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"
        }))),
        ("injection" = (summary = "For an agent in the middle of a turn", value = json!({
            "format": "injection", "budget": 512, "run_id": "run_01KA3V8Q2N7W4T9Y6B5C0D1E2F",
            "told": ["msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"]
        }))),
        ("list" = (summary = "A list for a provider", value = json!({
            "format": "anthropic", "budget": 4000, "model": "claude-sonnet-4-5", "query": "Why did the deployment fail?",
            "system_notices": ["Deployments are frozen until 18:00."]
        })))
    )),
    params(("id" = AgentId, Path, description = "The agent.")),
    responses((status = 200, description = "The pack and its receipt.", body = Pack)))]
pub(super) async fn make_context(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<AgentId>,
    Body(ask): Body<ContextRequest>,
) -> HttpResult<Json<Pack>> {
    let pack = match ask.format {
        ContextFormat::Pack | ContextFormat::Injection | ContextFormat::Native => {
            hub.context(&caller, &id, &ask).await?.pack
        }
        _ => hub.context_written(&caller, &id, &ask, &written::write).await?,
    };
    Ok(Json(pack))
}
