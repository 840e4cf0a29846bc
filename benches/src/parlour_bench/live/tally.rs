//! The counts of all readers of a server.

use std::{
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use super::marks::{Mark, MarkFinder};

/// The maximum number of senders.
pub(super) const SENDERS_MAX: usize = 16;

/// The shared counts, and the notification of tasks that wait for them.
pub(super) struct Tally {
    counts: Mutex<Counts>,
    moved: Notify,
}

/// The counts over all readers.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Delivery times of marked messages since they were last taken.
    pub(crate) latencies: Vec<Duration>,
    /// Total deliveries of marked messages.
    pub(crate) delivered: u64,
    /// Lost marked messages.
    pub(crate) lost: u64,
    /// Marked messages that were repeated or out of order.
    pub(crate) disordered: u64,
    /// Chunks of answers.
    pub(crate) chunks: u64,
    /// Bytes of text in the chunks.
    pub(crate) chunk_bytes: u64,
    /// Ended answers.
    pub(crate) finished: u64,
    /// Readers that received `live`.
    pub(crate) live: u64,
    /// Received `gap` frames.
    pub(crate) gaps: u64,
    /// The close codes of disconnected readers.
    pub(crate) closed: Vec<Option<u16>>,
}

/// The state of one reader.
pub(super) struct Memory {
    finder: MarkFinder,
    /// The expected number of the next message of each sender.
    next: [u32; SENDERS_MAX],
    /// The start of time measurement of the marks.
    epoch: Instant,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self { counts: Mutex::default(), moved: Notify::new() }
    }

    pub(super) fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().expect("no reader panics with the lock")
    }

    /// Changes the counts and wakes waiting tasks if a count that they may wait for has changed.
    pub(super) fn note(&self, readers: u64, change: impl FnOnce(&mut Counts)) {
        let is_moved = {
            let mut counts = self.counts();
            let before = counts.steps(readers);
            change(&mut counts);
            counts.steps(readers) != before
        };
        if is_moved {
            self.moved.notify_waiters();
        }
    }

    /// Waits until the counts fulfil the condition.
    pub(super) async fn until(&self, mut is_so: impl FnMut(&Counts) -> bool) {
        loop {
            let mut moved = std::pin::pin!(self.moved.notified());
            moved.as_mut().enable();
            if is_so(&self.counts()) {
                return;
            }
            moved.await;
        }
    }
}

impl Counts {
    /// Waking a task for each of a thousand deliveries would cost more than the deliveries, so tasks are only woken when all
    /// readers have one more message.
    fn steps(&self, readers: u64) -> (u64, u64, u64, usize) {
        (self.delivered / readers, self.chunks / readers, self.live + self.finished, self.closed.len())
    }

    /// Counts a text frame of a reader.
    pub(super) fn see(&mut self, text: &[u8], memory: &mut Memory, now: Instant) {
        if let Some(mark) = memory.finder.find(text) {
            self.arrive(&mark, memory, now);
        } else if text.starts_with(b"{\"type\":\"chunk\"") {
            self.chunks += 1;
            self.chunk_bytes += chunk_bytes(text);
        } else if text.starts_with(b"{\"type\":\"live\"") {
            self.live += 1;
        } else if text.starts_with(b"{\"type\":\"gap\"") {
            self.gaps += 1;
        } else if contains(text, b"\"messaging.finished\"") {
            self.finished += 1;
        }
    }

    fn arrive(&mut self, mark: &Mark, memory: &mut Memory, now: Instant) {
        self.delivered += 1;
        self.latencies.push(now.saturating_duration_since(memory.epoch + mark.sent));
        let Some(next) = memory.next.get_mut(usize::from(mark.sender)) else { return };
        if mark.number < *next {
            self.disordered += 1;
        } else {
            self.lost += u64::from(mark.number - *next);
            *next = mark.number + 1;
        }
    }
}

impl Memory {
    pub(super) fn new(epoch: Instant, next: [u32; SENDERS_MAX]) -> Self {
        Self { finder: MarkFinder::default(), next, epoch }
    }
}

/// Tokens contain no JSON escapes, so a text ends at the next quotation mark.
fn chunk_bytes(frame: &[u8]) -> u64 {
    const FIELD: &[u8] = b"\"text\":\"";
    let start = frame.windows(FIELD.len()).position(|window| window == FIELD).map(|index| index + FIELD.len());
    let text = start.and_then(|start| frame[start..].split(|byte| *byte == b'"').next());
    text.map_or(0, |text| text.len() as u64)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(texts: &[&str]) -> Counts {
        let mut counts = Counts::default();
        let epoch = Instant::now();
        let mut memory = Memory::new(epoch, [0; SENDERS_MAX]);
        texts.iter().for_each(|text| counts.see(text.as_bytes(), &mut memory, epoch + Duration::from_millis(5)));
        counts
    }

    fn mark(sender: u8, number: u32) -> String {
        Mark { sender, number, sent: Duration::from_millis(2) }.to_string()
    }

    #[test]
    fn messages_in_order_are_delivered_and_timed() {
        let counts = seen(&[&mark(1, 0), &mark(2, 0), &mark(1, 1)]);
        assert_eq!((counts.delivered, counts.lost, counts.disordered), (3, 0, 0));
        assert_eq!(counts.latencies, [Duration::from_millis(3); 3]);
    }

    #[test]
    fn a_skipped_message_is_lost_and_a_repeated_one_is_out_of_order() {
        let counts = seen(&[&mark(1, 0), &mark(1, 3), &mark(1, 3), &mark(1, 1)]);
        assert_eq!((counts.delivered, counts.lost, counts.disordered), (4, 2, 2));
    }

    #[test]
    fn frames_are_recognised_by_their_prefix() {
        let counts = seen(&[
            r#"{"type":"live","position":"x-1"}"#,
            r#"{"type":"chunk","text":"a"}"#,
            r#"{"type":"gap"}"#,
            r#"{"type":"event","name":"messaging.finished"}"#,
            r#"{"type":"hello"}"#,
        ]);
        assert_eq!((counts.live, counts.chunks, counts.gaps, counts.finished), (1, 1, 1, 1));
        assert_eq!(counts.chunk_bytes, 1);
    }

    #[tokio::test]
    async fn waiters_are_woken_when_every_reader_has_one_more() {
        let tally = Tally::new();
        let wait = tally.until(|counts| counts.delivered >= 3);
        let work = async { (0..3).for_each(|_| tally.note(3, |counts| counts.delivered += 1)) };
        tokio::join!(wait, work);
        assert_eq!(tally.counts().delivered, 3);
    }
}
