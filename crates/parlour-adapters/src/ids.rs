//! Ids and secrets from the random number generator of the system.

use parlour_hub::ports::Ids;
use uuid::Uuid;

/// UUID version 7 ids, which start with the time, and random secrets.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    /// Ids increase across all threads: the counter of version 7 is shared by the process.
    fn next_bits(&self) -> u128 {
        Uuid::now_v7().as_u128()
    }

    fn new_secret(&self) -> [u8; 32] {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).expect("a system that runs the hub has randomness");
        secret
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const THREADS: usize = 8;
    const IDS_PER_THREAD: usize = 5_000;

    fn take_ids() -> Vec<u128> {
        (0..IDS_PER_THREAD).map(|_| RandomIds.next_bits()).collect()
    }

    #[test]
    fn ids_start_with_the_time() {
        let before = jiff::Timestamp::now().as_millisecond() as u128;
        let id_ms = RandomIds.next_bits() >> 80;
        // Other tests of this process may have run the counter ahead of the clock by a millisecond.
        assert!(id_ms >= before && id_ms - before < 60_000, "{before} {id_ms}");
    }

    #[test]
    fn ids_grow_and_never_repeat_on_many_threads() {
        let threads: Vec<_> = (0..THREADS).map(|_| std::thread::spawn(take_ids)).collect();
        let series: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("thread")).collect();
        for ids in &series {
            assert!(ids.is_sorted_by(|earlier, later| earlier < later));
        }
        let distinct: BTreeSet<_> = series.into_iter().flatten().collect();
        assert_eq!(distinct.len(), THREADS * IDS_PER_THREAD);
    }

    #[test]
    fn an_id_taken_after_another_is_greater_on_any_thread() {
        let mut last = 0;
        for _ in 0..64 {
            let next = std::thread::spawn(|| RandomIds.next_bits()).join().expect("thread");
            assert!(next > last);
            last = next;
        }
    }

    #[test]
    fn secrets_never_repeat() {
        let secrets: BTreeSet<_> = (0..100).map(|_| RandomIds.new_secret()).collect();
        assert_eq!(secrets.len(), 100);
        assert!(!secrets.contains(&[0; 32]));
    }
}
