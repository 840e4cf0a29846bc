//! The whole surface as one service.

use std::{sync::Arc, time::Duration};

use axum::{Router, extract::FromRef, middleware::from_fn_with_state};
use parlour_core::limits;
use parlour_hub::Hub;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    answer::{self, RequestIds},
    assets,
    borders::{self, Borders},
    rates, refused, routes,
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
    let ids = RequestIds::new(&info.instance);
    let guard = from_fn_with_state(borders.clone(), borders::guard);
    let refused = from_fn_with_state(Arc::clone(&hub), refused::note_refused);
    let rates = from_fn_with_state(Arc::clone(&hub), rates::charge_address);
    let state = AppState { hub, info: Arc::new(info), borders };
    let time_max = Duration::from_secs(limits::REQUEST_SECONDS_MAX as u64);
    let (timed, _) = routes::timed().split_for_parts();
    let (streaming, _) = routes::streaming().split_for_parts();
    timed
        .layer(from_fn_with_state(time_max, answer::limit_time))
        .merge(streaming)
        .merge(assets::routes())
        .fallback(answer::refuse_address)
        .method_not_allowed_fallback(answer::refuse_method)
        .layer(CatchPanicLayer::custom(answer::answer_panic))
        .layer(refused)
        .layer(rates)
        .layer(guard)
        .layer(from_fn_with_state(ids, answer::surround))
        .with_state(state)
}
