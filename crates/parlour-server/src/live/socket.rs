//! The task of one socket, from the handshake to the close.

use std::sync::Arc;

use bytes::Bytes;
use parlour_core::{
    id::ProjectId,
    live::{CloseCode, Done, ServerFrame},
    position::Position,
};
use parlour_hub::{
    Failure, Hub,
    live::{FrameFilter, Reader, Session, StartPosition},
};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::{conversation::Conversation, farewell::Farewell, requests::refused, sign_in::sign_in, wire::Wire};
use crate::rates::Visit;

/// A project to be followed.
pub(crate) struct Subscription {
    pub(crate) project_id: ProjectId,
    pub(crate) after: Option<Position>,
    pub(crate) interest: FrameFilter,
}

impl Subscription {
    /// Follows the project.
    pub(crate) async fn begin(self, session: &Session) -> Result<Reader, Failure> {
        let start = self.after.map_or(StartPosition::Now, StartPosition::After);
        Ok(session.subscribe(&self.project_id, start).await?.with_interest(self.interest))
    }
}

/// Who is at the other end when a socket opens.
pub(crate) enum Arrival {
    /// Somebody whose token came with the request.
    Known(Box<(Session, Option<Reader>)>),
    /// Somebody who has yet to sign in, and then wants to follow this.
    Unknown(Visit, Option<Subscription>),
}

/// A socket that is about to be served.
pub(crate) struct Socket {
    pub(crate) hub: Arc<Hub>,
    pub(crate) stop: CancellationToken,
    pub(crate) arrival: Arrival,
}

impl Socket {
    /// Serves a socket over this connection to its end.
    pub(crate) async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let mut wire = Wire::new(stream, Arc::clone(self.hub.clock())).await;
        let farewell = self.converse(&mut wire).await;
        wire.close(farewell).await;
    }

    async fn converse<S: AsyncRead + AsyncWrite + Unpin>(self, wire: &mut Wire<S>) -> Farewell {
        let Self { hub, stop, arrival } = self;
        let (session, reader, first) = match arrival {
            Arrival::Known(known) => (known.0, known.1, Vec::new()),
            // Boxed: few sockets begin like this, and all would have to hold the room for it.
            Arrival::Unknown(visit, wanted) => match Box::pin(welcome(&hub, wire, &stop, visit, wanted)).await {
                Ok(welcomed) => welcomed,
                Err(farewell) => return farewell,
            },
        };
        Conversation::new(hub, wire, session, stop).run(first, reader).await
    }
}

/// Lets somebody sign in and follow what it wanted; what is to be said about that comes along.
async fn welcome<S: AsyncRead + AsyncWrite + Unpin>(
    hub: &Arc<Hub>,
    wire: &mut Wire<S>,
    stop: &CancellationToken,
    visit: Visit,
    wanted: Option<Subscription>,
) -> Result<(Session, Option<Reader>, Vec<ServerFrame>), Farewell> {
    let (session, reference) = sign_in(hub, wire, stop, &visit).await?;
    let mut first = vec![ServerFrame::Ok(Done { reference, data: Value::Null })];
    let Some(wanted) = wanted else { return Ok((session, None, first)) };
    let begun = tokio::select! {
        biased;
        () = stop.cancelled() => return Err(CloseCode::Restart.into()),
        begun = wanted.begin(&session) => begun,
    };
    let reader = begun.map_err(|failure| first.push(refused(None, &failure))).ok();
    Ok((session, reader, first))
}

/// What a client that asks for events alone wants to be told.
pub(crate) fn interest(events_only: bool) -> FrameFilter {
    if events_only { FrameFilter::Events } else { FrameFilter::Everything }
}

/// A frame as text.
pub(super) fn to_text(frame: &ServerFrame) -> Bytes {
    serde_json::to_vec(frame).expect("a frame is plain data").into()
}
