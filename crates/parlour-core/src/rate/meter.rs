use std::time::Duration;

use super::{Bucket, Rate, TENTHS};
use crate::Timestamp;

/// Nanoseconds of a millisecond.
const MS: i64 = 1_000_000;

/// Decides by a rate whether one more may happen now (GCRA).
///
/// The only state is one number: the time in nanoseconds since 1970 at which the whole burst is available again. The
/// used part of the burst is the distance to that time; it never exceeds the burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    rate: Rate,
    /// The time to refill a tenth of a request.
    tenth: i64,
    /// The time to refill the whole burst.
    burst: i64,
}

/// The remaining allowance after a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdmittedRequest {
    /// The new state: the time at which the whole burst is available again.
    pub free_at: i64,
    /// The number of requests that may follow at once.
    pub left: u32,
    /// The time until the whole burst is available again.
    pub reset: Duration,
}

impl Meter {
    /// The meter of a bucket with this rate. A count of zero counts as one.
    pub fn new(bucket: Bucket, rate: Rate) -> Self {
        let window = i64::from(bucket.window_seconds()) * 1_000 * MS;
        let tenth = (window / (i64::from(rate.count.max(1)) * i64::from(TENTHS))).max(1);
        let burst = (tenth * i64::from(TENTHS)).saturating_mul(i64::from(rate.burst.max(1)));
        Self { rate, tenth, burst }
    }

    /// The rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Charges this many tenths of a request, or returns how long to wait. A refused request costs nothing.
    pub fn take(&self, free_at: i64, now: Timestamp, tenths: u32) -> Result<AdmittedRequest, Duration> {
        let now = nanos(now);
        let taken = free_at.max(now).saturating_add(self.tenth * i64::from(tenths));
        let owed = taken - now;
        if owed > self.burst {
            return Err(duration(owed - self.burst));
        }
        let left = (self.burst - owed) / (self.tenth * i64::from(TENTHS));
        Ok(AdmittedRequest { free_at: taken, left: u32::try_from(left).unwrap_or(u32::MAX), reset: duration(owed) })
    }

    /// Refunds a charge.
    pub fn give_back(&self, free_at: i64, tenths: u32) -> i64 {
        free_at.saturating_sub(self.tenth * i64::from(tenths))
    }

    /// Whether the whole burst is available, so that the state can be dropped.
    pub fn is_free(free_at: i64, now: Timestamp) -> bool {
        free_at <= nanos(now)
    }

    /// The seconds until a whole burst is available again.
    pub fn window_seconds(&self) -> u64 {
        duration(self.burst).as_secs().max(1)
    }
}

fn nanos(at: Timestamp) -> i64 {
    at.as_millis().saturating_mul(MS)
}

fn duration(nanos: i64) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NEW: i64 = i64::MIN;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_735_689_600_000 + ms)
    }

    fn meter(count: u32, burst: u32) -> Meter {
        Meter::new(Bucket::Member, Rate { count, burst })
    }

    /// The number of requests that pass when one is made at each of these times.
    fn passed(meter: Meter, times: impl IntoIterator<Item = i64>) -> usize {
        let mut free_at = NEW;
        let take = |ms| meter.take(free_at, at(ms), TENTHS).map(|taken| free_at = taken.free_at).is_ok();
        times.into_iter().map(take).filter(|passed| *passed).count()
    }

    #[test]
    fn a_burst_passes_at_once_and_not_one_more() {
        assert_eq!(passed(meter(2, 5), [0; 9]), 5);
    }

    #[test]
    fn a_request_passes_after_the_returned_wait_and_not_before() {
        let meter = meter(2, 1);
        let taken = meter.take(NEW, at(0), TENTHS).expect("the first");
        let wait = meter.take(taken.free_at, at(0), TENTHS).expect_err("the second");
        assert_eq!(wait, Duration::from_millis(500));
        assert!(meter.take(taken.free_at, at(499), TENTHS).is_err());
        assert!(meter.take(taken.free_at, at(500), TENTHS).is_ok());
    }

    #[test]
    fn a_charge_returns_the_remaining_allowance() {
        let taken = meter(2, 5).take(NEW, at(0), TENTHS).expect("room");
        assert_eq!((taken.left, taken.reset), (4, Duration::from_millis(500)));
    }

    #[test]
    fn ten_tenths_cost_one_request() {
        let (meter, mut free_at) = (meter(1, 2), NEW);
        for _ in 0..20 {
            free_at = meter.take(free_at, at(0), 1).expect("twenty tenths").free_at;
        }
        assert!(meter.take(free_at, at(0), 1).is_err());
    }

    #[test]
    fn a_refund_can_be_charged_again() {
        let meter = meter(1, 1);
        let taken = meter.take(NEW, at(0), TENTHS).expect("room");
        let free_at = meter.give_back(taken.free_at, TENTHS);
        assert!(Meter::is_free(free_at, at(0)) && meter.take(free_at, at(0), TENTHS).is_ok());
    }

    #[test]
    fn the_window_is_the_time_to_refill_the_burst() {
        assert_eq!(meter(50, 500).window_seconds(), 10);
        assert_eq!(Meter::new(Bucket::FailedName, Rate { count: 10, burst: 10 }).window_seconds(), 60);
    }

    proptest! {
        /// In no time span pass more requests than the burst plus the refill.
        #[test]
        fn no_time_span_passes_more_than_burst_and_refill(
            count in 1u32..200, burst in 1u32..50, steps in prop::collection::vec(0i64..300, 1..120),
        ) {
            let meter = meter(count, burst);
            let times: Vec<_> = steps.iter().scan(0, |now, step| { *now += step; Some(*now) }).collect();
            let span = times[times.len() - 1] - times[0];
            let share = i64::from(burst) + span * i64::from(count) / 1_000 + 1;
            prop_assert!(passed(meter, times) as i64 <= share);
        }

        #[test]
        fn requests_within_the_rate_are_never_refused(count in 1u32..1_000, burst in 1u32..10) {
            let pause = 1_000_i64.div_euclid(i64::from(count)) + 1;
            prop_assert_eq!(passed(meter(count, burst), (0..100).map(|number| number * pause)), 100);
        }

        #[test]
        fn a_refund_never_costs_and_no_number_overflows(count: u32, burst: u32, free_at: i64, now: i64, tenths in 0u32..=TENTHS) {
            let meter = Meter::new(Bucket::FailedName, Rate { count, burst });
            if let Ok(taken) = meter.take(free_at, Timestamp::from_millis(now), tenths) {
                prop_assert!(meter.give_back(taken.free_at, tenths) <= taken.free_at);
            }
        }
    }
}
