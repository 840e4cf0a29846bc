//! What happened in runs and to tasks.

use parlour_core::{
    access::Principal,
    id::{RunId, TaskId},
    paging::{Page, PageRequest},
    timeline::TimelineEntry,
};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use crate::sqlite::{
    access::{Viewer, seated, sees_project},
    error::StoreResult,
    lookup::{bad_page_key, page_number, probe},
    rows::moment::{moment_from, select_moment},
};

/// Selects the moments of a run or a task as far as the viewer sees the runs and may read the messages.
macro_rules! seen_moments {
    ($found_by:literal) => {
        select_moment!(
            "LEFT JOIN conversation ON conversation.no = run.conversation_no
             LEFT JOIN conversation AS access ON access.no = conversation.access_no
             LEFT JOIN conversation AS place ON place.no = message.conversation_no
             LEFT JOIN conversation AS place_access ON place_access.no = place.access_no
             WHERE ",
            $found_by,
            " AND moment.no > :after AND ",
            sees_project!(),
            " AND (run.conversation_no IS NULL OR ",
            seated!("access"),
            ") AND (moment.message_no IS NULL OR ",
            seated!("place_access"),
            ")
             ORDER BY moment.no
             LIMIT :limit"
        )
    };
}

/// Lists what happened in a run.
pub(in crate::sqlite) fn run_timeline(
    db: &Connection,
    run: &RunId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<TimelineEntry>> {
    let of = place(db, "SELECT no, project_no\nFROM run\nWHERE id = ?1", run.as_str())?;
    list(db, OF_RUN, of, caller, page)
}

/// Lists what happened to a task and in its runs.
pub(in crate::sqlite) fn task_timeline(
    db: &Connection,
    task: &TaskId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<TimelineEntry>> {
    let of = place(db, "SELECT no, project_no\nFROM task\nWHERE id = ?1", task.as_str())?;
    list(db, OF_TASK, of, caller, page)
}

pub(super) const OF_RUN: &str = seen_moments!("moment.run_no = :of AND moment.run_no IS NOT NULL");
pub(super) const OF_TASK: &str = seen_moments!("moment.task_no = :of AND moment.task_no IS NOT NULL");

/// The number of a run or a task, and that of its project; numbers that nothing has when it is unknown.
fn place(db: &Connection, sql: &str, id: &str) -> StoreResult<(i64, i64)> {
    let numbers = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(db.prepare_cached(sql)?.query_row([id], numbers).optional()?.unwrap_or((0, 0)))
}

fn list(
    db: &Connection,
    sql: &str,
    of: (i64, i64),
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<TimelineEntry>> {
    let viewer = Viewer::of(db, caller)?;
    let moments = |after: i64, limit: i64| -> StoreResult<Vec<TimelineEntry>> {
        let params = named_params! {
            ":of": of.0, ":project": of.1, ":viewer": viewer.no, ":is_admin": viewer.is_admin,
            ":after": after, ":limit": limit
        };
        db.prepare_cached(sql)?.query_and_then(params, moment_from)?.collect()
    };
    let after = page_number(page)?.unwrap_or(0);
    if let Some(key) = page.after()
        && !moments(after.saturating_sub(1), 1)?.iter().any(|moment| moment.no == after.unsigned_abs())
    {
        return Err(bad_page_key(key));
    }
    Ok(Page::from_probe(moments(after, probe(page))?, page.limit(), |moment| moment.no.to_string()))
}
