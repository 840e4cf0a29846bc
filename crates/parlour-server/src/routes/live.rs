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

/// The first subscription of a WebSocket.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveParams {
    /// A project to subscribe to at once; send `subscribe` frames for others.
    project_id: Option<ProjectId>,
    /// The last position of that project that you have seen; default: start with the next event.
    after: Option<Position>,
    /// Whether to send durable events of that project only, without ephemeral frames.
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

/// Opens a WebSocket: the hub sends events as frames, and the client sends requests as frames.
///
/// Every frame is one JSON object. Authenticate with the session cookie, the header `Authorization`, or a first frame
/// `{"type": "sign_in", "token": "…"}`. The hub sends `hello`, then answers each frame with `ok` or `refused`.
#[utoipa::path(get, path = "/live", tag = "live", security((), ("token" = [])),
    params(LiveParams),
    responses((status = 101, description = "The connection is a WebSocket; these are the frames of the hub.",
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

/// A credential in the upgrade request is checked before the socket opens.
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
