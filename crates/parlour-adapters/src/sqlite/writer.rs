//! The one writer thread. Writes that queue up during one sync are committed together in the next transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parlour_core::{event::Event, limits};
use parlour_hub::{Failure, Fault};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::{
    failpoint,
    sqlite::{
        audit::Chain,
        error::{StoreError, StoreResult, unavailable},
        queue::Queue,
        text_index,
        tx::Tx,
        watchers::Watchers,
    },
};

/// Writes group by group until the queue is closed and drained.
pub(super) fn run(db: &Connection, queue: &Queue<Box<dyn Job>>, watchers: &Watchers) {
    let mut state = WriterState::default();
    loop {
        let group = queue.take(limits::STORE_GROUP_LEN_MAX);
        if group.is_empty() {
            watchers.close();
            return;
        }
        commit_group(db, group, &mut state, watchers);
    }
}

fn commit_group(db: &Connection, mut group: Vec<Box<dyn Job>>, state: &mut WriterState, watchers: &Watchers) {
    let outcome = write_group(db, &mut group, state);
    if outcome.is_err() && !db.is_autocommit() {
        // The first error says more than a failed rollback would.
        let _ = db.execute_batch("ROLLBACK");
    }
    let is_committed = outcome.is_ok();
    state.health.record(outcome);
    failpoint::reach("after_commit_before_answer");
    if is_committed {
        // Before the answers: a caller whose write was acknowledged can rely on its event being queued.
        watchers.publish(&group);
    }
    for job in group {
        job.answer(is_committed);
    }
}

/// Runs all jobs in one transaction and commits it; an error means that nothing of the group is on the disk.
fn write_group(db: &Connection, group: &mut [Box<dyn Job>], state: &mut WriterState) -> StoreResult<()> {
    execute(db, "BEGIN IMMEDIATE")?;
    // A failed group takes the chain with it: the next group loads it from the disk.
    let mut chain = state.chain.take().map_or_else(|| Chain::load(db), Ok)?;
    let tx = Tx::new(db);
    for job in group {
        run_job(&tx, job.as_mut(), &mut state.health)?;
    }
    chain.seal(&tx, tx.take_audit())?;
    text_index::apply(db, &tx.take_text_changes())?;
    failpoint::reach("before_commit");
    execute(db, "COMMIT")?;
    state.chain = Some(chain);
    Ok(())
}

/// Runs one job in a savepoint, so that its failure undoes no other job.
fn run_job(tx: &Tx<'_>, job: &mut dyn Job, health: &mut DiskHealth) -> StoreResult<()> {
    let mark = tx.mark();
    execute(tx.db(), "SAVEPOINT job")?;
    // A panic is a bug in one write; the other writes and the thread continue.
    let outcome = catch_unwind(AssertUnwindSafe(|| job.run(tx))).unwrap_or(JobOutcome::Undo(None));
    failpoint::reach("after_job");
    if let JobOutcome::Undo(disk_error) = outcome {
        if tx.db().is_autocommit() {
            return Err(StoreError::TransactionLost(disk_error.unwrap_or_default()));
        }
        tx.forget_after(mark);
        execute(tx.db(), "ROLLBACK TO job")?;
        disk_error.into_iter().for_each(|disk_error| health.record_disk_error(&disk_error));
    }
    execute(tx.db(), "RELEASE job")?;
    Ok(())
}

fn execute(db: &Connection, sql: &str) -> rusqlite::Result<()> {
    db.prepare_cached(sql)?.raw_execute().map(drop)
}

/// The state of the writer between two groups.
#[derive(Default)]
struct WriterState {
    health: DiskHealth,
    /// The end of the audit log; `None` if it must be loaded.
    chain: Option<Chain>,
}

/// Whether the disk accepts writes. A problem is logged when it starts and when it ends, not for each write.
#[derive(Default)]
struct DiskHealth {
    is_troubled: bool,
}

impl DiskHealth {
    fn record(&mut self, outcome: StoreResult<()>) {
        match outcome {
            Ok(()) if self.is_troubled => {
                self.is_troubled = false;
                tracing::info!("the store can write again");
            }
            Ok(()) => {}
            Err(error) => self.record_disk_error(&error.chain()),
        }
    }

    fn record_disk_error(&mut self, disk_error: &str) {
        if !self.is_troubled {
            self.is_troubled = true;
            tracing::error!(cause = disk_error, "the store cannot write");
        }
    }
}

/// One write: it runs, its group is committed or not, and the caller gets the answer.
pub(super) trait Job: Send {
    /// Makes the changes in the open transaction.
    fn run(&mut self, tx: &Tx<'_>) -> JobOutcome;

    /// The recorded events, in order. They are valid only if the group was committed.
    fn events(&self) -> Vec<Event>;

    /// Sends the result to the caller; `is_committed` is true if the whole group is on the disk.
    fn answer(self: Box<Self>, is_committed: bool);
}

/// Whether the changes of a job are kept.
pub(super) enum JobOutcome {
    Keep,
    /// Undoes the changes; the text is the error of the disk, if it caused that.
    Undo(Option<String>),
}

/// A write with the channel to its caller.
struct WriteJob<T, W> {
    operation: String,
    write: Option<W>,
    result: Option<StoreResult<T>>,
    events_of: fn(&T) -> Vec<Event>,
    caller: oneshot::Sender<Result<T, Failure>>,
}

/// Makes a job of a write; `operation` is its name in the log, and `events_of` returns the recorded events.
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
    fn run(&mut self, tx: &Tx<'_>) -> JobOutcome {
        let result = self.result.insert(self.write.take().expect("a job runs once")(tx));
        match result {
            Ok(_) => JobOutcome::Keep,
            Err(error) => JobOutcome::Undo(error.is_unavailable().then(|| error.chain())),
        }
    }

    fn events(&self) -> Vec<Event> {
        let Some(Ok(outcome)) = &self.result else { return Vec::new() };
        (self.events_of)(outcome)
    }

    fn answer(self: Box<Self>, is_committed: bool) {
        let Self { operation, result, caller, .. } = *self;
        let answer = match result {
            // Even a refusal may depend on another write of the lost group, so all writes of the group get this answer.
            _ if !is_committed => Err(unavailable().into()),
            Some(result) => result.map_err(|error| error.into_failure(operation)),
            None => Err(Fault::new(operation, "the write panicked").into()),
        };
        // The caller may have dropped the receiver.
        let _ = caller.send(answer);
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{Timestamp, attribution::Attribution, audit::DONE};
    use parlour_hub::{Failure, ports::AuditNote};
    use tokio::sync::oneshot::Receiver;

    use super::*;
    use crate::sqlite::{
        audit, migrate,
        watchers::tests::{event, offsets},
    };

    type QueuedJob = (Box<dyn Job>, Receiver<Result<u64, Failure>>);

    /// A write that runs this statement and records an event at this offset.
    fn writes(sql: &'static str, offset: u64) -> QueuedJob {
        let write = move |tx: &Tx<'_>| {
            tx.db().execute_batch(sql)?;
            Ok(offset)
        };
        write_job("write".to_owned(), write, |offset| vec![event(*offset)])
    }

    /// Commits the writes as one group; returns the offsets that a watcher received and which writes succeeded.
    fn commit(group: Vec<QueuedJob>) -> (Vec<u64>, Vec<bool>) {
        let db = Connection::open_in_memory().expect("memory");
        migrate::migrate(&db).expect("migrate");
        let watchers = Watchers::default();
        let mut watched = watchers.watch();
        let (jobs, answers): (Vec<_>, Vec<_>) = group.into_iter().unzip();
        commit_group(&db, jobs, &mut WriterState::default(), &watchers);
        let is_ok = |mut answer: Receiver<Result<u64, Failure>>| answer.try_recv().expect("an answer").is_ok();
        (offsets(&mut watched), answers.into_iter().map(is_ok).collect())
    }

    /// A write that adds an entry to the audit log and then runs this statement.
    fn audits(action: &'static str, sql: &'static str) -> QueuedJob {
        let write = move |tx: &Tx<'_>| {
            let attribution = Attribution::of_host(Timestamp::from_millis(1));
            let (action, result) = (action.to_owned(), DONE.to_owned());
            tx.audit(AuditNote { attribution, action, project_id: None, subject: None, result })?;
            tx.db().execute_batch(sql)?;
            Ok(1)
        };
        write_job("audit".to_owned(), write, |_| Vec::new())
    }

    /// The actions in the audit log after these groups were written.
    fn audited(groups: Vec<Vec<QueuedJob>>) -> Vec<String> {
        let db = Connection::open_in_memory().expect("memory");
        migrate::migrate(&db).expect("migrate");
        let mut state = WriterState::default();
        for group in groups {
            let jobs = group.into_iter().map(|(job, _)| job).collect();
            commit_group(&db, jobs, &mut state, &Watchers::default());
        }
        assert_eq!(audit::end_flaw(&db).expect("read"), None);
        let entries = audit::audit_after(&db, 0).expect("entries");
        entries.into_iter().map(|sealed| sealed.entry.action).collect()
    }

    #[test]
    fn an_undone_write_leaves_no_audit_entry() {
        let group = vec![audits("a", "SELECT 1"), audits("b", "nonsense"), audits("c", "SELECT 1")];
        assert_eq!(audited(vec![group]), ["a", "c"]);
    }

    #[test]
    fn the_audit_chain_continues_after_a_lost_group() {
        let lost = vec![audits("b", "SELECT 1"), audits("c", "ROLLBACK; nonsense")];
        assert_eq!(audited(vec![vec![audits("a", "SELECT 1")], lost, vec![audits("d", "SELECT 1")]]), ["a", "d"]);
    }

    #[test]
    fn watchers_get_the_successful_writes_of_a_committed_group() {
        let group = vec![writes("SELECT 1", 1), writes("nonsense", 2), writes("SELECT 1", 3)];
        assert_eq!(commit(group), (vec![1, 3], vec![true, false, true]));
    }

    #[test]
    fn watchers_get_nothing_of_a_lost_group() {
        let group = vec![writes("SELECT 1", 1), writes("ROLLBACK; nonsense", 2)];
        assert_eq!(commit(group), (vec![], vec![false, false]));
    }
}
