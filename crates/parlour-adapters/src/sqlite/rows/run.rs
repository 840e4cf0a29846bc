//! Rows of runs.

use parlour_core::{id::RunId, run::Run};
use rusqlite::{Connection, Row};

use super::{ReadColumn, StoreResult};

/// A run with its row numbers.
#[derive(Debug)]
pub(in crate::sqlite) struct StoredRun {
    pub(in crate::sqlite) no: i64,
    pub(in crate::sqlite) agent_no: i64,
    pub(in crate::sqlite) task_no: Option<i64>,
    /// The run, with all of its pauses.
    pub(in crate::sqlite) run: Run,
}

pub(in crate::sqlite) fn load_run(db: &Connection, id: &RunId) -> StoreResult<Option<StoredRun>> {
    let mut statement = db.prepare_cached(
        "SELECT no, agent_no, task_no, data
         FROM run
         WHERE id = ?1",
    )?;
    statement.query_and_then([id.as_str()], stored_from)?.next().transpose()
}

fn stored_from(row: &Row<'_>) -> StoreResult<StoredRun> {
    Ok(StoredRun { no: row.get(0)?, agent_no: row.get(1)?, task_no: row.get(2)?, run: row.json(3)? })
}
