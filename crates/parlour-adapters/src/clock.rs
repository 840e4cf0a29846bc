//! The clock of the hub: the wall clock of the system, made monotone.

use std::{
    future::Future,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use parking_lot::Mutex;
use parlour_core::Timestamp;
use parlour_hub::ports::Clock;

/// Later readings of the wall clock are ignored, because the time could not advance any more at the end of the range of
/// `Timestamp`: 2200-01-01T00:00:00Z.
const WALL_MS_MAX: i64 = 7_258_118_400_000;
/// The longest uninterrupted sleep. The timer of a sleep does not count while the machine is suspended and does not follow
/// a wall clock that is set forward; a sleeper is late by at most this time.
const SLEEP_MS_MAX: u64 = 10_000;

/// The wall clock of the system, but never behind the time that has passed since an earlier reading:
/// `now = max(wall, last + elapsed)`.
///
/// - A wall clock that is set back has no effect: the time continues at its normal rate.
/// - A wall clock that is set forward is followed at once. After its correction the time stays ahead and continues at its
///   normal rate until the wall clock reaches it.
#[derive(Debug)]
pub struct SystemClock<S = SystemTimers> {
    timers: S,
    latest: Mutex<Anchor>,
}

/// The wall clock and the monotonic timer of the system.
#[derive(Debug)]
pub struct SystemTimers {
    start: Instant,
}

/// The time of the clock at one reading of the monotonic timer.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    at_ms: i64,
    elapsed: Duration,
}

/// The sources of time, replaced in tests.
pub trait Timers: Send + Sync {
    /// The wall clock, in milliseconds since 1970; it may jump.
    fn wall_ms(&self) -> i64;

    /// The time since some start; it never goes backwards.
    fn elapsed(&self) -> Duration;

    /// Sleeps for this time of the monotonic timer.
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send;
}

impl SystemClock {
    /// A clock that starts at this time, or at the wall clock if that is later.
    pub fn not_before(floor: Timestamp) -> Self {
        Self::with_timers(SystemTimers { start: Instant::now() }, floor)
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::not_before(Timestamp::from_millis(0))
    }
}

impl<S: Timers> SystemClock<S> {
    fn with_timers(timers: S, floor: Timestamp) -> Self {
        let latest = Anchor { at_ms: floor.as_millis().min(WALL_MS_MAX), elapsed: timers.elapsed() };
        Self { timers, latest: Mutex::new(latest) }
    }

    /// How far this clock is ahead of the wall clock.
    pub fn lead(&self) -> Duration {
        let ahead_ms = self.now_ms() - self.timers.wall_ms();
        Duration::from_millis(u64::try_from(ahead_ms).unwrap_or(0))
    }

    fn now_ms(&self) -> i64 {
        // Locked before the timers are read: readings must reach the anchor in their order.
        let mut latest = self.latest.lock();
        latest.advance(self.timers.wall_ms(), self.timers.elapsed())
    }
}

impl Anchor {
    /// The time at these readings. The anchor moves only when the wall clock is ahead: moving it at every reading would
    /// drop a part of a millisecond each time, and frequent readings would stop the clock.
    fn advance(&mut self, wall_ms: i64, elapsed: Duration) -> i64 {
        let passed_ms = elapsed.saturating_sub(self.elapsed).as_millis();
        let floor_ms = self.at_ms.saturating_add(i64::try_from(passed_ms).unwrap_or(i64::MAX));
        if wall_ms <= floor_ms || wall_ms > WALL_MS_MAX {
            return floor_ms;
        }
        *self = Self { at_ms: wall_ms, elapsed };
        wall_ms
    }
}

#[async_trait]
impl<S: Timers> Clock for SystemClock<S> {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now_ms())
    }

    async fn sleep_until(&self, at: Timestamp) {
        while let Some(left_ms) = u64::try_from(at.as_millis() - self.now_ms()).ok().filter(|ms| *ms > 0) {
            self.timers.sleep(Duration::from_millis(left_ms.min(SLEEP_MS_MAX))).await;
        }
    }
}

impl Timers for SystemTimers {
    fn wall_ms(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(time)
    }
}

#[cfg(test)]
mod tests;
