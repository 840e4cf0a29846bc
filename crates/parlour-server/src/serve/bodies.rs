//! The bodies of both directions: a request's must not stop coming, and a request lasts until its answer's has ended.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{BoxError, body::Body as AnswerBody};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use super::pulse::InFlight;

/// The body of a request, which breaks off when not one byte of it came for `time_max`.
pub(super) struct TimelyBody<B> {
    body: B,
    time_max: Duration,
    /// Set while a byte is waited for.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<B> TimelyBody<B> {
    pub(super) fn new(body: B, time_max: Duration) -> Self {
        Self { body, time_max, waiting: None }
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for TimelyBody<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.waiting = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let time_max = self.time_max;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(time_max)));
        ready!(waiting.as_mut().poll(context));
        let late = io::Error::new(io::ErrorKind::TimedOut, "no more of the body came");
        Poll::Ready(Some(Err(late.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer, with which its request ends.
pub(super) struct TrackedBody {
    body: AnswerBody,
    _request: InFlight,
}

impl TrackedBody {
    pub(super) fn new(body: AnswerBody, request: InFlight) -> Self {
        Self { body, _request: request }
    }
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, Full, StreamBody};
    use tokio::{sync::mpsc, time::Instant};

    use super::*;

    const TIME_MAX: Duration = Duration::from_secs(20);

    /// A body whose pieces come when they are sent.
    fn by_pieces() -> (mpsc::Sender<Bytes>, TimelyBody<impl Body<Data = Bytes, Error = BoxError> + Unpin>) {
        let (pieces, arriving) = mpsc::channel::<Bytes>(1);
        let stream = futures_util::stream::unfold(arriving, |mut arriving| async {
            let piece = arriving.recv().await?;
            Some((Ok::<_, BoxError>(Frame::data(piece)), arriving))
        });
        (pieces, TimelyBody::new(StreamBody::new(Box::pin(stream)), TIME_MAX))
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_coming_breaks_off_in_time() {
        let (_pieces, body) = by_pieces();
        let began = Instant::now();
        let error = body.collect().await.expect_err("nothing comes");
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        assert_eq!((kind, began.elapsed()), (Some(io::ErrorKind::TimedOut), TIME_MAX));
    }

    #[tokio::test(start_paused = true)]
    async fn every_piece_buys_time() {
        let (pieces, body) = by_pieces();
        tokio::spawn(async move {
            for piece in ["slow", "ly"] {
                sleep(TIME_MAX - Duration::from_secs(1)).await;
                pieces.send(piece.into()).await.expect("taken");
            }
        });
        assert_eq!(body.collect().await.expect("whole").to_bytes(), "slowly");
    }

    #[tokio::test]
    async fn lengths_are_passed_on() {
        let body = TimelyBody::new(Full::new(Bytes::from_static(b"four")), TIME_MAX);
        assert_eq!((body.size_hint().exact(), body.is_end_stream()), (Some(4), false));
    }
}
