//! Live surfaces: WebSockets and server-sent events.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::Response,
};
use hyper_util::rt::TokioIo;
use parlour_core::{Code, Refusal, attribution::Surface, id::ProjectId, live::ServerFrame, position::Position};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    extract::{OptionalCredential, Params, RequestCredential},
    http_error::{HttpError, HttpResult},
    http_guard::AllowedOrigin,
    live::{EventStream, Handshake, SocketAuth, SubscribeRequest, WebSocketTask, frame_filter},
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
                let detail = "`after` and `events_only` require `project_id`";
                Err(Refusal::new(Code::BadQuery, detail).at("project_id"))
            }
        }
    }
}

/// Opens a WebSocket: the hub sends events as frames, and the client sends requests as frames.
///
/// Every frame is one JSON object. Authenticate with the session cookie, the header `Authorization`, or a first frame
/// `{"type": "sign_in", "token": "…"}`. The hub sends `hello`, then answers each frame with `ok` or `refused`. The schema
/// `ClientFrame` describes the frames of the client, and `ServerFrame` those of the hub.
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

/// The header with the last position of a reconnecting client.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Parameters of an event stream.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventsParams {
    /// The project.
    project_id: ProjectId,
    /// The last position that you have seen; default: start with the next event.
    after: Option<Position>,
    /// Whether to send durable events only, without ephemeral frames.
    events_only: Option<bool>,
}

/// Streams the events of a project as server-sent events.
///
/// Events after `Last-Event-ID` (or `after`) come first, then an event `live`, then new events. Durable events have an
/// `id` to resume from; ephemeral frames have none. `gap` means that events are missing: load the snapshot of the project.
/// `end` contains the reason when the hub closes the stream. The data of each event is one frame. `events_only` omits
/// ephemeral frames: running streams, chunks, steps, typing and presence.
#[utoipa::path(get, path = "/events", tag = "live",
    params(
        EventsParams,
        ("Last-Event-ID" = Option<Position>, Header,
            description = "The last position that you have seen; browsers send it when they reconnect. It overrides `after`."),
    ),
    responses((status = 200, description = "An endless stream of events.",
        body = ServerFrame, content_type = "text/event-stream")))]
pub(super) async fn stream_events(
    State(hub): State<Arc<Hub>>,
    _: AllowedOrigin,
    credential: RequestCredential,
    meter: RequestMeter,
    Params(params): Params<EventsParams>,
    connection: Connection,
    headers: HeaderMap,
) -> HttpResult<Response> {
    let after = last_event_id(&headers)?.or(params.after);
    let session = meter.open_session(&hub, credential.shown(), Surface::Events).await?;
    let frame_filter = frame_filter(params.events_only.unwrap_or_default());
    let reader = SubscribeRequest { project_id: params.project_id, after, frame_filter }.begin(&session).await?;
    let stream = EventStream::new(session, reader, connection.stop, hub.clock());
    let mut response = Response::new(stream.into_body());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies that support this header do not buffer the events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// The last position of a reconnecting client; browsers send an empty one when they have received no event.
fn last_event_id(headers: &HeaderMap) -> Result<Option<Position>, Refusal> {
    let refuse = |refusal: Refusal| refusal.at("Last-Event-ID");
    match headers.get(LAST_EVENT_ID) {
        None => Ok(None),
        Some(sent) if sent.is_empty() => Ok(None),
        Some(sent) => String::from_utf8_lossy(sent.as_bytes()).parse().map(Some).map_err(refuse),
    }
}
