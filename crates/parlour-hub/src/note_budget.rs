//! The rate of refusals in the audit log: enough to see an attack, too few to fill the disk.

use parking_lot::Mutex;
use parlour_core::{Timestamp, limits};

const MINUTE_MS: i64 = 60_000;

/// At most `AUDIT_NOTES_PER_MINUTE_MAX` notes per minute. Further ones are counted.
#[derive(Debug, Default)]
pub(crate) struct NoteBudget(Mutex<Minute>);

#[derive(Debug, Default)]
struct Minute {
    number: i64,
    noted: usize,
    left_out: u64,
}

/// Permission for one note.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotePermit {
    /// Notes that were dropped in earlier minutes and not reported yet.
    pub(crate) left_out_before: u64,
}

impl NoteBudget {
    /// Takes a permit, if this minute has any left.
    pub(crate) fn take(&self, now: Timestamp) -> Option<NotePermit> {
        let mut minute = self.0.lock();
        let number = now.as_millis().div_euclid(MINUTE_MS);
        let left_out_before = if minute.number == number { 0 } else { minute.begin(number) };
        if minute.noted >= limits::AUDIT_NOTES_PER_MINUTE_MAX {
            minute.left_out += 1;
            return None;
        }
        minute.noted += 1;
        Some(NotePermit { left_out_before })
    }
}

impl Minute {
    /// Begins another minute; returns the number of dropped notes.
    fn begin(&mut self, number: i64) -> u64 {
        std::mem::replace(self, Self { number, noted: 0, left_out: 0 }).left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_at(budget: &NoteBudget, seconds: i64) -> Option<u64> {
        budget.take(Timestamp::from_millis(seconds * 1000)).map(|room| room.left_out_before)
    }

    #[test]
    fn a_minute_has_room_for_so_many_notes_and_no_more() {
        let budget = NoteBudget::default();
        let taken = (0..limits::AUDIT_NOTES_PER_MINUTE_MAX + 5).filter(|_| take_at(&budget, 59).is_some());
        assert_eq!(taken.count(), limits::AUDIT_NOTES_PER_MINUTE_MAX);
    }

    #[test]
    fn the_next_minute_tells_once_how_many_were_left_out() {
        let budget = NoteBudget::default();
        for _ in 0..limits::AUDIT_NOTES_PER_MINUTE_MAX + 5 {
            take_at(&budget, 0);
        }
        assert_eq!((take_at(&budget, 60), take_at(&budget, 61)), (Some(5), Some(0)));
    }

    #[test]
    fn a_clock_that_goes_back_gives_room_too() {
        let budget = NoteBudget::default();
        assert_eq!((take_at(&budget, 600), take_at(&budget, 0)), (Some(0), Some(0)));
    }
}
