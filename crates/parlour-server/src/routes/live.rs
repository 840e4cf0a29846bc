//! The WebSocket.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use hyper_util::rt::TokioIo;
use parlour_core::{Code, Refusal, id::ProjectId, live::ServerFrame, origin::Surface, position::Position};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    extract::{OptionalCredential, Params, RequestCredential},
    http_error::{HttpError, HttpResult},
    http_guard::AllowedOrigin,
    live::{Handshake, SocketAuth, SubscribeRequest, WebSocketTask, frame_filter},
    rate_limits::RequestMeter,
    serve::Connection,
};

/// What is followed from the start.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveParams {
    /// A project to follow from the start; others can be followed with frames.
    project_id: Option<ProjectId>,
    /// The last position of that project that you have seen; without it you hear what happens next.
    after: Option<Position>,
    /// Whether of that project only durable events are told, and nothing of the moment.
    events_only: Option<bool>,
}

impl LiveParams {
    fn subscription(self) -> Result<Option<SubscribeRequest>, Refusal> {
        let frame_filter = frame_filter(self.events_only.unwrap_or_default());
        match (self.project_id, self.after) {
            (Some(project_id), after) => Ok(Some(SubscribeRequest { project_id, after, frame_filter })),
            (None, None) if self.events_only.is_none() => Ok(None),
            (None, _) => {
                let detail = "a position and a choice of events belong to a project; name it";
                Err(Refusal::new(Code::BadQuery, detail).at("project_id"))
            }
        }
    }
}

/// Opens a WebSocket: what happens comes as frames, and requests go as frames.
///
/// Every frame is one JSON object. A browser that is signed in shows its cookie. Without that and the header
/// `Authorization` the first frame must be `{"type": "sign_in", "token": "…"}`. The hub says `hello`, then answers each frame with `ok` or `refused`.
#[utoipa::path(get, path = "/live", tag = "live", security((), ("token" = [])),
    params(LiveParams),
    responses((status = 101, description = "From here on both sides speak WebSocket; these are the frames of the hub.",
        body = ServerFrame)))]
pub(super) async fn open_socket(
    State(hub): State<Arc<Hub>>,
    _: AllowedOrigin,
    Params(params): Params<LiveParams>,
    OptionalCredential(credential): OptionalCredential,
    meter: RequestMeter,
    handshake: Handshake,
    connection: Connection,
) -> HttpResult<Response> {
    let auth = authenticate(&hub, meter, credential, params.subscription()?).await?;
    let (response, upgrade) = handshake.accept();
    let socket = WebSocketTask { hub, stop: connection.stop.clone(), auth };
    connection.clone().spawn(async move {
        match upgrade.await {
            Ok(upgraded) => socket.serve(TokioIo::new(upgraded)).await,
            Err(error) => tracing::debug!(%error, "a socket did not open"),
        }
    });
    Ok(response)
}

/// Whoever can be known before the socket opens is refused as everywhere.
async fn authenticate(
    hub: &Arc<Hub>,
    meter: RequestMeter,
    credential: Option<RequestCredential>,
    subscribe: Option<SubscribeRequest>,
) -> Result<SocketAuth, HttpError> {
    let Some(credential) = credential else { return Ok(SocketAuth::Pending(meter, subscribe)) };
    let session = meter.open_session(hub, credential.shown(), Surface::Live).await?;
    let reader = match subscribe {
        Some(subscribe) => Some(subscribe.begin(&session).await?),
        None => None,
    };
    Ok(SocketAuth::SignedIn(Box::new((session, reader))))
}
