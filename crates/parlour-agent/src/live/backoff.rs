//! How long to wait before the next try, so that many clients of one hub do not come back all at once.

use std::time::Duration;

/// Exponential backoff with full jitter.
///
/// The caller passes the random number, so equal numbers give equal pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    pause_first: Duration,
    pause_max: Duration,
    stable_after: Duration,
    failures: u32,
}

/// The upper bound of the first pause.
const PAUSE_FIRST: Duration = Duration::from_millis(250);
/// The upper bound of all pauses: the longest delay until a restarted hub is found.
const PAUSE_MAX: Duration = Duration::from_secs(15);
/// A connection that lasted this long resets the backoff.
const STABLE_AFTER: Duration = Duration::from_secs(30);

impl Default for Backoff {
    fn default() -> Self {
        Self::new(PAUSE_FIRST, PAUSE_MAX, STABLE_AFTER)
    }
}

impl Backoff {
    /// Pauses up to `pause_first`, then up to twice that, and so on up to `pause_max`; all over again when something
    /// has lasted for `stable_after`.
    pub const fn new(pause_first: Duration, pause_max: Duration, stable_after: Duration) -> Self {
        Self { pause_first, pause_max, stable_after, failures: 0 }
    }

    /// The number of consecutive failures.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Counts a failure and returns the pause; `draw` is a random number.
    pub fn pause_after_failure(&mut self, draw: u64) -> Duration {
        let ceiling = self.ceiling();
        self.failures = self.failures.saturating_add(1);
        ceiling.mul_f64(draw as f64 / u64::MAX as f64)
    }

    /// Resets the backoff if the connection lasted long enough.
    pub fn lasted(&mut self, time: Duration) {
        if time >= self.stable_after {
            self.failures = 0;
        }
    }

    /// The upper bound of the next pause.
    fn ceiling(&self) -> Duration {
        let factor = 2_u32.saturating_pow(self.failures);
        self.pause_first.saturating_mul(factor).min(self.pause_max)
    }
}

/// A random number of the system; without one the pauses have their upper bounds.
pub(crate) fn draw() -> u64 {
    getrandom::u64().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pauses(draw: u64, count: usize) -> Vec<u128> {
        let mut backoff = Backoff::default();
        (0..count).map(|_| backoff.pause_after_failure(draw).as_millis()).collect()
    }

    #[test]
    fn the_longest_pauses_double_up_to_a_bound() {
        assert_eq!(pauses(u64::MAX, 8), [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    }

    #[test]
    fn jitter_spreads_pauses_from_zero_to_the_longest() {
        assert_eq!(pauses(0, 3), [0, 0, 0]);
        assert_eq!(pauses(u64::MAX / 2, 3), [125, 250, 500]);
    }

    #[test]
    fn only_a_stable_connection_resets_the_pause() {
        let mut backoff = Backoff::default();
        for _ in 0..5 {
            backoff.pause_after_failure(0);
        }
        backoff.lasted(STABLE_AFTER - Duration::from_millis(1));
        assert_eq!(backoff.failures(), 5);
        backoff.lasted(STABLE_AFTER);
        assert_eq!((backoff.failures(), backoff.pause_after_failure(u64::MAX)), (0, PAUSE_FIRST));
    }

    proptest! {
        #[test]
        fn no_pause_is_longer_than_the_longest(draws in proptest::collection::vec(any::<u64>(), 1..80)) {
            let mut backoff = Backoff::default();
            for draw in draws {
                prop_assert!(backoff.pause_after_failure(draw) <= PAUSE_MAX);
            }
        }
    }
}
