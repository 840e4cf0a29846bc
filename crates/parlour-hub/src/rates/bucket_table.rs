//! Charges of one bucket by key.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use parlour_core::{
    Timestamp,
    limits::RATE_KEYS_MAX,
    rate::{AdmittedRequest, Meter, Rate},
};

/// The key of all clients without room for a key of their own.
const REST: u64 = 0;
/// How often a full table is swept at most.
const SWEEP_MS: u64 = 1_000;

/// Charges of one bucket by key.
///
/// It holds at most `RATE_KEYS_MAX` keys. Keys without a charge are removed when there is no room, and further keys
/// share one rate.
pub(super) struct BucketTable {
    meter: Meter,
    state: Mutex<BucketTableState>,
}

struct BucketTableState {
    free_at: HashMap<u64, i64>,
    /// When the table may be swept again.
    sweep_at: Timestamp,
}

impl BucketTable {
    pub(super) fn new(meter: Meter) -> Self {
        Self {
            meter,
            state: Mutex::new(BucketTableState { free_at: HashMap::new(), sweep_at: Timestamp::from_millis(0) }),
        }
    }

    pub(super) fn rate(&self) -> Rate {
        self.meter.rate()
    }

    /// Charges this key, or returns how long to wait.
    pub(super) fn take(&self, key: u64, now: Timestamp, tenths: u32) -> Result<AdmittedRequest, Duration> {
        let mut state = self.state.lock();
        let key = state.make_room(key, now);
        let free_at = state.free_at.entry(key).or_insert(i64::MIN);
        let taken = self.meter.take(*free_at, now, tenths)?;
        *free_at = taken.free_at;
        Ok(taken)
    }

    /// Returns the charge of this key.
    pub(super) fn give_back(&self, key: u64, tenths: u32) {
        let mut state = self.state.lock();
        let key = if state.free_at.contains_key(&key) { key } else { REST };
        if let Some(free_at) = state.free_at.get_mut(&key) {
            *free_at = self.meter.give_back(*free_at, tenths);
        }
    }
}

impl BucketTableState {
    /// The key under which this one is charged.
    fn make_room(&mut self, key: u64, now: Timestamp) -> u64 {
        if self.free_at.len() < RATE_KEYS_MAX || self.free_at.contains_key(&key) {
            return key;
        }
        if self.sweep_at <= now {
            self.free_at.retain(|_, free_at| !Meter::is_free(*free_at, now));
            self.sweep_at = now.plus_millis(SWEEP_MS);
        }
        if self.free_at.len() < RATE_KEYS_MAX { key } else { REST }
    }
}

#[cfg(test)]
mod bucket_table_tests {
    use parlour_core::rate::Bucket;

    use super::*;

    fn table() -> BucketTable {
        BucketTable::new(Meter::new(Bucket::Member, Rate { count: 1, burst: 1 }))
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_735_689_600_000 + ms)
    }

    fn take(table: &BucketTable, key: usize, ms: i64) -> bool {
        table.take(key as u64, at(ms), 10).is_ok()
    }

    /// A table without room for another key.
    fn full() -> BucketTable {
        let table = table();
        assert!((1..=RATE_KEYS_MAX).all(|key| take(&table, key, 0)));
        table
    }

    fn len(table: &BucketTable) -> usize {
        table.state.lock().free_at.len()
    }

    #[test]
    fn each_key_has_its_own_bucket() {
        let table = table();
        assert!(take(&table, 1, 0) && take(&table, 2, 0));
        assert!(!take(&table, 1, 0) && !take(&table, 2, 0));
    }

    #[test]
    fn keys_beyond_the_limit_share_one_bucket() {
        let table = full();
        let passed = (1..=1_000).filter(|more| take(&table, RATE_KEYS_MAX + more, 0)).count();
        assert_eq!((passed, len(&table)), (1, RATE_KEYS_MAX + 1));
    }

    #[test]
    fn known_keys_keep_their_own_bucket_in_a_full_table() {
        let table = full();
        assert!(take(&table, RATE_KEYS_MAX + 1, 0));
        assert!(!take(&table, 7, 0) && take(&table, 7, 1_000));
    }

    #[test]
    fn keys_without_a_charge_are_removed_from_a_full_table() {
        let table = full();
        assert!(take(&table, RATE_KEYS_MAX + 1, 2_000) && take(&table, RATE_KEYS_MAX + 2, 2_000));
        assert_eq!(len(&table), 2);
    }

    #[test]
    fn a_full_table_is_not_swept_for_every_key() {
        let table = full();
        take(&table, RATE_KEYS_MAX + 1, 0);
        let swept = table.state.lock().sweep_at;
        take(&table, RATE_KEYS_MAX + 2, 999);
        assert_eq!(table.state.lock().sweep_at, swept);
    }

    #[test]
    fn a_refund_of_a_sharing_key_goes_to_the_shared_bucket() {
        let table = full();
        assert!(take(&table, RATE_KEYS_MAX + 1, 0));
        table.give_back((RATE_KEYS_MAX + 1) as u64, 10);
        assert!(take(&table, RATE_KEYS_MAX + 2, 0));
    }
}
