//! Lanes: what waits, what is under way, and what may begin. Pure; the time is given.
//!
//! There is one lane for each conversation, and one thing at a time in each. Calls that come within the time of
//! gathering, or while another thing of their lane is under way, are answered together. Over all lanes only so many
//! things are under way at once; lanes get their turn in the order in which they became ready.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use parlour_core::id::MessageId;
use tokio::time::Instant;

use super::{
    known::Known,
    work::{Batch, LaneKey, Work, WorkId},
};

/// Things that wait in one lane.
pub(super) const LANE_LEN_MAX: usize = 20;
/// Lanes that something waits in; tasks beyond are left to the hub until there is room.
pub(super) const LANES_MAX: usize = 1_000;
/// Things that were seen and are not taken again.
const KNOWN_LEN_MAX: usize = 10_000;

#[derive(Debug)]
pub(super) struct Lanes {
    debounce: Duration,
    running_max: usize,
    running: usize,
    lanes: HashMap<LaneKey, Lane>,
    /// The turn of the next lane that something waits in.
    next_turn: u64,
    known: Known<WorkId>,
}

/// One lane; it is there as long as something waits or is under way.
#[derive(Debug)]
struct Lane {
    waiting: VecDeque<Work>,
    /// When what waits may begin.
    ready: Instant,
    /// Who comes first of those that became ready at the same time.
    turn: u64,
    is_running: bool,
}

/// What became of a thing to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Taken {
    /// It waits for its turn.
    Waits,
    /// It was taken before.
    Known,
    /// There is no room for it.
    Overflow(Work),
}

impl Lanes {
    pub(super) fn new(debounce: Duration, running_max: usize) -> Self {
        let known = Known::new(KNOWN_LEN_MAX);
        Self { debounce, running_max: running_max.max(1), running: 0, lanes: HashMap::new(), next_turn: 0, known }
    }

    /// Takes a thing to do, unless it was taken before.
    pub(super) fn add(&mut self, work: Work, now: Instant) -> Taken {
        if self.known.contains(&work.id()) {
            return Taken::Known;
        }
        let key = work.lane();
        if self.lanes.len() >= LANES_MAX && !self.lanes.contains_key(&key) {
            return self.overflow(work);
        }
        let (ready, turn) = (now + self.debounce, self.next_turn);
        let new = || Lane { waiting: VecDeque::new(), ready, turn, is_running: false };
        let lane = self.lanes.entry(key).or_insert_with(new);
        if lane.waiting.len() >= LANE_LEN_MAX {
            return self.overflow(work);
        }
        if lane.waiting.is_empty() {
            (lane.ready, lane.turn) = (ready, turn);
            self.next_turn += 1;
        }
        self.known.insert(work.id());
        lane.put_in_order(work);
        Taken::Waits
    }

    /// A call without room is passed, once. A task stays where it is.
    fn overflow(&mut self, work: Work) -> Taken {
        if let Work::Call(call) = &work {
            self.known.insert(WorkId::Call(call.message_id.clone()));
        }
        Taken::Overflow(work)
    }

    /// Lets go what has an answer already or is no longer wanted. What is under way is not touched.
    pub(super) fn withdraw(&mut self, id: &WorkId) {
        self.known.insert(id.clone());
        for lane in self.lanes.values_mut() {
            lane.waiting.retain(|work| work.id() != *id);
        }
        self.drop_empty();
    }

    /// Lets go a call and those of its conversation that came before it: an answer to it answers them too.
    pub(super) fn withdraw_up_to(&mut self, message: &MessageId) {
        let last = WorkId::Call(message.clone());
        for lane in self.lanes.values_mut() {
            let Some(at) = lane.waiting.iter().position(|work| work.id() == last) else { continue };
            let kept = lane.waiting.split_off(at + 1);
            let before = std::mem::replace(&mut lane.waiting, kept);
            let tasks = before.into_iter().filter(|work| matches!(work, Work::Task(_)));
            tasks.rev().for_each(|task| lane.waiting.push_front(task));
        }
        self.known.insert(last);
        self.drop_empty();
    }

    /// Forgets that a thing was taken, so that it may be taken again.
    pub(super) fn forget(&mut self, id: &WorkId) {
        self.known.forget(id);
    }

    /// When something may begin next, if only time keeps it.
    pub(super) fn next_ready(&self) -> Option<Instant> {
        let is_free = self.running < self.running_max;
        let ready = self.lanes.values().filter(|lane| is_free && lane.can_begin()).map(|lane| lane.ready);
        ready.min()
    }

    /// Takes out what begins now: the lane that has been ready for longest.
    pub(super) fn begin(&mut self, now: Instant) -> Option<(LaneKey, Batch)> {
        if self.running >= self.running_max {
            return None;
        }
        let ready = self.lanes.iter().filter(|(_, lane)| lane.can_begin() && lane.ready <= now);
        let key = ready.min_by_key(|(_, lane)| (lane.ready, lane.turn))?.0.clone();
        let lane = self.lanes.get_mut(&key)?;
        let batch = lane.take_batch()?;
        (lane.is_running, lane.ready) = (true, now);
        self.running += 1;
        Some((key, batch))
    }

    /// What was under way in a lane has ended; what waits there is ready, behind those who waited for longer.
    pub(super) fn end(&mut self, key: &LaneKey, now: Instant) {
        if let Some(lane) = self.lanes.get_mut(key).filter(|lane| lane.is_running) {
            lane.is_running = false;
            (lane.ready, lane.turn) = (lane.ready.max(now), self.next_turn);
            self.next_turn += 1;
            self.running -= 1;
        }
        self.drop_empty();
    }

    /// Whether something new in this lane has to wait for more than its time of gathering.
    pub(super) fn is_held_up(&self, key: &LaneKey) -> bool {
        self.running >= self.running_max || self.lanes.get(key).is_some_and(|lane| lane.is_running)
    }

    fn drop_empty(&mut self) {
        self.lanes.retain(|_, lane| lane.is_running || !lane.waiting.is_empty());
    }
}

impl Lane {
    fn can_begin(&self) -> bool {
        !self.is_running && !self.waiting.is_empty()
    }

    /// Calls are answered in the order in which they were made, whichever way they became known.
    fn put_in_order(&mut self, work: Work) {
        let is_later = |other: &Work| match (other, &work) {
            (Work::Call(other), Work::Call(call)) => other.called_at > call.called_at,
            _ => false,
        };
        let later = self.waiting.iter().rev().take_while(|other| is_later(other)).count();
        self.waiting.insert(self.waiting.len() - later, work);
    }

    /// A task alone, or all calls before the next task.
    fn take_batch(&mut self) -> Option<Batch> {
        let first = match self.waiting.pop_front()? {
            Work::Task(task) => return Some(Batch::Task(task)),
            Work::Call(call) => *call,
        };
        let mut calls = vec![first];
        while let Some(Work::Call(_)) = self.waiting.front() {
            if let Some(Work::Call(call)) = self.waiting.pop_front() {
                calls.push(*call);
            }
        }
        Some(Batch::Calls(calls))
    }
}

#[cfg(test)]
mod tests;
