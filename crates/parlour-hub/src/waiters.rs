//! Requests that wait for a change (long polling).
//!
//! A request registers a waiter, then reads, and only then waits. A change after the read wakes it, so no change is
//! missed. A wake-up may be about another change; the request then reads again.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use parlour_core::{
    Code, Refusal, Timestamp,
    event::Change,
    id::{ConversationId, MessageId, RunId},
    limits,
    message::Message,
};
use tokio::sync::Notify;

use crate::ports::Clock;

/// The subject of a wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Topic {
    /// Any change in a conversation.
    Conversation(ConversationId),
    /// A message, its question, or its deliveries.
    Message(MessageId),
    Run(RunId),
}

/// All waiting requests. Clones share the state.
#[derive(Clone, Default)]
pub(crate) struct Waiters(Arc<SharedWaiters>);

#[derive(Default)]
struct SharedWaiters {
    table: Mutex<WaiterTable>,
    /// Set when the hub stops; no request may wait then.
    is_stopping: AtomicBool,
}

#[derive(Default)]
struct WaiterTable {
    by_topic: HashMap<Topic, Vec<Arc<Notify>>>,
    count: usize,
}

/// A registered request, until it is dropped.
pub(crate) struct Waiter {
    waiters: Waiters,
    topics: Vec<Topic>,
    notify: Arc<Notify>,
    until: Timestamp,
}

impl Waiters {
    /// Registers a waiter for these topics. Refused (`OutOfBounds`) above `WAIT_SECONDS_MAX` seconds, and
    /// (`Overloaded`) at `WAITERS_MAX` waiters.
    pub(crate) fn register(&self, topics: Vec<Topic>, now: Timestamp, seconds: u64) -> Result<Waiter, Refusal> {
        check_seconds(seconds)?;
        let notify = Arc::new(Notify::new());
        let mut table = self.0.table.lock();
        if table.count >= limits::WAITERS_MAX {
            return Err(Refusal::new(Code::Overloaded, "too many requests wait for something at this moment"));
        }
        table.count += 1;
        for topic in &topics {
            table.by_topic.entry(topic.clone()).or_default().push(Arc::clone(&notify));
        }
        drop(table);
        Ok(Waiter { waiters: self.clone(), topics, notify, until: now.plus_millis(seconds * 1_000) })
    }

    /// Wakes the waiters that this change may concern.
    pub(crate) fn notify(&self, change: &Change) {
        let table = self.0.table.lock();
        // Usually there are no waiters: skip the topics.
        if table.count == 0 {
            return;
        }
        for topic in topics_of(change) {
            table.by_topic.get(&topic).into_iter().flatten().for_each(|waiter| waiter.notify_one());
        }
    }

    /// Wakes all waiters because the hub stops. Later waits return at once.
    pub(crate) fn end(&self) {
        self.0.is_stopping.store(true, Ordering::SeqCst);
        let table = self.0.table.lock();
        table.by_topic.values().flatten().for_each(|waiter| waiter.notify_one());
    }
}

impl Waiter {
    /// Waits for a change; returns whether to read again, false when the time is over.
    pub(crate) async fn wait_for_change(&self, clock: &dyn Clock) -> bool {
        if self.waiters.0.is_stopping.load(Ordering::SeqCst) || clock.now() >= self.until {
            return false;
        }
        tokio::select! {
            () = self.notify.notified() => true,
            () = clock.sleep_until(self.until) => false,
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut table = self.waiters.0.table.lock();
        table.count -= 1;
        for topic in &self.topics {
            let Some(registered) = table.by_topic.get_mut(topic) else { continue };
            registered.retain(|waiter| !Arc::ptr_eq(waiter, &self.notify));
            if registered.is_empty() {
                table.by_topic.remove(topic);
            }
        }
    }
}

fn check_seconds(seconds: u64) -> Result<(), Refusal> {
    let most = limits::WAIT_SECONDS_MAX;
    if seconds <= most as u64 {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("a request waits for at most {most} seconds")).at("seconds"))
}

/// The topics that this change may concern.
fn topics_of(change: &Change) -> Vec<Topic> {
    let mut topics: Vec<Topic> = change.conversation_id().map(Topic::Conversation).into_iter().collect();
    match change {
        Change::MessagePosted(message) | Change::MessageFinished(message) => topics.extend(answered_by(message)),
        Change::MessageEdited(message) | Change::MessageRemoved(message) => {
            topics.push(Topic::Message(message.id.clone()));
        }
        Change::QuestionChanged(mark) => topics.push(Topic::Message(mark.message_id.clone())),
        Change::RunStarted(run) | Change::RunPaused(run) | Change::RunResumed(run) | Change::RunEnded(run) => {
            topics.push(Topic::Run(run.id.clone()));
        }
        _ => {}
    }
    topics
}

/// The messages that this one may answer. A reply in a thread may answer the root message, which is in another
/// conversation.
fn answered_by(message: &Message) -> impl Iterator<Item = Topic> {
    let question = message.answer_to.as_ref().map(|answer| answer.message_id.clone());
    let cause = message.cause.as_ref().and_then(|cause| cause.message_id.clone());
    [message.reply_to.clone(), question, cause].into_iter().flatten().map(Topic::Message)
}

#[cfg(test)]
mod tests;
