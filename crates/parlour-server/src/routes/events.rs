//! What happens in a project, as server-sent events.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::Response,
};
use parlour_core::{Refusal, id::ProjectId, live::ServerFrame, origin::Surface, position::Position};
use parlour_hub::Hub;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    extract::{Params, RequestCredential},
    http_error::HttpResult,
    http_guard::AllowedOrigin,
    live::{EventStream, SubscribeRequest, frame_filter},
    rate_limits::RequestMeter,
    serve::Connection,
};

/// The header by which a client that comes back says what it has seen.
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
    // Asks the proxies that know it not to hold events back.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// The position of a client that comes back; browsers send an empty one when they have seen none.
fn last_event_id(headers: &HeaderMap) -> Result<Option<Position>, Refusal> {
    let refuse = |refusal: Refusal| refusal.at("Last-Event-ID");
    match headers.get(LAST_EVENT_ID) {
        None => Ok(None),
        Some(sent) if sent.is_empty() => Ok(None),
        Some(sent) => String::from_utf8_lossy(sent.as_bytes()).parse().map(Some).map_err(refuse),
    }
}
