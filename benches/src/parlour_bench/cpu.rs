//! The CPU time of another process, from the process table.

use std::{collections::BTreeMap, fs, time::Duration};

/// The length of a tick in `/proc/PID/stat`; Linux reports 100 per second on every machine.
const TICK: Duration = Duration::from_millis(10);

/// The CPU time of a process so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CpuUse {
    /// User and system time of all threads, including ended ones, in ticks.
    total: Duration,
    /// The time of each running thread in nanoseconds.
    threads: BTreeMap<u32, Duration>,
}

impl CpuUse {
    /// Reads it; `None` without a process table.
    pub(super) fn of(process: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        Some(Self { total: parse_stat(&stat)?, threads: threads_of(process).unwrap_or_default() })
    }

    /// The time since an earlier reading: exact if no thread has ended, otherwise to a tick.
    pub(super) fn since(&self, earlier: &Self) -> Duration {
        let is_exact = !earlier.threads.is_empty() && earlier.threads.keys().all(|id| self.threads.contains_key(id));
        if is_exact { self.sum().saturating_sub(earlier.sum()) } else { self.total.saturating_sub(earlier.total) }
    }

    fn sum(&self) -> Duration {
        self.threads.values().sum()
    }
}

fn threads_of(process: u32) -> Option<BTreeMap<u32, Duration>> {
    let entries = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    Some(ids.filter_map(|id| Some((id, thread_time(process, id)?))).collect())
}

fn thread_time(process: u32, thread: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/task/{thread}/schedstat")).ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// User and system time are the 14th and 15th field; the name before them may contain spaces and brackets.
fn parse_stat(stat: &str) -> Option<Duration> {
    let (_, after_name) = stat.rsplit_once(") ")?;
    let ticks: Vec<u32> = after_name.split(' ').skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    let [user, system] = ticks[..] else { return None };
    Some(TICK * (user + system))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(total_ms: u64, threads: &[(u32, u64)]) -> CpuUse {
        let threads = threads.iter().map(|(id, millis)| (*id, Duration::from_millis(*millis))).collect();
        CpuUse { total: Duration::from_millis(total_ms), threads }
    }

    #[test]
    fn user_and_system_time_are_added() {
        let stat = "7 (parlour) S 1 7 7 0 -1 4194560 1 0 0 0 120 30 0 0 20 0 5 0 1 1 1";
        assert_eq!(parse_stat(stat), Some(Duration::from_millis(1_500)));
    }

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = "7 (a) 9 (b) S 1 7 7 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 5 0 1 1 1";
        assert_eq!(parse_stat(stat), Some(Duration::from_millis(30)));
    }

    #[test]
    fn an_invalid_process_table_gives_none() {
        for stat in ["", "7", "7 (x) S 1", "7 (x) S 1 7 7 0 -1 4194560 1 0 0 0 x y 0"] {
            assert_eq!(parse_stat(stat), None, "{stat}");
        }
    }

    #[test]
    fn new_threads_are_counted_exactly() {
        let (before, after) = (used(10, &[(1, 7), (2, 1)]), used(20, &[(1, 9), (2, 1), (3, 4)]));
        assert_eq!(after.since(&before), Duration::from_millis(6));
    }

    #[test]
    fn the_time_of_an_ended_thread_is_counted() {
        let (before, after) = (used(10, &[(1, 7), (2, 1)]), used(30, &[(1, 9)]));
        assert_eq!(after.since(&before), Duration::from_millis(20));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_can_measure_itself() {
        let me = std::process::id();
        let before = CpuUse::of(me).expect("a process table");
        let sum = (0..2_000_000_u64).fold(0, |sum: u64, number| std::hint::black_box(sum ^ number));
        let after = CpuUse::of(me).expect("a process table");
        assert!(after.sum() > before.sum(), "{sum}");
    }
}
