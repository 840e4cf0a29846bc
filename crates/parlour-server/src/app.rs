//! The whole surface as one service.

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
    answer::{self, RequestIds},
    assets,
    borders::{self, Borders},
    mcp, rates, refused, routes,
};

/// What the surface tells about the program it is part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// The version of the program.
    pub version: String,
    /// A short name of this run in letters and digits; the ids of requests start with it.
    pub instance: String,
}

/// What handlers can ask for.
#[derive(Clone, FromRef)]
pub(crate) struct AppState {
    /// The hub.
    pub(crate) hub: Arc<Hub>,
    /// The program.
    pub(crate) info: Arc<ServerInfo>,
    /// What is believed of a request.
    pub(crate) borders: Borders,
}

/// Puts all routes and pages over a hub.
///
/// Live sessions need a hub that runs (`Hub::run`).
pub fn app(hub: Arc<Hub>, info: ServerInfo, borders: Borders) -> Router {
    surface(hub, info, borders, Router::new())
}

/// The same with what public test suites of protocols call, at addresses of its own. For tests only.
pub fn app_with_fixtures(hub: Arc<Hub>, info: ServerInfo, borders: Borders) -> Router {
    let fixtures = mcp::fixture_routes(&hub, &borders);
    surface(hub, info, borders, fixtures)
}

fn surface(hub: Arc<Hub>, info: ServerInfo, borders: Borders, further: Router<AppState>) -> Router {
    let ids = RequestIds::new(&info.instance);
    let gate = Gate { ids, borders: borders.clone(), hub: Arc::clone(&hub) };
    let info = Arc::new(info);
    let tools = mcp::routes(&hub, &info, &borders);
    let state = AppState { hub, info, borders };
    let time_max = Duration::from_secs(limits::REQUEST_SECONDS_MAX as u64);
    let (timed, _) = routes::timed().split_for_parts();
    let (streaming, _) = routes::streaming().split_for_parts();
    timed
        .layer(from_fn_with_state(time_max, answer::limit_time))
        .merge(streaming)
        .merge(tools)
        .merge(further)
        .merge(assets::routes())
        .fallback(answer::refuse_address)
        .method_not_allowed_fallback(answer::refuse_method)
        .layer(CatchPanicLayer::custom(answer::answer_panic))
        .layer(from_fn_with_state(Arc::new(gate), pass))
        .with_state(state)
}

/// What every request passes on its way in and out.
struct Gate {
    ids: RequestIds,
    borders: Borders,
    hub: Arc<Hub>,
}

/// Leads a request through all that stands before the routes. It is one layer: each further one would copy all below it,
/// for every request.
async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let Gate { ids, borders, hub } = gate.as_ref();
    let answer = async |request| next.run(request).await;
    let noted = async |request| refused::note_refused(hub, request, answer).await;
    let charged = async |request| rates::charge_address(hub, request, noted).await;
    let guarded = async |request| borders::guard(borders, request, charged).await;
    answer::surround(ids, request, guarded).await
}
