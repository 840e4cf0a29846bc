//! How long a connection may be without a request: what it waits for, and since when.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::http::Version;
use tokio::time::{Instant, sleep_until};

use super::limits::ServeLimits;

/// The state of one connection, told by its stream and its requests, and watched by its task.
#[derive(Debug)]
pub(super) struct Pulse {
    state: Mutex<State>,
    head_time_max: Duration,
    idle_time_max: Duration,
}

#[derive(Debug)]
struct State {
    /// Requests whose answers have not ended yet.
    requests: usize,
    awaits: Awaits,
    since: Instant,
    /// In HTTP/2 bytes come at any time; only in HTTP/1 they mean that a request has begun.
    is_http1: bool,
}

/// What a connection without a request is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    /// The rest of a head, or anything at all on a new connection.
    Head,
    /// The next request.
    Next,
}

/// A request under way; its connection is not idle until this is gone.
#[derive(Debug)]
pub(super) struct InFlight(Arc<Pulse>);

impl Pulse {
    /// A new connection, from which a request is expected at once.
    pub(super) fn new(limits: &ServeLimits) -> Arc<Self> {
        let state = State { requests: 0, awaits: Awaits::Head, since: Instant::now(), is_http1: true };
        Arc::new(Self {
            state: Mutex::new(state),
            head_time_max: limits.head_time_max,
            idle_time_max: limits.idle_time_max,
        })
    }

    /// Something was read.
    pub(super) fn heard(&self) {
        let mut state = self.lock();
        if state.is_http1 && state.requests == 0 && state.awaits == Awaits::Next {
            state.await_now(Awaits::Head);
        }
    }

    /// A head has arrived.
    pub(super) fn begin(self: &Arc<Self>, version: Version) -> InFlight {
        let mut state = self.lock();
        state.requests += 1;
        state.is_http1 = version < Version::HTTP_2;
        drop(state);
        InFlight(Arc::clone(self))
    }

    /// Waits until the connection was without a request for too long.
    ///
    /// It looks from time to time and is told of nothing: a wake-up for each request would cost more than the look. No
    /// time that begins between two looks is over before the second, so none ends late.
    pub(super) async fn expired(&self) {
        let look_interval = self.head_time_max.min(self.idle_time_max);
        loop {
            let now = Instant::now();
            let deadline = self.deadline();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return;
            }
            let next_look = now + look_interval;
            sleep_until(deadline.map_or(next_look, |deadline| deadline.min(next_look))).await;
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let state = self.lock();
        let time_max = match state.awaits {
            Awaits::Head => self.head_time_max,
            Awaits::Next => self.idle_time_max,
        };
        (state.requests == 0).then(|| state.since + time_max)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn await_now(&mut self, awaits: Awaits) {
        self.awaits = awaits;
        self.since = Instant::now();
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.requests -= 1;
        state.await_now(Awaits::Next);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const HEAD: Duration = Duration::from_secs(10);
    const IDLE: Duration = Duration::from_secs(75);
    const SECOND: Duration = Duration::from_secs(1);

    fn pulse() -> Arc<Pulse> {
        Pulse::new(&ServeLimits { head_time_max: HEAD, idle_time_max: IDLE, ..ServeLimits::default() })
    }

    /// How long it takes from now on.
    async fn time_left(pulse: &Pulse) -> Duration {
        let began = Instant::now();
        pulse.expired().await;
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_has_the_time_of_one_head() {
        assert_eq!(time_left(&pulse()).await, HEAD);
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_of_the_first_head_buy_no_time() {
        let pulse = pulse();
        sleep(HEAD - SECOND).await;
        pulse.heard();
        assert_eq!(time_left(&pulse).await, SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_between_two_requests_may_wait_for_longer() {
        let pulse = pulse();
        drop(pulse.begin(Version::HTTP_11));
        assert_eq!(time_left(&pulse).await, IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_has_begun_must_end_soon() {
        let pulse = pulse();
        drop(pulse.begin(Version::HTTP_11));
        let watched = Arc::clone(&pulse);
        let watching = tokio::spawn(async move { time_left(&watched).await });
        sleep(SECOND).await;
        pulse.heard();
        sleep(SECOND).await;
        pulse.heard();
        assert_eq!(watching.await.expect("no panic"), SECOND + HEAD);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_with_a_request_is_never_idle() {
        let pulse = pulse();
        let (first, second) = (pulse.begin(Version::HTTP_2), pulse.begin(Version::HTTP_2));
        let watched = Arc::clone(&pulse);
        let watching = tokio::spawn(async move { time_left(&watched).await });
        sleep(IDLE * 9).await;
        drop(first);
        sleep(IDLE * 9).await;
        drop(second);
        assert_eq!(watching.await.expect("no panic"), IDLE * 19);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_comes_while_it_is_waited_for_is_noticed() {
        let pulse = pulse();
        let watched = Arc::clone(&pulse);
        let watching = tokio::spawn(async move { time_left(&watched).await });
        sleep(SECOND).await;
        let request = pulse.begin(Version::HTTP_11);
        sleep(HEAD * 2).await;
        drop(request);
        assert_eq!(watching.await.expect("no panic"), SECOND + HEAD * 2 + IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_of_http2_are_no_request() {
        let pulse = pulse();
        drop(pulse.begin(Version::HTTP_2));
        sleep(SECOND).await;
        pulse.heard();
        assert_eq!(time_left(&pulse).await, IDLE - SECOND);
    }
}
