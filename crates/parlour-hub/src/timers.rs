//! Deadlines: queues of due times, leases, and alarms that wake the loop which waits for the next deadline.

use std::{
    collections::{BTreeSet, HashMap},
    hash::Hash,
};

use parlour_core::Timestamp;
use tokio::sync::Notify;

use crate::ports::Clock;

/// Keys ordered by their due time, the earliest first.
#[derive(Debug)]
pub(crate) struct DueQueue<K>(BTreeSet<(Timestamp, K)>);

impl<K> Default for DueQueue<K> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<K: Ord + Clone> DueQueue<K> {
    pub(crate) fn add(&mut self, at: Timestamp, key: &K) {
        self.0.insert((at, key.clone()));
    }

    pub(crate) fn remove(&mut self, at: Timestamp, key: &K) {
        self.0.remove(&(at, key.clone()));
    }

    /// The earliest due time.
    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.0.first().map(|(at, _)| *at)
    }

    /// Removes and returns every key that is due, in order.
    pub(crate) fn take_due(&mut self, now: Timestamp) -> Vec<K> {
        let mut due = Vec::new();
        while self.next().is_some_and(|at| at <= now) {
            due.extend(self.0.pop_first().map(|(_, key)| key));
        }
        due
    }
}

/// Leases by key: each expires unless its holder renews it.
///
/// Renewing changes only the expiry. The queue still checks the lease at the older time and moves it then, which is
/// cheaper than moving it with every renewal.
#[derive(Debug)]
pub(crate) struct Leases<K> {
    leases: HashMap<K, Lease>,
    checks: DueQueue<K>,
}

#[derive(Clone, Copy, Debug)]
struct Lease {
    seconds: u64,
    until: Timestamp,
    check_at: Timestamp,
}

/// A lease that its holder did not renew in time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ExpiredLease<K> {
    pub(crate) key: K,
    pub(crate) lease_seconds: u64,
}

impl<K> Default for Leases<K> {
    fn default() -> Self {
        Self { leases: HashMap::new(), checks: DueQueue::default() }
    }
}

impl<K: Clone + Eq + Hash + Ord> Leases<K> {
    /// Starts or renews a lease and returns its expiry.
    pub(crate) fn renew(&mut self, key: &K, seconds: u64, now: Timestamp) -> Timestamp {
        let until = now.plus_millis(seconds * 1_000);
        match self.leases.get_mut(key) {
            Some(lease) => lease.until = until,
            None => self.insert(key, Lease { seconds, until, check_at: until }),
        }
        until
    }

    /// Starts a lease again that has expired, to be checked at this time.
    pub(crate) fn check_again(&mut self, expired: &ExpiredLease<K>, at: Timestamp) {
        self.insert(&expired.key, Lease { seconds: expired.lease_seconds, until: at, check_at: at });
    }

    pub(crate) fn contains(&self, key: &K) -> bool {
        self.leases.contains_key(key)
    }

    pub(crate) fn remove(&mut self, key: &K) {
        if let Some(lease) = self.leases.remove(key) {
            self.checks.remove(lease.check_at, key);
        }
    }

    /// Removes and returns the leases that have expired.
    pub(crate) fn take_expired(&mut self, now: Timestamp) -> Vec<ExpiredLease<K>> {
        let mut expired = Vec::new();
        for key in self.checks.take_due(now) {
            let Some(lease) = self.leases.remove(&key) else { continue };
            if lease.until <= now {
                expired.push(ExpiredLease { key, lease_seconds: lease.seconds });
            } else {
                self.insert(&key, Lease { check_at: lease.until, ..lease });
            }
        }
        expired
    }

    /// When leases are checked next.
    pub(crate) fn next_check(&self) -> Option<Timestamp> {
        self.checks.next()
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.leases.len()
    }

    fn insert(&mut self, key: &K, lease: Lease) {
        self.checks.add(lease.check_at, key);
        self.leases.insert(key.clone(), lease);
    }
}

/// Wakes the one task that waits for a deadline when an earlier deadline is set.
#[derive(Debug, Default)]
pub(crate) struct Alarm(Notify);

impl Alarm {
    /// Wakes the task now. The wake-up is kept if the task does not wait at this moment.
    pub(crate) fn wake(&self) {
        self.0.notify_one();
    }

    /// Wakes the task if the next deadline came nearer.
    pub(crate) fn wake_if_earlier(&self, before: Option<Timestamp>, after: Option<Timestamp>) {
        if after.is_some_and(|after| before.is_none_or(|before| after < before)) {
            self.wake();
        }
    }

    /// Whether the alarm was triggered since the last wait.
    #[cfg(test)]
    pub(crate) fn take_wake_up(&self) -> bool {
        futures_util::FutureExt::now_or_never(self.0.notified()).is_some()
    }

    /// Waits for the deadline or for a wake-up; without a deadline, for a wake-up only.
    pub(crate) async fn wait(&self, clock: &dyn Clock, due: Option<Timestamp>) {
        match due {
            None => self.0.notified().await,
            Some(due) => {
                tokio::select! {
                    () = clock.sleep_until(due) => {}
                    () = self.0.notified() => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    #[test]
    fn due_keys_come_out_once_and_in_order() {
        let mut queue = DueQueue::default();
        for (ms, key) in [(30, "c"), (10, "a"), (20, "b")] {
            queue.add(at(ms), &key);
        }
        assert_eq!(queue.next(), Some(at(10)));
        assert_eq!(queue.take_due(at(20)), ["a", "b"]);
        assert_eq!(queue.take_due(at(20)), [] as [&str; 0]);
        assert_eq!(queue.next(), Some(at(30)));
    }

    #[test]
    fn a_removed_key_is_never_due() {
        let mut queue = DueQueue::default();
        queue.add(at(10), &1);
        queue.remove(at(10), &1);
        assert_eq!((queue.next(), queue.take_due(at(99))), (None, Vec::new()));
    }

    #[test]
    fn a_renewed_lease_is_checked_early_and_expires_late() {
        let mut leases = Leases::default();
        leases.renew(&"a", 10, at(0));
        assert_eq!(leases.renew(&"a", 10, at(9_000)), at(19_000));
        assert_eq!(leases.next_check(), Some(at(10_000)));
        assert_eq!(leases.take_expired(at(10_000)), []);
        assert_eq!(leases.next_check(), Some(at(19_000)));
        assert_eq!(leases.take_expired(at(19_000)), [ExpiredLease { key: "a", lease_seconds: 10 }]);
        assert!(!leases.contains(&"a"));
    }

    #[test]
    fn an_expired_lease_can_be_checked_again() {
        let mut leases = Leases::default();
        leases.renew(&"a", 10, at(0));
        let expired = leases.take_expired(at(10_000));
        leases.check_again(&expired[0], at(12_000));
        assert_eq!((leases.take_expired(at(11_999)), leases.take_expired(at(12_000))), (Vec::new(), expired));
    }

    #[test]
    fn a_removed_lease_does_not_expire() {
        let mut leases = Leases::default();
        leases.renew(&"a", 10, at(0));
        leases.remove(&"a");
        assert_eq!((leases.next_check(), leases.take_expired(at(99_000))), (None, Vec::new()));
    }

    fn wakes(before: Option<i64>, after: Option<i64>) -> bool {
        let alarm = Alarm::default();
        alarm.wake_if_earlier(before.map(at), after.map(at));
        alarm.take_wake_up()
    }

    #[test]
    fn an_alarm_wakes_its_task_only_for_an_earlier_deadline() {
        assert!(wakes(None, Some(5)) && wakes(Some(5), Some(4)));
        assert!(!wakes(Some(4), Some(5)) && !wakes(Some(5), Some(5)) && !wakes(Some(5), None) && !wakes(None, None));
    }
}
