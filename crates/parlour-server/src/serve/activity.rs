//! Closes connections that have no request for too long.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::http::Version;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, sleep_until},
};

use super::{connection_limits::ServeLimits, head_scanner::HeadScanner};

/// Tracks the requests and reads of one connection; its task waits for the deadline.
#[derive(Debug)]
pub(super) struct Activity {
    state: Mutex<ActivityState>,
    head_time_max: Duration,
    idle_time_max: Duration,
}

#[derive(Debug)]
struct ActivityState {
    /// Requests whose responses have not ended.
    requests: usize,
    waiting_for: WaitingFor,
    since: Instant,
    /// Only in HTTP/1 does a read mean that a request has begun.
    is_http1: bool,
}

/// What a connection without a request waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaitingFor {
    /// The request head; the state of a new connection.
    Head,
    Next,
}

/// A running request; its connection is not idle before this is dropped.
#[derive(Debug)]
pub(super) struct InFlight(Arc<Activity>);

impl Activity {
    /// A new connection, which must send a request head in time.
    pub(super) fn new(limits: &ServeLimits) -> Arc<Self> {
        let state = ActivityState { requests: 0, waiting_for: WaitingFor::Head, since: Instant::now(), is_http1: true };
        Arc::new(Self {
            state: Mutex::new(state),
            head_time_max: limits.head_time_max,
            idle_time_max: limits.idle_time_max,
        })
    }

    pub(super) fn mark_read(&self) {
        let mut state = self.lock();
        if state.is_http1 && state.requests == 0 && state.waiting_for == WaitingFor::Next {
            state.wait_for(WaitingFor::Head);
        }
    }

    /// A request head has arrived.
    pub(super) fn begin(self: &Arc<Self>, version: Version) -> InFlight {
        let mut state = self.lock();
        state.requests += 1;
        state.is_http1 = version < Version::HTTP_2;
        drop(state);
        InFlight(Arc::clone(self))
    }

    /// Waits until the connection was without a request for too long.
    ///
    /// It polls at the shorter of both limits: a wake-up per request would cost more. A limit that starts between two polls
    /// ends after the second, so no deadline is missed.
    pub(super) async fn expired(&self) {
        let poll_interval = self.head_time_max.min(self.idle_time_max);
        loop {
            let now = Instant::now();
            let deadline = self.deadline();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return;
            }
            let next_poll = now + poll_interval;
            sleep_until(deadline.map_or(next_poll, |deadline| deadline.min(next_poll))).await;
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let state = self.lock();
        let time_max = match state.waiting_for {
            WaitingFor::Head => self.head_time_max,
            WaitingFor::Next => self.idle_time_max,
        };
        (state.requests == 0).then(|| state.since + time_max)
    }

    fn lock(&self) -> MutexGuard<'_, ActivityState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActivityState {
    fn wait_for(&mut self, waiting_for: WaitingFor) {
        self.waiting_for = waiting_for;
        self.since = Instant::now();
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.requests -= 1;
        state.wait_for(WaitingFor::Next);
    }
}

/// A stream that reports its reads to the activity of its connection and to the scanner of its requests.
pub(super) struct ReadTracker<S> {
    stream: S,
    activity: Arc<Activity>,
    scanner: HeadScanner,
}

impl<S> ReadTracker<S> {
    pub(super) fn new(stream: S, activity: Arc<Activity>, scanner: HeadScanner) -> Self {
        Self { stream, activity, scanner }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReadTracker<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let read = &buffer.filled()[before..];
        if !read.is_empty() {
            self.activity.mark_read();
            self.scanner.feed(read);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReadTracker<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const HEAD: Duration = Duration::from_secs(10);
    const IDLE: Duration = Duration::from_secs(75);
    const SECOND: Duration = Duration::from_secs(1);

    fn activity() -> Arc<Activity> {
        Activity::new(&ServeLimits { head_time_max: HEAD, idle_time_max: IDLE, ..ServeLimits::default() })
    }

    async fn time_left(activity: &Activity) -> Duration {
        let began = Instant::now();
        activity.expired().await;
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_has_the_head_timeout() {
        assert_eq!(time_left(&activity()).await, HEAD);
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_of_the_first_head_do_not_extend_the_timeout() {
        let activity = activity();
        sleep(HEAD - SECOND).await;
        activity.mark_read();
        assert_eq!(time_left(&activity).await, SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_between_two_requests_has_the_idle_timeout() {
        let activity = activity();
        drop(activity.begin(Version::HTTP_11));
        assert_eq!(time_left(&activity).await, IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_started_head_has_the_head_timeout() {
        let activity = activity();
        drop(activity.begin(Version::HTTP_11));
        let watched = Arc::clone(&activity);
        let watching = tokio::spawn(async move { time_left(&watched).await });
        sleep(SECOND).await;
        activity.mark_read();
        sleep(SECOND).await;
        activity.mark_read();
        assert_eq!(watching.await.expect("no panic"), SECOND + HEAD);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_with_a_request_never_expires() {
        let activity = activity();
        let (first, second) = (activity.begin(Version::HTTP_2), activity.begin(Version::HTTP_2));
        let watched = Arc::clone(&activity);
        let watching = tokio::spawn(async move { time_left(&watched).await });
        sleep(IDLE * 9).await;
        drop(first);
        sleep(IDLE * 9).await;
        drop(second);
        assert_eq!(watching.await.expect("no panic"), IDLE * 19);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_during_the_wait_resets_the_deadline() {
        let activity = activity();
        let watched = Arc::clone(&activity);
        let watching = tokio::spawn(async move { time_left(&watched).await });
        sleep(SECOND).await;
        let request = activity.begin(Version::HTTP_11);
        sleep(HEAD * 2).await;
        drop(request);
        assert_eq!(watching.await.expect("no panic"), SECOND + HEAD * 2 + IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn http2_bytes_do_not_start_a_request() {
        let activity = activity();
        drop(activity.begin(Version::HTTP_2));
        sleep(SECOND).await;
        activity.mark_read();
        assert_eq!(time_left(&activity).await, IDLE - SECOND);
    }
}
