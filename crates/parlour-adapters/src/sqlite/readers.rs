//! The reader threads, each with its own connection.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{error::StoreResult, queue::Queue};

/// A read that sends its result to the caller.
pub(super) type ReadJob = Box<dyn FnOnce(&Connection) + Send>;

/// Makes a job of a read; returns it with the receiver of the result.
pub(super) fn read_job<T: Send + 'static>(
    read: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
) -> (ReadJob, oneshot::Receiver<StoreResult<T>>) {
    let (caller, answer) = oneshot::channel();
    let job = move |db: &Connection| {
        // The caller may have dropped the receiver.
        let _ = caller.send(read_in_transaction(db, read));
    };
    (Box::new(job), answer)
}

/// Reads until the queue is closed and drained.
pub(super) fn run(db: &Connection, queue: &Queue<ReadJob>) {
    while let Some(job) = queue.take(1).pop() {
        // A panic is a bug in one read. Its caller sees the dropped sender; the thread continues.
        let _ = catch_unwind(AssertUnwindSafe(|| job(db)));
        if !db.is_autocommit() {
            // Only a panic leaves the transaction open. If the rollback fails, the next read reports the error.
            let _ = db.execute_batch("ROLLBACK");
        }
    }
}

/// Runs all statements of a read on the same state of the database.
fn read_in_transaction<T>(db: &Connection, read: impl FnOnce(&Connection) -> StoreResult<T>) -> StoreResult<T> {
    db.prepare_cached("BEGIN")?.raw_execute()?;
    let outcome = read(db);
    db.prepare_cached("COMMIT")?.raw_execute()?;
    outcome
}
