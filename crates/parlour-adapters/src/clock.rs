//! The time as the system tells it.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use parlour_core::Timestamp;
use parlour_hub::ports::Clock;

/// The clock of the system. Where the system's clock is set back, this one stands still until that has caught up.
#[derive(Debug, Default)]
pub struct SystemClock {
    /// The latest moment that was told, in milliseconds since 1970.
    last_ms: AtomicI64,
}

impl SystemClock {
    /// Lets the clock see this moment, and answers the latest that it has seen.
    fn observe(&self, now_ms: i64) -> i64 {
        self.last_ms.fetch_max(now_ms, Ordering::Relaxed).max(now_ms)
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.observe(jiff::Timestamp::now().as_millisecond()))
    }

    async fn sleep_until(&self, at: Timestamp) {
        // Looked at again after each sleep: the system's clock may have been set back meanwhile.
        while let Some(left_ms) = u64::try_from(at.as_millis() - self.now().as_millis()).ok().filter(|ms| *ms > 0) {
            tokio::time::sleep(Duration::from_millis(left_ms)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_stands_still_while_the_system_is_behind() {
        let clock = SystemClock::default();
        let told: Vec<_> = [10, 7, 9, 11].into_iter().map(|now_ms| clock.observe(now_ms)).collect();
        assert_eq!(told, [10, 10, 10, 11]);
    }

    #[test]
    fn the_time_is_that_of_the_system() {
        let before = jiff::Timestamp::now().as_millisecond();
        let now = SystemClock::default().now().as_millis();
        let after = jiff::Timestamp::now().as_millisecond();
        assert!((before..=after).contains(&now), "{before} {now} {after}");
    }
}
