//! Those who are told of every committed event.

use parking_lot::Mutex;
use parlour_core::{event::Event, limits};
use tokio::sync::mpsc::{self, Receiver, Sender, error::TrySendError};

use crate::sqlite::writer::Job;

/// The queues of all who watch. A queue whose reader has gone away is forgotten with the next event.
#[derive(Default)]
pub(super) struct Watchers {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queues: Vec<Sender<Event>>,
    is_closed: bool,
}

impl Watchers {
    /// A queue for the events that are committed from now on; one that has ended when no more are written.
    pub(super) fn watch(&self) -> Receiver<Event> {
        let (queue, events) = mpsc::channel(limits::WATCH_QUEUE_LEN_MAX);
        let mut state = self.state.lock();
        if !state.is_closed {
            state.queues.push(queue);
        }
        events
    }

    /// Hands over the events of a group that is on the disk, in order, and waits for nobody.
    pub(super) fn tell(&self, group: &[Box<dyn Job>]) {
        let queues = &mut self.state.lock().queues;
        if queues.is_empty() {
            return;
        }
        for event in group.iter().flat_map(|job| job.events()) {
            queues.retain(|queue| take_in(queue, event.clone()));
        }
    }

    /// Ends all queues: what waits in them can still be read.
    pub(super) fn close(&self) {
        *self.state.lock() = State { queues: Vec::new(), is_closed: true };
    }
}

/// Offers an event to a queue and tells whether anybody still reads it; a full queue goes without the event.
fn take_in(queue: &Sender<Event>, event: Event) -> bool {
    !matches!(queue.try_send(event), Err(TrySendError::Closed(_)))
}

#[cfg(test)]
pub(super) mod tests {
    use parlour_core::{Timestamp, author::Author, event::Change, id::ProjectId, position::Position, task::Batch};

    use super::*;
    use crate::sqlite::{tx::Tx, writer::JobOutcome};

    /// A job that has recorded a batch at this offset.
    struct Recorded(u64);

    impl Job for Recorded {
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
        offsets.map(|offset| Box::new(Recorded(offset)) as Box<dyn Job>).collect()
    }

    /// The offsets of the events that wait.
    pub(in crate::sqlite) fn offsets(events: &mut Receiver<Event>) -> Vec<u64> {
        std::iter::from_fn(|| events.try_recv().ok()).map(|event| event.position.offset()).collect()
    }

    #[test]
    fn a_reader_that_has_gone_away_is_forgotten_and_the_others_stay() {
        let watchers = Watchers::default();
        let (gone, mut stays) = (watchers.watch(), watchers.watch());
        drop(gone);
        watchers.tell(&group(1..3));
        assert_eq!(watchers.state.lock().queues.len(), 1);
        assert_eq!(offsets(&mut stays), [1, 2]);
    }

    #[test]
    fn a_full_queue_goes_without_and_takes_again_what_comes_after_it_was_read() {
        let watchers = Watchers::default();
        let mut events = watchers.watch();
        let full = limits::WATCH_QUEUE_LEN_MAX as u64;
        watchers.tell(&group(0..full + 5));
        assert_eq!(offsets(&mut events), (0..full).collect::<Vec<_>>());
        watchers.tell(&group(full + 5..full + 6));
        assert_eq!(offsets(&mut events), [full + 5]);
    }

    #[test]
    fn queues_end_when_no_more_is_written() {
        let watchers = Watchers::default();
        let mut early = watchers.watch();
        watchers.tell(&group(1..2));
        watchers.close();
        assert_eq!(offsets(&mut early), [1]);
        assert!(early.is_closed() && watchers.watch().is_closed());
    }
}
