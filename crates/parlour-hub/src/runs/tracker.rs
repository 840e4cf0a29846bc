//! In-memory leases of runs, and the questions that were closed.

use std::{collections::HashSet, sync::Arc};

use parking_lot::Mutex;
use parlour_core::{
    Timestamp,
    id::{MessageId, RunId},
    limits,
    run::Run,
};

use crate::timers::{Alarm, ExpiredLease, Leases};

/// Leases of running runs and recently closed questions. Clones share the state.
///
/// Only the store decides the state of a run. A lease of a run that is not running is discovered when it expires.
#[derive(Clone, Default)]
pub(crate) struct RunTracker(Arc<SharedTracker>);

#[derive(Default)]
struct SharedTracker {
    state: Mutex<TrackerState>,
    lease_alarm: Alarm,
    /// Rings when a question was closed.
    closed_alarm: Alarm,
    /// Rings when a question was asked: it may be the next to expire.
    expiry_alarm: Alarm,
}

#[derive(Default)]
struct TrackerState {
    leases: Leases<RunId>,
    /// Runs with an expired lease that are being ended: only a heartbeat of their own starts another lease.
    ending: HashSet<RunId>,
    closed: HashSet<MessageId>,
    /// Whether more questions were closed than `closed` holds, so that all open runs are checked.
    has_overflowed: bool,
}

/// The questions that were closed since the last call of `take_closed`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ClosedQuestions {
    pub(super) messages: Vec<MessageId>,
    pub(super) has_overflowed: bool,
}

impl RunTracker {
    /// Starts or renews the lease of a run.
    pub(crate) fn renew(&self, run: &Run, now: Timestamp) {
        let mut state = self.0.state.lock();
        state.ending.remove(&run.id);
        let before = state.leases.next_check();
        state.leases.renew(&run.id, run.lease_seconds, now);
        self.0.lease_alarm.wake_if_earlier(before, state.leases.next_check());
    }

    /// Starts the lease of a run unless it has one, or is being ended because its lease expired.
    pub(super) fn adopt(&self, run: &Run, now: Timestamp) {
        let is_known = {
            let state = self.0.state.lock();
            state.leases.contains(&run.id) || state.ending.contains(&run.id)
        };
        if !is_known {
            self.renew(run, now);
        }
    }

    /// Marks that ending a run was tried; a run that is still open is found by the next check of all runs.
    pub(super) fn mark_end_tried(&self, id: &RunId) {
        self.0.state.lock().ending.remove(id);
    }

    pub(super) fn has_lease(&self, id: &RunId) -> bool {
        self.0.state.lock().leases.contains(id)
    }

    /// Removes the lease of a run that is paused or has ended.
    pub(crate) fn forget(&self, id: &RunId) {
        self.0.state.lock().leases.remove(id);
    }

    /// Removes and returns the expired leases. Their runs count as being ended until `mark_end_tried`.
    pub(super) fn take_expired(&self, now: Timestamp) -> Vec<ExpiredLease<RunId>> {
        let mut state = self.0.state.lock();
        let expired = state.leases.take_expired(now);
        state.ending.extend(expired.iter().map(|one| one.key.clone()));
        expired
    }

    /// When leases are checked next.
    pub(super) fn next_check(&self) -> Option<Timestamp> {
        self.0.state.lock().leases.next_check()
    }

    /// Records that the question of a message was closed: runs may wait for it.
    pub(crate) fn note_closed(&self, message: &MessageId) {
        let mut state = self.0.state.lock();
        if state.closed.len() < limits::QUESTIONS_PER_PROJECT_MAX {
            state.closed.insert(message.clone());
        } else {
            state.has_overflowed = true;
        }
        self.0.closed_alarm.wake();
    }

    pub(super) fn take_closed(&self) -> ClosedQuestions {
        let mut state = self.0.state.lock();
        let messages = std::mem::take(&mut state.closed).into_iter().collect();
        ClosedQuestions { messages, has_overflowed: std::mem::take(&mut state.has_overflowed) }
    }

    /// Wakes the loop that expires questions, because a question was asked.
    pub(crate) fn note_asked(&self) {
        self.0.expiry_alarm.wake();
    }

    pub(super) fn lease_alarm(&self) -> &Alarm {
        &self.0.lease_alarm
    }

    pub(super) fn closed_alarm(&self) -> &Alarm {
        &self.0.closed_alarm
    }

    pub(super) fn expiry_alarm(&self) -> &Alarm {
        &self.0.expiry_alarm
    }
}

#[cfg(test)]
mod tests;
