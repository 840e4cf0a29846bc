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

/// Which events are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventsParams {
    /// The project.
    project_id: ProjectId,
    /// The last position that you have seen; without it the stream begins with what happens next.
    after: Option<Position>,
    /// Whether only durable events are told, and nothing of the moment.
    events_only: Option<bool>,
}

/// Tells what happens in a project while it happens, as server-sent events.
///
/// Everything that was missed after `Last-Event-ID` (or `after`) comes first, then an event `live`, then what happens.
/// Durable events have an `id` to resume from; things of the moment have none. `gap` says that events are missing: load
/// the snapshot of the project. `end` says why the hub ends the stream. The data of each event is one frame. With
/// `events_only` nothing of the moment is told: no running streams, chunks, steps, typing or presence.
#[utoipa::path(get, path = "/events", tag = "live",
    params(
        EventsParams,
        ("Last-Event-ID" = Option<Position>, Header,
            description = "The last position that you have seen; clients send it when they come back. It goes before `after`."),
    ),
    responses((status = 200, description = "The events, without an end.",
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
