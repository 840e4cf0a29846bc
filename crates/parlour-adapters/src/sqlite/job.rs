//! A write on its way through the queue to the disk, and back to its caller.

use parlour_core::event::Event;
use parlour_hub::{Failure, Fault};
use tokio::sync::oneshot;

use super::{
    error::{StoreResult, unavailable},
    tx::Tx,
};

/// One write: it runs, its group is committed or not, it answers.
pub(super) trait Job: Send {
    /// Makes the changes in the open transaction.
    fn run(&mut self, tx: &Tx<'_>) -> Verdict;

    /// The events that it has recorded, in order; they are ones when the group is on the disk.
    fn events(&self) -> Vec<Event>;

    /// Tells the caller; `is_committed` says whether the whole group is on the disk.
    fn answer(self: Box<Self>, is_committed: bool);
}

/// What is to become of the changes of a job.
pub(super) enum Verdict {
    /// They are to be committed.
    Keep,
    /// They are to be undone; if the disk is the reason, this is what it said.
    Undo(Option<String>),
}

/// A write of one sort, with its caller.
struct WriteJob<T, W> {
    operation: String,
    write: Option<W>,
    result: Option<StoreResult<T>>,
    events_of: fn(&T) -> Vec<Event>,
    caller: oneshot::Sender<Result<T, Failure>>,
}

/// Makes a job of a write; `operation` names it for the log, and `events_of` tells the events that it has recorded.
pub(super) fn write_job<T: Send + 'static>(
    operation: String,
    write: impl FnOnce(&Tx<'_>) -> StoreResult<T> + Send + 'static,
    events_of: fn(&T) -> Vec<Event>,
) -> (Box<dyn Job>, oneshot::Receiver<Result<T, Failure>>) {
    let (caller, answer) = oneshot::channel();
    let job = WriteJob { operation, write: Some(write), result: None, events_of, caller };
    (Box::new(job), answer)
}

impl<T: Send, W: FnOnce(&Tx<'_>) -> StoreResult<T> + Send> Job for WriteJob<T, W> {
    fn run(&mut self, tx: &Tx<'_>) -> Verdict {
        let result = self.result.insert(self.write.take().expect("a job runs once")(tx));
        match result {
            Ok(_) => Verdict::Keep,
            Err(error) => Verdict::Undo(error.is_unavailable().then(|| error.chain())),
        }
    }

    fn events(&self) -> Vec<Event> {
        let Some(Ok(outcome)) = &self.result else { return Vec::new() };
        (self.events_of)(outcome)
    }

    fn answer(self: Box<Self>, is_committed: bool) {
        let Self { operation, result, caller, .. } = *self;
        let answer = match result {
            // Even a refusal may rest on a neighbour that was lost, so a lost group is one answer for all.
            _ if !is_committed => Err(unavailable().into()),
            Some(result) => result.map_err(|error| error.into_failure(operation)),
            None => Err(Fault::new(operation, "the write panicked").into()),
        };
        // A caller that has gone away needs no answer.
        let _ = caller.send(answer);
    }
}
