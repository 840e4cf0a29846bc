//! Queues of open calls and tasks. Pure: the caller passes the time.
//!
//! There is one queue per conversation, and one job at a time per queue. Calls that arrive within the debounce time,
//! or while a job of their conversation runs, are answered together. The number of parallel jobs is bounded; queues
//! are served in the order in which they became ready.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::Hash,
    time::Duration,
};

use parlour_core::{
    call::{Call, CallReason, CallState},
    id::{AgentId, ConversationId, MemberId, MessageId, TaskId},
    message::Message,
    task::Task,
};
use tokio::time::Instant;

/// Entries that wait in one queue.
pub(super) const QUEUE_LEN_MAX: usize = 20;
/// Non-empty queues. Further tasks stay at the hub until there is room.
pub(super) const QUEUES_MAX: usize = 1_000;
/// Entries that were added before and are not added again.
const SEEN_LEN_MAX: usize = 10_000;

#[derive(Debug)]
pub(super) struct WorkQueue {
    debounce: Duration,
    running_max: usize,
    running: usize,
    queue: HashMap<QueueKey, ConversationQueue>,
    /// The next value of `ConversationQueue::turn`.
    next_turn: u64,
    seen: RecentSet<WorkId>,
}

/// One queue; removed when nothing waits or runs in it.
#[derive(Debug)]
struct ConversationQueue {
    waiting: VecDeque<WorkItem>,
    /// The earliest start of the waiting entries.
    ready: Instant,
    /// Orders queues that became ready at the same time.
    lease: u64,
    is_running: bool,
}

/// Result of adding an entry.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AddResult {
    /// The entry waits.
    Queued,
    /// The entry was added before.
    Duplicate,
    /// The queue is full.
    Full(WorkItem),
}

impl WorkQueue {
    pub(super) fn new(debounce: Duration, running_max: usize) -> Self {
        let seen = RecentSet::new(SEEN_LEN_MAX);
        Self { debounce, running_max: running_max.max(1), running: 0, queue: HashMap::new(), next_turn: 0, seen }
    }

    /// Adds an entry, unless it was added before.
    pub(super) fn add(&mut self, work: WorkItem, now: Instant) -> AddResult {
        if self.seen.contains(&work.id()) {
            return AddResult::Duplicate;
        }
        let key = work.queue_key();
        if self.queue.len() >= QUEUES_MAX && !self.queue.contains_key(&key) {
            return self.overflow(work);
        }
        let (ready, lease) = (now + self.debounce, self.next_turn);
        let new = || ConversationQueue { waiting: VecDeque::new(), ready, lease, is_running: false };
        let queue_key = self.queue.entry(key).or_insert_with(new);
        if queue_key.waiting.len() >= QUEUE_LEN_MAX {
            return self.overflow(work);
        }
        if queue_key.waiting.is_empty() {
            (queue_key.ready, queue_key.lease) = (ready, lease);
            self.next_turn += 1;
        }
        self.seen.insert(work.id());
        queue_key.put_in_order(work);
        AddResult::Queued
    }

    /// A call without room is passed once. A task stays at the hub.
    fn overflow(&mut self, work: WorkItem) -> AddResult {
        if let WorkItem::Call(call) = &work {
            self.seen.insert(WorkId::Call(call.message_id.clone()));
        }
        AddResult::Full(work)
    }

    /// Removes a waiting entry that was answered elsewhere or is no longer open. A running job is not affected.
    pub(super) fn withdraw(&mut self, id: &WorkId) {
        self.seen.insert(id.clone());
        for queue_key in self.queue.values_mut() {
            queue_key.waiting.retain(|work| work.id() != *id);
        }
        self.drop_empty();
    }

    /// Removes a waiting call and the earlier calls of its conversation: one answer covers all of them.
    pub(super) fn withdraw_up_to(&mut self, message: &MessageId) {
        let last = WorkId::Call(message.clone());
        for queue_key in self.queue.values_mut() {
            let Some(at) = queue_key.waiting.iter().position(|work| work.id() == last) else { continue };
            let kept = queue_key.waiting.split_off(at + 1);
            let before = std::mem::replace(&mut queue_key.waiting, kept);
            let tasks = before.into_iter().filter(|work| matches!(work, WorkItem::Task(_)));
            tasks.rev().for_each(|task| queue_key.waiting.push_front(task));
        }
        self.seen.insert(last);
        self.drop_empty();
    }

    /// Allows the entry to be added again.
    pub(super) fn forget(&mut self, id: &WorkId) {
        self.seen.forget(id);
    }

    /// The time at which the next job may start, if a slot is free.
    pub(super) fn next_ready(&self) -> Option<Instant> {
        let is_free = self.running < self.running_max;
        let ready =
            self.queue.values().filter(|queue_key| is_free && queue_key.can_begin()).map(|queue_key| queue_key.ready);
        ready.min()
    }

    /// Removes and returns the next batch: from the queue that has been ready for the longest time.
    pub(super) fn begin(&mut self, now: Instant) -> Option<(QueueKey, WorkBatch)> {
        if self.running >= self.running_max {
            return None;
        }
        let ready = self.queue.iter().filter(|(_, queue_key)| queue_key.can_begin() && queue_key.ready <= now);
        let key = ready.min_by_key(|(_, queue_key)| (queue_key.ready, queue_key.lease))?.0.clone();
        let queue_key = self.queue.get_mut(&key)?;
        let batch = queue_key.take_batch()?;
        (queue_key.is_running, queue_key.ready) = (true, now);
        self.running += 1;
        Some((key, batch))
    }

    /// Marks the job of a queue as ended. Its waiting entries are ready, behind queues that have waited longer.
    pub(super) fn end(&mut self, key: &QueueKey, now: Instant) {
        if let Some(queue_key) = self.queue.get_mut(key).filter(|queue_key| queue_key.is_running) {
            queue_key.is_running = false;
            (queue_key.ready, queue_key.lease) = (queue_key.ready.max(now), self.next_turn);
            self.next_turn += 1;
            self.running -= 1;
        }
        self.drop_empty();
    }

    /// Whether a new entry of this queue waits for longer than the debounce time.
    pub(super) fn is_held_up(&self, key: &QueueKey) -> bool {
        self.running >= self.running_max || self.queue.get(key).is_some_and(|queue_key| queue_key.is_running)
    }

    fn drop_empty(&mut self) {
        self.queue.retain(|_, queue_key| queue_key.is_running || !queue_key.waiting.is_empty());
    }
}

impl ConversationQueue {
    fn can_begin(&self) -> bool {
        !self.is_running && !self.waiting.is_empty()
    }

    /// Inserts in the order of the calls, however they became known.
    fn put_in_order(&mut self, work: WorkItem) {
        let is_later = |other: &WorkItem| match (other, &work) {
            (WorkItem::Call(other), WorkItem::Call(call)) => other.called_at > call.called_at,
            _ => false,
        };
        let later = self.waiting.iter().rev().take_while(|other| is_later(other)).count();
        self.waiting.insert(self.waiting.len() - later, work);
    }

    /// Takes one task, or all calls before the next task.
    fn take_batch(&mut self) -> Option<WorkBatch> {
        let first = match self.waiting.pop_front()? {
            WorkItem::Task(task) => return Some(WorkBatch::Task(task)),
            WorkItem::Call(call) => *call,
        };
        let mut calls = vec![first];
        while let Some(WorkItem::Call(_)) = self.waiting.front() {
            if let Some(WorkItem::Call(call)) = self.waiting.pop_front() {
                calls.push(*call);
            }
        }
        Some(WorkBatch::Calls(calls))
    }
}

/// One entry of a queue.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WorkItem {
    Call(Box<Call>),
    Task(Box<Task>),
}

/// WorkItem of one job: calls of one conversation that are answered together, or one task.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WorkBatch {
    /// Never empty, oldest first.
    Calls(Vec<Call>),
    Task(Box<Task>),
}

/// Identifies a queue: a conversation, or a task without a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum QueueKey {
    Conversation(ConversationId),
    Task(TaskId),
}

/// Identifies an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum WorkId {
    Call(MessageId),
    Task(TaskId),
}

impl WorkItem {
    pub(super) fn id(&self) -> WorkId {
        match self {
            Self::Call(call) => WorkId::Call(call.message_id.clone()),
            Self::Task(task) => WorkId::Task(task.id.clone()),
        }
    }

    pub(super) fn queue_key(&self) -> QueueKey {
        match self {
            Self::Call(call) => QueueKey::Conversation(call.conversation_id.clone()),
            Self::Task(task) => match &task.thread_id {
                Some(thread) => QueueKey::Conversation(thread.clone().into()),
                None => QueueKey::Task(task.id.clone()),
            },
        }
    }
}

/// The call that a message makes to this agent, if any, with the same reason as the hub gives it.
pub(super) fn call_of(message: &Message, agent: &AgentId) -> Option<Call> {
    if !message.calls.contains(agent) {
        return None;
    }
    let is_mentioned = message.mentions.contains(&MemberId::from(agent.clone()));
    let reason = match &message.to {
        _ if is_mentioned => CallReason::Mention,
        ConversationId::Dm(_) => CallReason::Dm,
        ConversationId::Channel(_) | ConversationId::Thread(_) => CallReason::Follow,
    };
    Some(Call {
        agent_id: agent.clone(),
        message_id: message.id.clone(),
        project_id: message.project_id.clone(),
        conversation_id: message.to.clone(),
        reason,
        from: message.from.clone(),
        depth: message.cause.as_ref().map_or(0, |cause| cause.depth),
        correlation_id: message.correlation_id.clone(),
        called_at: message.created_at,
        state: CallState::Open,
        answer_id: None,
    })
}

/// A bounded set that forgets the oldest entry first.
///
/// Forgetting is harmless: the hub lists only open calls, and the answer to a call has always the same id.
#[derive(Debug)]
pub(super) struct RecentSet<T> {
    len_max: usize,
    order: VecDeque<T>,
    set: HashSet<T>,
}

impl<T: Clone + Eq + Hash> RecentSet<T> {
    pub(super) fn new(len_max: usize) -> Self {
        Self { len_max, order: VecDeque::new(), set: HashSet::new() }
    }

    pub(super) fn contains(&self, one: &T) -> bool {
        self.set.contains(one)
    }

    pub(super) fn insert(&mut self, one: T) {
        if !self.set.insert(one.clone()) {
            return;
        }
        self.order.push_back(one);
        if self.order.len() > self.len_max
            && let Some(oldest) = self.order.pop_front()
        {
            self.set.remove(&oldest);
        }
    }

    pub(super) fn forget(&mut self, one: &T) {
        if self.set.remove(one) {
            self.order.retain(|other| other != one);
        }
    }
}

#[cfg(test)]
mod tests;
