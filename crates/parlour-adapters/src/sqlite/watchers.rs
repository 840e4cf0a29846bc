//! Watchers: in-process queues that receive every committed event.

use parking_lot::Mutex;
use parlour_core::{event::Event, limits};
use tokio::sync::mpsc::{self, Receiver, Sender, error::TrySendError};

use crate::sqlite::writer::Job;

/// The queues of all watchers. A queue whose receiver was dropped is removed with the next event.
#[derive(Default)]
pub(super) struct Watchers {
    state: Mutex<WatcherQueues>,
}

#[derive(Default)]
struct WatcherQueues {
    queues: Vec<Sender<Event>>,
    is_closed: bool,
}

impl Watchers {
    /// Opens a queue for the events of later commits; the queue has ended if the writer has stopped.
    pub(super) fn watch(&self) -> Receiver<Event> {
        let (queue, events) = mpsc::channel(limits::WATCH_QUEUE_LEN_MAX);
        let mut state = self.state.lock();
        if !state.is_closed {
            state.queues.push(queue);
        }
        events
    }

    /// Sends the events of a committed group to all queues, in order, without blocking.
    pub(super) fn publish(&self, group: &[Box<dyn Job>]) {
        let queues = &mut self.state.lock().queues;
        if queues.is_empty() {
            return;
        }
        for event in group.iter().flat_map(|job| job.events()) {
            queues.retain(|queue| send(queue, event.clone()));
        }
    }

    /// Ends all queues. Queued events can still be read.
    pub(super) fn close(&self) {
        *self.state.lock() = WatcherQueues { queues: Vec::new(), is_closed: true };
    }
}

/// Sends an event to a queue, unless it is full, and returns whether the receiver still exists.
fn send(queue: &Sender<Event>, event: Event) -> bool {
    !matches!(queue.try_send(event), Err(TrySendError::Closed(_)))
}

#[cfg(test)]
pub(super) mod tests {
    use parlour_core::{Timestamp, author::Author, event::Change, id::ProjectId, position::Position, task::Batch};

    use super::*;
    use crate::sqlite::{tx::Tx, writer::JobOutcome};

    /// A job that has recorded a batch at this offset.
    struct RecordedOffset(u64);

    impl Job for RecordedOffset {
        fn run(&mut self, _tx: &Tx<'_>) -> JobOutcome {
            JobOutcome::Keep
        }

        fn events(&self) -> Vec<Event> {
            vec![event(self.0)]
        }

        fn answer(self: Box<Self>, _is_committed: bool) {}
    }

    /// An event at this offset.
    pub(in crate::sqlite) fn event(offset: u64) -> Event {
        let (project_id, at) = (ProjectId::from_bits(1), Timestamp::from_millis(0));
        let batch = Batch {
            id: "bat_1".parse().expect("id"),
            project_id: project_id.clone(),
            name: "Batch".parse().expect("name"),
            created_by: "per_1".parse().expect("id"),
            created_at: at,
        };
        let change = Change::BatchCreated(Box::new(batch));
        Event { position: Position::new("E", offset).expect("position"), project_id, at, actor: Author::host(), change }
    }

    fn group(offsets: std::ops::Range<u64>) -> Vec<Box<dyn Job>> {
        offsets.map(|offset| Box::new(RecordedOffset(offset)) as Box<dyn Job>).collect()
    }

    /// The offsets of the queued events.
    pub(in crate::sqlite) fn offsets(events: &mut Receiver<Event>) -> Vec<u64> {
        std::iter::from_fn(|| events.try_recv().ok()).map(|event| event.position.offset()).collect()
    }

    #[test]
    fn a_dropped_receiver_is_removed_and_the_others_stay() {
        let watchers = Watchers::default();
        let (gone, mut stays) = (watchers.watch(), watchers.watch());
        drop(gone);
        watchers.publish(&group(1..3));
        assert_eq!(watchers.state.lock().queues.len(), 1);
        assert_eq!(offsets(&mut stays), [1, 2]);
    }

    #[test]
    fn a_full_queue_drops_events_until_it_is_read() {
        let watchers = Watchers::default();
        let mut events = watchers.watch();
        let full = limits::WATCH_QUEUE_LEN_MAX as u64;
        watchers.publish(&group(0..full + 5));
        assert_eq!(offsets(&mut events), (0..full).collect::<Vec<_>>());
        watchers.publish(&group(full + 5..full + 6));
        assert_eq!(offsets(&mut events), [full + 5]);
    }

    #[test]
    fn queues_end_when_the_writer_stops() {
        let watchers = Watchers::default();
        let mut early = watchers.watch();
        watchers.publish(&group(1..2));
        watchers.close();
        assert_eq!(offsets(&mut early), [1]);
        assert!(early.is_closed() && watchers.watch().is_closed());
    }
}
