//! What all readers of a server have seen, counted together.

use std::{
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use super::marks::{Mark, MarkFinder};

/// Senders whose messages a reader can keep apart.
pub(super) const SENDERS_MAX: usize = 16;

/// The sums over all readers.
pub(super) struct Tally {
    counts: Mutex<Counts>,
    moved: Notify,
}

/// How much all readers have seen.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// How long each marked message was on its way to each reader, since the last look.
    pub(crate) latencies: Vec<Duration>,
    /// Marked messages that have arrived, ever.
    pub(crate) delivered: u64,
    /// Marked messages that were skipped.
    pub(crate) lost: u64,
    /// Marked messages that came again, or too late.
    pub(crate) disordered: u64,
    /// Pieces of answers.
    pub(crate) chunks: u64,
    /// Bytes of text in them.
    pub(crate) chunk_bytes: u64,
    /// Answers that have ended.
    pub(crate) finished: u64,
    /// Readers that were told that they are up to date.
    pub(crate) live: u64,
    /// Announced holes.
    pub(crate) gaps: u64,
    /// Readers that were cut off, with the code that they were given.
    pub(crate) closed: Vec<Option<u16>>,
}

/// What one reader remembers.
pub(super) struct Memory {
    finder: MarkFinder,
    /// The number of each sender's message that comes next.
    next: [u32; SENDERS_MAX],
    /// Since when the marks count their time.
    epoch: Instant,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self { counts: Mutex::default(), moved: Notify::new() }
    }

    pub(super) fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().expect("no reader panics with the lock")
    }

    /// Changes the counts; those who wait for them look again when something has moved that they may wait for.
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

    /// Waits until the counts are like this.
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
    /// Waking somebody for each of a thousand deliveries would cost more than the deliveries, so waiters are only told
    /// of whole steps.
    fn steps(&self, readers: u64) -> (u64, u64, u64, usize) {
        (self.delivered / readers, self.chunks / readers, self.live + self.finished, self.closed.len())
    }

    /// Takes a text frame of a reader into account.
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
    /// A reader that will get every message from the start on.
    pub(super) fn new(epoch: Instant, next: [u32; SENDERS_MAX]) -> Self {
        Self { finder: MarkFinder::default(), next, epoch }
    }
}

/// Tokens hold nothing that JSON would escape, so a text ends at the next quotation mark.
fn chunk_bytes(frame: &[u8]) -> u64 {
    const FIELD: &[u8] = b"\"text\":\"";
    let start = frame.windows(FIELD.len()).position(|window| window == FIELD).map(|place| place + FIELD.len());
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
    fn a_skipped_message_is_lost_and_a_repeated_one_disordered() {
        let counts = seen(&[&mark(1, 0), &mark(1, 3), &mark(1, 3), &mark(1, 1)]);
        assert_eq!((counts.delivered, counts.lost, counts.disordered), (4, 2, 2));
    }

    #[test]
    fn frames_are_known_by_their_beginning() {
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
