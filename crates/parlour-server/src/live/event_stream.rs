//! A stream of server-sent events: the body of an answer, made while it is read.

use std::{convert::Infallible, sync::Arc, vec};

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use parlour_core::live::CloseCode;
use parlour_hub::{
    live::{EncodedFrame, Reader, Session, SessionEnd},
    ports::Clock,
};
use tokio_util::sync::CancellationToken;

use super::{beats::Beats, farewell::code_of, follower::Follower, open_session::OpenSession, sse};

/// Bytes after which a piece of the body is long enough.
const PIECE_BYTES: usize = 16 * 1024;

/// One reader of server-sent events.
pub(crate) struct EventStream {
    open: OpenSession,
    follower: Follower,
    beats: Beats,
    /// Frames that were taken from the reader and not yet written.
    waiting: vec::IntoIter<EncodedFrame>,
    stage: Stage,
}

enum Stage {
    Opening,
    Telling,
    SessionEnd,
}

/// What happens next.
enum Moment {
    Told(vec::IntoIter<EncodedFrame>),
    Beat,
}

impl EventStream {
    pub(crate) fn new(session: Session, reader: Reader, stop: CancellationToken, clock: &Arc<dyn Clock>) -> Self {
        Self {
            open: OpenSession::new(session, stop),
            follower: Follower::new(reader),
            beats: Beats::new(clock),
            waiting: Vec::new().into_iter(),
            stage: Stage::Opening,
        }
    }

    /// The stream as a body. It is made piece by piece, as fast as the client takes it.
    pub(crate) fn into_body(self) -> Body {
        Body::from_stream(stream::unfold(self, |mut stream| async move {
            let piece = stream.next_piece().await?;
            Some((Ok::<_, Infallible>(piece), stream))
        }))
    }

    async fn next_piece(&mut self) -> Option<Bytes> {
        match self.stage {
            Stage::Opening => {
                self.stage = Stage::Telling;
                Some(sse::opening())
            }
            Stage::Telling => Some(self.tell().await),
            Stage::SessionEnd => None,
        }
    }

    async fn tell(&mut self) -> Bytes {
        match self.wait().await {
            Ok(Moment::Told(told)) => {
                self.waiting = told;
                self.write_waiting()
            }
            Ok(Moment::Beat) => sse::beat(self.follower.moved()),
            Err(code) => {
                self.stage = Stage::SessionEnd;
                sse::end(code)
            }
        }
    }

    async fn wait(&mut self) -> Result<Moment, CloseCode> {
        tokio::select! {
            biased;
            code = self.open.over() => Err(code),
            () = self.beats.next() => Ok(Moment::Beat),
            told = take(&mut self.waiting, &mut self.follower) => told.map(Moment::EncodedFrame).map_err(code_of),
        }
    }

    /// A piece of what waits, so long that it is worth writing and not so long that it hurts.
    fn write_waiting(&mut self) -> Bytes {
        let mut out = BytesMut::new();
        while out.len() < PIECE_BYTES
            && let Some(told) = self.waiting.next()
        {
            sse::put_event(&mut out, self.follower.position_of(&told), told.name, &told.json);
        }
        out.freeze()
    }
}

/// What waits already, otherwise what comes next.
async fn take(
    waiting: &mut vec::IntoIter<EncodedFrame>,
    follower: &mut Follower,
) -> Result<vec::IntoIter<EncodedFrame>, SessionEnd> {
    if waiting.as_slice().is_empty() {
        return Ok(follower.next().await?.into_iter());
    }
    Ok(std::mem::take(waiting))
}
