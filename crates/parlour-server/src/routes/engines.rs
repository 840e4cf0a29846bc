//! What can answer for agents that the hub runs itself.

use std::sync::Arc;

use axum::{Json, extract::State};
use parlour_core::engine::EngineOffer;
use parlour_hub::Hub;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    extract::{Caller, NoParams},
    http_error::HttpResult,
};

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
