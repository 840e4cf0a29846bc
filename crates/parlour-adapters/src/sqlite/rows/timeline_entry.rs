//! Rows of timeline entries; their table is `moment`.

use parlour_core::timeline::TimelineEntry;
use rusqlite::Row;

use super::{ReadColumn, StoreResult, author::author_from, codes};
use crate::sqlite::message_key::StoredMessageId;

/// Selects timeline entries with run, task, message and author; continue it with further joins and `WHERE`.
macro_rules! select_timeline_entry {
    ($($tail:expr),+) => {
        concat!(
            "SELECT moment.no, moment.at_ms, moment.kind, run.id, task.id, message.id, moment.detail, author.type,
                 author.id, author.name
             FROM moment
             JOIN author ON author.no = moment.author_no
             LEFT JOIN run ON run.no = moment.run_no
             LEFT JOIN task ON task.no = moment.task_no
             LEFT JOIN message ON message.no = moment.message_no\n",
            $($tail),+
        )
    };
}
pub(in crate::sqlite) use select_timeline_entry;

/// Reads a row of `select_timeline_entry!`.
pub(in crate::sqlite) fn timeline_entry_from(row: &Row<'_>) -> StoreResult<TimelineEntry> {
    Ok(TimelineEntry {
        no: row.count(0)?,
        at: row.time(1)?,
        kind: codes::timeline_entry_kind(row.get(2)?)?,
        by: author_from(row, 7)?,
        run_id: row.parsed_opt(3)?,
        task_id: row.parsed_opt(4)?,
        message_id: row.get::<_, Option<StoredMessageId>>(5)?.map(|id| id.0),
        detail: row.get(6)?,
    })
}
