//! Rows of moments.

use parlour_core::timeline::TimelineEntry;
use rusqlite::Row;

use super::{ReadColumn, StoreResult, author::author_from, codes};
use crate::sqlite::message_key::StoredMessageId;

/// Selects moments with what they are about; goes on with further joins and `WHERE`.
macro_rules! select_moment {
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
pub(in crate::sqlite) use select_moment;

/// Reads a moment as `select_moment!` gives it.
pub(in crate::sqlite) fn moment_from(row: &Row<'_>) -> StoreResult<TimelineEntry> {
    Ok(TimelineEntry {
        no: row.count(0)?,
        at: row.time(1)?,
        kind: codes::moment_kind(row.get(2)?)?,
        by: author_from(row, 7)?,
        run_id: row.parsed_opt(3)?,
        task_id: row.parsed_opt(4)?,
        message_id: row.get::<_, Option<StoredMessageId>>(5)?.map(|id| id.0),
        detail: row.get(6)?,
    })
}
