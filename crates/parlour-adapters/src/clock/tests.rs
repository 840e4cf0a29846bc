use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

/// The wall clock at the start of each test: 2025-01-01T00:00:00Z.
const START_MS: i64 = 1_735_689_600_000;
const YEAR_MS: i64 = 365 * 24 * 3_600_000;

/// Timers that move only when a test or a sleep moves them. After each sleep the wall clock makes the next planned jump.
#[derive(Debug, Default)]
struct ManualTimers(Mutex<Readings>);

#[derive(Debug, Default)]
struct Readings {
    wall_ms: i64,
    elapsed: Duration,
    planned_jumps_ms: VecDeque<i64>,
}

impl ManualTimers {
    fn pass(&self, time: Duration) {
        let mut readings = self.0.lock();
        readings.wall_ms += i64::try_from(time.as_millis()).expect("a short time");
        readings.elapsed += time;
    }

    fn jump(&self, ms: i64) {
        self.0.lock().wall_ms += ms;
    }
}

impl Timers for ManualTimers {
    fn wall_ms(&self) -> i64 {
        self.0.lock().wall_ms
    }

    fn elapsed(&self) -> Duration {
        self.0.lock().elapsed
    }

    async fn sleep(&self, time: Duration) {
        self.pass(time);
        let jump_ms = self.0.lock().planned_jumps_ms.pop_front();
        self.jump(jump_ms.unwrap_or(0));
    }
}

fn clock_not_before(floor_ms: i64) -> SystemClock<ManualTimers> {
    let timers = ManualTimers::default();
    timers.jump(START_MS);
    SystemClock::with_timers(timers, Timestamp::from_millis(floor_ms))
}

fn clock() -> SystemClock<ManualTimers> {
    clock_not_before(0)
}

fn after_start(ms: i64) -> Timestamp {
    Timestamp::from_millis(START_MS + ms)
}

/// Jumps of the wall clock: corrections of the network time, hours of a wrong zone, years of a dead battery.
fn jumps_ms() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), -50..50i64, -8_000_000..8_000_000i64, -40 * YEAR_MS..40 * YEAR_MS]
}

#[test]
fn the_time_is_that_of_the_system() {
    let before = jiff::Timestamp::now().as_millisecond();
    let now = SystemClock::default().now().as_millis();
    let after = jiff::Timestamp::now().as_millisecond();
    assert!((before..=after).contains(&now), "{before} {now} {after}");
}

#[test]
fn time_passes_while_the_wall_clock_is_behind() {
    let clock = clock();
    assert_eq!(clock.now(), after_start(0));
    clock.timers.jump(-3_600_000);
    clock.timers.pass(Duration::from_secs(20));
    assert_eq!((clock.now(), clock.lead()), (after_start(20_000), Duration::from_secs(3_600)));
    clock.timers.jump(3_600_000);
    assert_eq!((clock.now(), clock.lead()), (after_start(20_000), Duration::ZERO));
}

#[test]
fn frequent_readings_do_not_stop_the_time() {
    let clock = clock();
    clock.now();
    clock.timers.jump(-YEAR_MS);
    for _ in 0..10_000 {
        clock.timers.pass(Duration::from_micros(100));
        clock.now();
    }
    assert_eq!(clock.now(), after_start(1_000));
}

#[test]
fn a_clock_starts_at_its_floor_and_not_at_an_earlier_wall_clock() {
    let clock = clock_not_before(START_MS + YEAR_MS);
    assert_eq!(clock.now(), after_start(YEAR_MS));
    clock.timers.pass(Duration::from_millis(1));
    assert_eq!(clock.now(), after_start(YEAR_MS + 1));
    assert_eq!(clock_not_before(START_MS - YEAR_MS).now(), after_start(0));
}

#[test]
fn an_impossible_wall_clock_does_not_stop_the_time() {
    let clock = clock();
    clock.now();
    clock.timers.jump(i64::MAX / 2);
    clock.timers.pass(Duration::from_millis(7));
    assert_eq!(clock.now(), after_start(7));
    let at_the_end = clock_not_before(i64::MAX);
    let first = at_the_end.now();
    at_the_end.timers.pass(Duration::from_millis(7));
    assert_eq!(at_the_end.now(), first.plus_millis(7));
}

#[tokio::test]
async fn a_sleeper_notices_that_the_wall_clock_was_set_forward() {
    let clock = clock();
    clock.timers.0.lock().planned_jumps_ms.push_back(3_600_000);
    clock.sleep_until(after_start(3_600_000)).await;
    assert_eq!(clock.timers.elapsed(), Duration::from_millis(SLEEP_MS_MAX));
}

proptest! {
    /// The time equals the largest of all possible readings of the wall clock, each increased by the time since that
    /// reading.
    #[test]
    fn the_time_follows_the_wall_clock_and_never_falls_behind_the_elapsed_time(
        floor_ms in prop_oneof![Just(0), START_MS - YEAR_MS..START_MS + YEAR_MS],
        steps in proptest::collection::vec((jumps_ms(), 0..100_000u32), 1..60),
    ) {
        let clock = clock_not_before(floor_ms);
        let (mut expected_ms, mut last) = (floor_ms.max(START_MS), clock.now());
        for (jump_ms, passed_ms) in steps {
            clock.timers.pass(Duration::from_millis(passed_ms.into()));
            clock.timers.jump(jump_ms);
            let wall_ms = Some(clock.timers.wall_ms()).filter(|wall_ms| *wall_ms <= WALL_MS_MAX);
            expected_ms = (expected_ms + i64::from(passed_ms)).max(wall_ms.unwrap_or(0));
            let now = clock.now();
            prop_assert_eq!(now.as_millis(), expected_ms);
            prop_assert!(now >= last.plus_millis(passed_ms.into()), "{} after {}", now, last);
            last = now;
        }
    }

    #[test]
    fn a_sleep_ends_in_time_whatever_the_wall_clock_does(
        sleep_ms in 0..200_000u32,
        jumps in proptest::collection::vec(jumps_ms(), 0..30),
    ) {
        let clock = clock();
        let until = clock.now().plus_millis(sleep_ms.into());
        clock.timers.0.lock().planned_jumps_ms.extend(jumps);
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(clock.sleep_until(until));
        prop_assert!(clock.now() >= until);
        prop_assert!(clock.timers.elapsed() <= Duration::from_millis(sleep_ms.into()));
    }
}
