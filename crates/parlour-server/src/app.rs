//! The router with all middleware.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{FromRef, Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use parlour_core::limits;
use parlour_hub::Hub;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    assets,
    http_guard::{self, HttpGuard},
    mcp,
    middleware::{self, RequestIds},
    rate_limits, routes,
};

/// Version and instance name of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// Version of the program.
    pub version: String,
    /// A short name of this process in letters and digits; the prefix of request ids.
    pub instance: String,
}

/// The state of handlers.
#[derive(Clone, FromRef)]
pub(crate) struct AppState {
    pub(crate) hub: Arc<Hub>,
    pub(crate) info: Arc<ServerInfo>,
    pub(crate) http_guard: HttpGuard,
}

/// The router of a hub: API, live surfaces, MCP and pages.
///
/// Live sessions need a running hub (`Hub::run`).
pub fn app(hub: Arc<Hub>, info: ServerInfo, http_guard: HttpGuard) -> Router {
    build(hub, info, http_guard, Router::new())
}

/// The same router with the fixtures of the public MCP test suite. For tests only.
pub fn app_with_fixtures(hub: Arc<Hub>, info: ServerInfo, http_guard: HttpGuard) -> Router {
    let fixtures = mcp::fixture_routes(&hub, &http_guard);
    build(hub, info, http_guard, fixtures)
}

fn build(hub: Arc<Hub>, info: ServerInfo, http_guard: HttpGuard, extra: Router<AppState>) -> Router {
    let ids = RequestIds::new(&info.instance);
    let layers = Layers { ids, http_guard: http_guard.clone(), hub: Arc::clone(&hub) };
    let info = Arc::new(info);
    let tools = mcp::routes(&hub, &info, &http_guard);
    let state = AppState { hub, info, http_guard };
    let time_max = Duration::from_secs(limits::REQUEST_SECONDS_MAX as u64);
    let (timed, _) = routes::timed().split_for_parts();
    let (streaming, _) = routes::streaming().split_for_parts();
    timed
        .layer(from_fn_with_state(time_max, middleware::limit_time))
        .merge(streaming)
        .merge(tools)
        .merge(extra)
        .merge(assets::routes())
        .fallback(routes::unknown_path)
        .method_not_allowed_fallback(middleware::refuse_method)
        .layer(CatchPanicLayer::custom(middleware::answer_panic))
        .layer(from_fn_with_state(Arc::new(layers), handle))
        .with_state(state)
}

/// The state of the middleware.
struct Layers {
    ids: RequestIds,
    http_guard: HttpGuard,
    hub: Arc<Hub>,
}

/// Runs all middleware around the routes. It is one axum layer because each layer clones every service below it for every
/// request.
async fn handle(State(layers): State<Arc<Layers>>, request: Request, next: Next) -> Response {
    let Layers { ids, http_guard, hub } = layers.as_ref();
    let answer = async |request| next.run(request).await;
    let audited = async |request| middleware::record_refusals(hub, request, answer).await;
    let charged = async |request| rate_limits::charge_address(hub, request, audited).await;
    let guarded = async |request| http_guard::guard(http_guard, request, charged).await;
    middleware::surround(ids, request, guarded).await
}
