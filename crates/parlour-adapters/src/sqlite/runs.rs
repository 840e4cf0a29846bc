//! The rows of runs, and of what pauses them.

use parlour_core::{author::Author, run::Run, timeline::TimelineEntryKind};
use rusqlite::params;

use super::{
    error::StoreResult,
    rows::{codes::run_code, run::StoredRun, to_json},
    timeline::NewMoment,
    tx::Tx,
};

/// Brings the row of a run to what it is now.
pub(super) fn update(tx: &Tx<'_>, run_no: i64, run: &Run) -> StoreResult<()> {
    tx.execute(
        "UPDATE run
         SET state = ?2, data = ?3
         WHERE no = ?1",
        params![run_no, run_code(run.state), to_json(run)],
    )?;
    Ok(())
}

/// Notes that a message pauses a run.
pub(super) fn pause(tx: &Tx<'_>, message_no: i64, run_no: i64) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO run_pause (message_no, run_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [message_no, run_no],
    )?;
    Ok(())
}

/// Notes that a message no longer pauses a run.
pub(super) fn resume(tx: &Tx<'_>, message_no: i64, run_no: i64) -> StoreResult<()> {
    tx.execute(
        "DELETE FROM run_pause
         WHERE message_no = ?1 AND run_no = ?2",
        [message_no, run_no],
    )?;
    Ok(())
}

impl StoredRun {
    /// A moment of the run, and of its task.
    pub(super) fn moment<'a>(&self, kind: TimelineEntryKind, by: &'a Author) -> NewMoment<'a> {
        NewMoment { kind, by, run_no: Some(self.no), task_no: self.task_no, message_no: None, detail: None }
    }
}
