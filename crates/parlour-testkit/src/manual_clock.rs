use async_trait::async_trait;
use parlour_core::Timestamp;
use tokio::sync::watch;

use parlour_hub::ports::Clock;

/// The start time of every manual clock: 2025-01-01T00:00:00Z.
const START_MS: i64 = 1_735_689_600_000;

/// A clock that moves only by `advance`.
#[derive(Debug)]
pub struct ManualClock {
    now_ms: watch::Sender<i64>,
}

impl ManualClock {
    /// A clock at the start of the year 2025.
    pub fn new() -> Self {
        Self { now_ms: watch::Sender::new(START_MS) }
    }

    /// Advances the clock, wakes the sleepers whose time has passed, and returns the new time.
    pub fn advance(&self, ms: u32) -> Timestamp {
        self.now_ms.send_modify(|now_ms| *now_ms += i64::from(ms));
        self.now()
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(*self.now_ms.borrow())
    }

    async fn sleep_until(&self, at: Timestamp) {
        let mut times = self.now_ms.subscribe();
        let passed = times.wait_for(|now_ms| *now_ms >= at.as_millis()).await;
        passed.expect("the clock outlives its sleepers");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_only_by_advance() {
        let clock = ManualClock::new();
        let start = clock.now();
        assert_eq!(clock.now(), start);
        assert_eq!(clock.advance(200).as_millis(), start.as_millis() + 200);
        assert_eq!(clock.now().as_millis(), start.as_millis() + 200);
    }

    #[tokio::test]
    async fn sleepers_wake_when_their_time_has_passed() {
        let clock = std::sync::Arc::new(ManualClock::new());
        let (sleeper, at) = (clock.clone(), Timestamp::from_millis(clock.now().as_millis() + 100));
        let sleeping = tokio::spawn(async move {
            sleeper.sleep_until(at).await;
            sleeper.now()
        });
        clock.advance(99);
        tokio::task::yield_now().await;
        assert!(!sleeping.is_finished());
        assert_eq!(clock.advance(1), at);
        assert_eq!(sleeping.await.expect("woken"), at);
        clock.sleep_until(at).await;
    }
}
