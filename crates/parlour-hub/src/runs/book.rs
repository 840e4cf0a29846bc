use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use parking_lot::Mutex;
use parlour_core::{
    Timestamp,
    id::{MessageId, RunId},
    limits,
    run::Run,
};
use tokio::sync::Notify;

/// What the hub remembers of runs: until when each has to give a sign, and whose question has ended. Copies are the same.
///
/// The store alone says how far a run is. A lease that is here for a run that is not running is found out when it is due.
#[derive(Clone, Default)]
pub(crate) struct RunBook(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Rings when a lease is due earlier than its sleeper knows.
    lease_alarm: Notify,
    /// Rings when a question has ended.
    closed_alarm: Notify,
    /// Rings when a question was asked: it may be the next to expire.
    expiry_alarm: Notify,
}

#[derive(Default)]
struct State {
    leases: HashMap<RunId, Lease>,
    /// When to look at leases. A renewed one is moved only then: that is cheaper than moving it with each sign.
    looks: BTreeSet<(Timestamp, RunId)>,
    /// Runs whose lease has run out and that are being ended: only a sign of their own gives them another one.
    ending: HashSet<RunId>,
    closed: HashSet<MessageId>,
    /// Whether more questions have ended than are noted, so that all runs are to be looked at.
    has_missed: bool,
}

#[derive(Clone, Copy)]
struct Lease {
    seconds: u64,
    until: Timestamp,
    look_at: Timestamp,
}

/// A run that gave no sign for the time of its lease.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExpiredLease {
    pub(super) run_id: RunId,
    pub(super) lease_seconds: u64,
}

/// The questions that have ended since they were taken last.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ClosedQuestions {
    pub(super) messages: Vec<MessageId>,
    pub(super) has_missed: bool,
}

impl RunBook {
    /// Begins the lease of a run anew, or renews it.
    pub(crate) fn renew(&self, run: &Run, now: Timestamp) {
        let until = now.plus_millis(run.lease_seconds * 1_000);
        let mut state = self.0.state.lock();
        state.ending.remove(&run.id);
        match state.leases.get_mut(&run.id) {
            Some(lease) => lease.until = until,
            None => {
                let is_next = state.looks.first().is_none_or(|(first, _)| until < *first);
                state.looks.insert((until, run.id.clone()));
                state.leases.insert(run.id.clone(), Lease { seconds: run.lease_seconds, until, look_at: until });
                if is_next {
                    self.0.lease_alarm.notify_one();
                }
            }
        }
    }

    /// Begins the lease of a run unless it has one, or is being ended because it had one.
    pub(super) fn adopt(&self, run: &Run, now: Timestamp) {
        let is_known = {
            let state = self.0.state.lock();
            state.leases.contains_key(&run.id) || state.ending.contains(&run.id)
        };
        if !is_known {
            self.renew(run, now);
        }
    }

    /// Notes that the end of a silent run was tried; if it goes on all the same, it is found by the next look at all runs.
    pub(super) fn end_tried(&self, id: &RunId) {
        self.0.state.lock().ending.remove(id);
    }

    pub(super) fn has_lease(&self, id: &RunId) -> bool {
        self.0.state.lock().leases.contains_key(id)
    }

    /// Ends a lease: the run is paused or has ended.
    pub(crate) fn forget(&self, id: &RunId) {
        let mut state = self.0.state.lock();
        if let Some(lease) = state.leases.remove(id) {
            state.looks.remove(&(lease.look_at, id.clone()));
        }
    }

    /// The runs whose lease has run out; they have none any more, until the end of each was tried.
    pub(super) fn take_expired(&self, now: Timestamp) -> Vec<ExpiredLease> {
        let mut state = self.0.state.lock();
        let mut expired = Vec::new();
        while let Some((_, id)) = state.looks.first().filter(|(at, _)| *at <= now).cloned() {
            state.looks.pop_first();
            let Some(mut lease) = state.leases.remove(&id) else { continue };
            if lease.until <= now {
                state.ending.insert(id.clone());
                expired.push(ExpiredLease { run_id: id, lease_seconds: lease.seconds });
                continue;
            }
            lease.look_at = lease.until;
            state.looks.insert((lease.look_at, id.clone()));
            state.leases.insert(id, lease);
        }
        expired
    }

    /// When leases are to be looked at next.
    pub(super) fn next_look(&self) -> Option<Timestamp> {
        self.0.state.lock().looks.first().map(|(at, _)| *at)
    }

    /// Notes that the question of a message has ended: runs may wait for it.
    pub(crate) fn note_closed(&self, message: &MessageId) {
        let mut state = self.0.state.lock();
        if state.closed.len() < limits::QUESTIONS_PER_PROJECT_MAX {
            state.closed.insert(message.clone());
        } else {
            state.has_missed = true;
        }
        self.0.closed_alarm.notify_one();
    }

    pub(super) fn take_closed(&self) -> ClosedQuestions {
        let mut state = self.0.state.lock();
        let messages = std::mem::take(&mut state.closed).into_iter().collect();
        ClosedQuestions { messages, has_missed: std::mem::take(&mut state.has_missed) }
    }

    /// Notes that a question was asked.
    pub(crate) fn note_asked(&self) {
        self.0.expiry_alarm.notify_one();
    }

    pub(super) fn lease_alarm(&self) -> &Notify {
        &self.0.lease_alarm
    }

    pub(super) fn closed_alarm(&self) -> &Notify {
        &self.0.closed_alarm
    }

    pub(super) fn expiry_alarm(&self) -> &Notify {
        &self.0.expiry_alarm
    }
}

#[cfg(test)]
mod tests;
