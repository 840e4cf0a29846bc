use std::sync::atomic::{AtomicI64, Ordering};

use parlour_core::Timestamp;

use crate::ports::Clock;

/// The moment at which every manual clock starts: 2025-01-01T00:00:00Z.
const START_MS: i64 = 1_735_689_600_000;

/// A clock that moves only when it is told to.
#[derive(Debug)]
pub struct ManualClock {
    now_ms: AtomicI64,
}

impl ManualClock {
    /// A clock that stands at the start of the year 2025.
    pub fn new() -> Self {
        Self { now_ms: AtomicI64::new(START_MS) }
    }

    /// Moves the clock on, and answers the new time.
    pub fn advance(&self, ms: u32) -> Timestamp {
        let ms = i64::from(ms);
        Timestamp::from_millis(self.now_ms.fetch_add(ms, Ordering::SeqCst) + ms)
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now_ms.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_only_when_told_to() {
        let clock = ManualClock::new();
        let start = clock.now();
        assert_eq!(clock.now(), start);
        assert_eq!(clock.advance(200).as_millis(), start.as_millis() + 200);
        assert_eq!(clock.now().as_millis(), start.as_millis() + 200);
    }
}
