//! The one thread that writes. What has queued up while the last sync ran shares the next one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parlour_core::limits;
use rusqlite::Connection;

use super::{
    audit::Chain,
    error::{StoreError, StoreResult},
    job::{Job, Verdict},
    queue::Queue,
    text_index,
    tx::Tx,
    watchers::Watchers,
};
use crate::failpoint;

/// Writes group by group until the queue is closed and drained.
pub(super) fn run(db: &Connection, queue: &Queue<Box<dyn Job>>, watchers: &Watchers) {
    let mut end = End::default();
    loop {
        let group = queue.take(limits::STORE_GROUP_LEN_MAX);
        if group.is_empty() {
            watchers.close();
            return;
        }
        commit_group(db, group, &mut end, watchers);
    }
}

fn commit_group(db: &Connection, mut group: Vec<Box<dyn Job>>, end: &mut End, watchers: &Watchers) {
    let outcome = write_group(db, &mut group, end);
    if outcome.is_err() && !db.is_autocommit() {
        // The error that led here says more than a failed rollback could.
        let _ = db.execute_batch("ROLLBACK");
    }
    let is_committed = outcome.is_ok();
    end.health.note(outcome);
    failpoint::reach("after_commit_before_answer");
    if is_committed {
        // Before any answer: whoever knows that a write was made can rely on its event being on its way.
        watchers.tell(&group);
    }
    for job in group {
        job.answer(is_committed);
    }
}

/// Runs all jobs in one transaction and commits it; an error means that nothing of the group is on the disk.
fn write_group(db: &Connection, group: &mut [Box<dyn Job>], end: &mut End) -> StoreResult<()> {
    execute(db, "BEGIN IMMEDIATE")?;
    // A group that fails leaves none: the next one looks where the chain on the disk ends.
    let mut chain = end.chain.take().map_or_else(|| Chain::load(db), Ok)?;
    let tx = Tx::new(db);
    for job in group {
        run_job(&tx, job.as_mut(), &mut end.health)?;
    }
    chain.seal(&tx, tx.take_audit())?;
    text_index::apply(db, &tx.take_text_changes())?;
    failpoint::reach("before_commit");
    execute(db, "COMMIT")?;
    end.chain = Some(chain);
    Ok(())
}

/// Runs one job so that its failure spares its neighbours.
fn run_job(tx: &Tx<'_>, job: &mut dyn Job, health: &mut Health) -> StoreResult<()> {
    let mark = tx.mark();
    execute(tx.db(), "SAVEPOINT job")?;
    // A panic is a bug in one write; the others and the thread go on.
    let verdict = catch_unwind(AssertUnwindSafe(|| job.run(tx))).unwrap_or(Verdict::Undo(None));
    failpoint::reach("after_job");
    if let Verdict::Undo(trouble) = verdict {
        if tx.db().is_autocommit() {
            return Err(StoreError::TransactionLost(trouble.unwrap_or_default()));
        }
        tx.forget_after(mark);
        execute(tx.db(), "ROLLBACK TO job")?;
        trouble.into_iter().for_each(|trouble| health.note_trouble(&trouble));
    }
    execute(tx.db(), "RELEASE job")?;
    Ok(())
}

fn execute(db: &Connection, sql: &str) -> rusqlite::Result<()> {
    db.prepare_cached(sql)?.raw_execute().map(drop)
}

/// Where the writer stands after a group.
#[derive(Default)]
struct End {
    health: Health,
    /// The end of the audit log; none when it has to be looked up.
    chain: Option<Chain>,
}

/// Whether the disk takes what is written, so that trouble is logged when it comes and when it goes, not for each write.
#[derive(Default)]
struct Health {
    is_troubled: bool,
}

impl Health {
    fn note(&mut self, outcome: StoreResult<()>) {
        match outcome {
            Ok(()) if self.is_troubled => {
                self.is_troubled = false;
                tracing::info!("the store can write again");
            }
            Ok(()) => {}
            Err(error) => self.note_trouble(&error.chain()),
        }
    }

    fn note_trouble(&mut self, trouble: &str) {
        if !self.is_troubled {
            self.is_troubled = true;
            tracing::error!(cause = trouble, "the store cannot write");
        }
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{Timestamp, attribution::Attribution, audit::DONE};
    use parlour_hub::{Failure, ports::AuditNote};
    use tokio::sync::oneshot::Receiver;

    use super::*;
    use crate::sqlite::{
        audit,
        job::write_job,
        migrate,
        watchers::tests::{event, offsets},
    };

    type Written = (Box<dyn Job>, Receiver<Result<u64, Failure>>);

    /// A write that runs this statement and records an event at this offset.
    fn writes(sql: &'static str, offset: u64) -> Written {
        let write = move |tx: &Tx<'_>| {
            tx.db().execute_batch(sql)?;
            Ok(offset)
        };
        write_job("write".to_owned(), write, |offset| vec![event(*offset)])
    }

    /// Commits the writes as one group; tells which offsets were heard of and which writers were told of success.
    fn commit(group: Vec<Written>) -> (Vec<u64>, Vec<bool>) {
        let db = Connection::open_in_memory().expect("memory");
        migrate::migrate(&db).expect("migrate");
        let watchers = Watchers::default();
        let mut watched = watchers.watch();
        let (jobs, answers): (Vec<_>, Vec<_>) = group.into_iter().unzip();
        commit_group(&db, jobs, &mut End::default(), &watchers);
        let is_ok = |mut answer: Receiver<Result<u64, Failure>>| answer.try_recv().expect("an answer").is_ok();
        (offsets(&mut watched), answers.into_iter().map(is_ok).collect())
    }

    /// A write that leaves an entry for the audit log, and then runs this statement.
    fn audits(action: &'static str, sql: &'static str) -> Written {
        let write = move |tx: &Tx<'_>| {
            let attribution = Attribution::of_host(Timestamp::from_millis(1));
            let (action, result) = (action.to_owned(), DONE.to_owned());
            tx.audit(AuditNote { attribution, action, project_id: None, subject: None, result });
            tx.db().execute_batch(sql)?;
            Ok(1)
        };
        write_job("audit".to_owned(), write, |_| Vec::new())
    }

    /// The actions in the audit log after these groups were written, one after another.
    fn audited(groups: Vec<Vec<Written>>) -> Vec<String> {
        let db = Connection::open_in_memory().expect("memory");
        migrate::migrate(&db).expect("migrate");
        let mut end = End::default();
        for group in groups {
            let jobs = group.into_iter().map(|(job, _)| job).collect();
            commit_group(&db, jobs, &mut end, &Watchers::default());
        }
        assert_eq!(audit::end_flaw(&db).expect("read"), None);
        let entries = audit::audit_after(&db, 0).expect("entries");
        entries.into_iter().map(|sealed| sealed.entry.action).collect()
    }

    #[test]
    fn the_entry_of_an_undone_write_vanishes_with_it() {
        let group = vec![audits("a", "SELECT 1"), audits("b", "nonsense"), audits("c", "SELECT 1")];
        assert_eq!(audited(vec![group]), ["a", "c"]);
    }

    #[test]
    fn the_chain_goes_on_where_it_was_before_a_lost_group() {
        let lost = vec![audits("b", "SELECT 1"), audits("c", "ROLLBACK; nonsense")];
        assert_eq!(audited(vec![vec![audits("a", "SELECT 1")], lost, vec![audits("d", "SELECT 1")]]), ["a", "d"]);
    }

    #[test]
    fn of_a_committed_group_the_good_writes_are_told() {
        let group = vec![writes("SELECT 1", 1), writes("nonsense", 2), writes("SELECT 1", 3)];
        assert_eq!(commit(group), (vec![1, 3], vec![true, false, true]));
    }

    #[test]
    fn of_a_lost_group_nothing_is_told() {
        let group = vec![writes("SELECT 1", 1), writes("ROLLBACK; nonsense", 2)];
        assert_eq!(commit(group), (vec![], vec![false, false]));
    }
}
