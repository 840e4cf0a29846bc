//! The starts of the hub: which tags positions carry, and where each log ended when a start ended.

use parlour_core::{id::ProjectId, limits, position::StartTag};
use rusqlite::Connection;

use super::{
    error::StoreResult,
    lookup::{exists, number, project_no},
    read::log::log_end,
    tx::Tx,
};

/// Records a start and the end of each log that has changed since the start before.
pub(super) fn begin_start(tx: &Tx<'_>, tag: StartTag) -> StoreResult<()> {
    let start_no = tx.insert(
        "INSERT INTO hub_start (tag)
         VALUES (?1)",
        [tag.as_str()],
    )?;
    tx.execute(
        "INSERT INTO log_start (project_no, start_no, end_offset)
         SELECT log.project_no, ?1, log.end_offset
         FROM (
             SELECT project.no AS project_no,
                 (SELECT MAX(event.offset) FROM event WHERE event.project_no = project.no) AS end_offset
             FROM project
         ) AS log
         WHERE log.end_offset IS NOT NULL AND log.end_offset IS NOT (
             SELECT log_start.end_offset
             FROM log_start
             WHERE log_start.project_no = log.project_no
             ORDER BY log_start.start_no DESC
             LIMIT 1
         )",
        [start_no],
    )?;
    delete_starts_before(tx, start_no - limits::STARTS_KEPT_MAX as i64 + 1)
}

/// Deletes the starts before this one, and of each log the rows that no later start needs.
fn delete_starts_before(tx: &Tx<'_>, oldest_no: i64) -> StoreResult<()> {
    tx.execute(
        "DELETE FROM hub_start
         WHERE no < ?1",
        [oldest_no],
    )?;
    tx.execute(
        "DELETE FROM log_start
         WHERE start_no < (
             SELECT MAX(later.start_no)
             FROM log_start AS later
             WHERE later.project_no = log_start.project_no AND later.start_no <= ?1
         )",
        [oldest_no],
    )?;
    Ok(())
}

/// Where the log ended when this start ended.
pub(super) fn end_of_start(db: &Connection, project: &ProjectId, tag: StartTag) -> StoreResult<Option<u64>> {
    let Some(project_no) = project_no(db, project)? else { return Ok(None) };
    let start_no = number(db, "SELECT no\nFROM hub_start\nWHERE tag = ?1", [tag.as_str()])?;
    let Some(start_no) = start_no else { return Ok(None) };
    if !exists(db, "SELECT 1\nFROM hub_start\nWHERE no > ?1", [start_no])? {
        return log_end(db, project_no).map(Some);
    }
    let end_offset = number(
        db,
        "SELECT end_offset
         FROM log_start
         WHERE project_no = ?1 AND start_no <= ?2 + 1
         ORDER BY start_no DESC
         LIMIT 1",
        [project_no, start_no],
    )?;
    Ok(Some(end_offset.unwrap_or(0).unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::migrate::migrate;

    fn tag(number: i64) -> StartTag {
        let digit = |index: u32| u8::try_from((number >> (5 * index)) % 32).expect("below 32");
        StartTag::from_random([digit(0), digit(1), digit(2), digit(3), 0, 0, 0, 0])
    }

    #[test]
    fn a_bounded_number_of_starts_is_kept_with_the_ends_that_they_need() {
        let db = Connection::open_in_memory().expect("memory");
        migrate(&db).expect("migrate");
        let kept = limits::STARTS_KEPT_MAX as i64;
        let project = "INSERT INTO project (no, id, name, name_key, owner_no, policy, created_ms, epoch)
             VALUES (1, 'prj_1', 'Tour', 'tour', 1, '{}', 0, 'E')";
        db.execute_batch(&format!("PRAGMA foreign_keys = OFF; BEGIN; {project}")).expect("a project");
        let tx = Tx::new(&db);
        for number in 1..=kept + 3 {
            if number <= 3 {
                let event = "INSERT INTO event (project_no, offset, kind, at_ms, actor_no) VALUES (1, ?1, 0, 0, 1)";
                db.execute(event, [number]).expect("an event");
            }
            begin_start(&tx, tag(number)).expect("begun");
        }
        let list = |sql: &str| -> Vec<i64> {
            let mut statement = db.prepare(sql).expect(sql);
            statement.query_map([], |row| row.get(0)).expect(sql).collect::<Result<_, _>>().expect(sql)
        };
        assert_eq!(list("SELECT MIN(no) FROM hub_start UNION ALL SELECT COUNT(*) FROM hub_start"), [4, kept]);
        assert_eq!(list("SELECT start_no FROM log_start"), [3], "the end that the oldest kept start found");
    }
}
