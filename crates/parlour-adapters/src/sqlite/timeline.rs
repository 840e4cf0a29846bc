//! What happened in runs and to tasks: one row for each moment, written with the change that it tells of.

use parlour_core::{Timestamp, author::Author, timeline::TimelineEntryKind};
use rusqlite::params;

use super::{
    error::StoreResult,
    rows::{author::author_ref, codes::moment_code},
    tx::Tx,
};

/// A moment to be kept.
pub(super) struct NewMoment<'a> {
    /// What happened.
    pub(super) kind: TimelineEntryKind,
    /// By whom.
    pub(super) by: &'a Author,
    /// The run.
    pub(super) run_no: Option<i64>,
    /// The task.
    pub(super) task_no: Option<i64>,
    /// The message that it is about.
    pub(super) message_no: Option<i64>,
    /// More about it.
    pub(super) detail: Option<&'a str>,
}

/// Keeps a moment.
pub(super) fn note(tx: &Tx<'_>, at: Timestamp, moment: &NewMoment<'_>) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO moment (run_no, task_no, at_ms, kind, author_no, message_no, detail)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            moment.run_no,
            moment.task_no,
            at.as_millis(),
            moment_code(moment.kind),
            author_ref(tx, moment.by)?.no,
            moment.message_no,
            moment.detail
        ],
    )?;
    Ok(())
}
