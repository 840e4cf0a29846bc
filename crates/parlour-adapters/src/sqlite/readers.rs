//! The threads that read, each with a connection of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{error::StoreResult, queue::Queue};

/// One read with its answer.
pub(super) type ReadJob = Box<dyn FnOnce(&Connection) + Send>;

/// Makes a job of a read, and the receiver of its outcome.
pub(super) fn read_job<T: Send + 'static>(
    read: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
) -> (ReadJob, oneshot::Receiver<StoreResult<T>>) {
    let (caller, answer) = oneshot::channel();
    let job = move |db: &Connection| {
        // A caller that has gone away needs no answer.
        let _ = caller.send(read_in_one_look(db, read));
    };
    (Box::new(job), answer)
}

/// Reads until the queue is closed and drained.
pub(super) fn run(db: &Connection, queue: &Queue<ReadJob>) {
    while let Some(job) = queue.take(1).pop() {
        // A panic is a bug in one read; its caller learns that by the dropped sender, and the thread goes on.
        let _ = catch_unwind(AssertUnwindSafe(|| job(db)));
        if !db.is_autocommit() {
            // Only a panic leaves the look open. If it cannot be ended, the next read fails and says so.
            let _ = db.execute_batch("ROLLBACK");
        }
    }
}

/// Runs all statements of a read on the same state of the database.
fn read_in_one_look<T>(db: &Connection, read: impl FnOnce(&Connection) -> StoreResult<T>) -> StoreResult<T> {
    db.prepare_cached("BEGIN")?.raw_execute()?;
    let outcome = read(db);
    db.prepare_cached("COMMIT")?.raw_execute()?;
    outcome
}
