//! Moments of the hub's clock that a live session waits for.

use std::{pin::Pin, sync::Arc, time::Duration};

use parlour_core::limits;
use parlour_hub::ports::Clock;

/// Waits for this long. Nothing is made before it is polled, so a wait that is not needed costs nothing.
pub(super) async fn wait(clock: &Arc<dyn Clock>, duration: Duration) {
    let ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    clock.sleep_until(clock.now().plus_millis(ms)).await;
}

/// The heartbeats of one session.
pub(super) struct Beats {
    clock: Arc<dyn Clock>,
    /// Kept between two waits: a timer is set once for each beat, not for each frame.
    next: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Beats {
    /// Beats from now on.
    pub(super) fn new(clock: &Arc<dyn Clock>) -> Self {
        Self { clock: Arc::clone(clock), next: later(clock) }
    }

    /// Waits for the next beat. Cancelling the wait does not move it.
    pub(super) async fn next(&mut self) {
        self.next.as_mut().await;
        self.next = later(&self.clock);
    }
}

fn later(clock: &Arc<dyn Clock>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let at = clock.now().plus_millis(limits::LIVE_HEARTBEAT_SECONDS as u64 * 1_000);
    let clock = Arc::clone(clock);
    Box::pin(async move { clock.sleep_until(at).await })
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use parlour_testkit::ManualClock;

    use super::*;

    #[tokio::test]
    async fn beats_come_at_their_time_however_often_the_wait_is_broken_off() {
        let manual = Arc::new(ManualClock::new());
        let clock: Arc<dyn Clock> = manual.clone();
        let mut beats = Beats::new(&clock);
        for _ in 0..2 {
            manual.advance(limits::LIVE_HEARTBEAT_SECONDS as u32 * 1_000 - 1);
            assert!(beats.next().now_or_never().is_none());
            manual.advance(1);
            beats.next().await;
            assert!(beats.next().now_or_never().is_none());
        }
    }

    #[tokio::test]
    async fn a_wait_is_as_long_as_it_is_told() {
        let manual = Arc::new(ManualClock::new());
        let clock: Arc<dyn Clock> = manual.clone();
        let mut waiting = std::pin::pin!(wait(&clock, Duration::from_secs(1)));
        assert!(waiting.as_mut().now_or_never().is_none());
        manual.advance(1_000);
        waiting.await;
    }
}
