//! Reads of the event logs of projects, and the `Log` port.

use async_trait::async_trait;
use parlour_core::{
    Refusal, Timestamp,
    event::Event,
    id::{MessageId, ProjectId},
    limits,
    paging::{Page, PageRequest},
    position::{Position, StartTag},
    write::{Appended, Entry},
};
use parlour_hub::{
    Failure,
    ports::{AppendedBatch, Log, LogRange},
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use tokio::sync::mpsc;

use crate::sqlite::{
    SqliteStore,
    error::{StoreError, StoreResult},
    lookup::{as_i64, number, page_number, probe},
    rows::{
        event::{LogName, event_from, select_event},
        message::load_message,
    },
    starts,
    tx::Tx,
    write::{self, log::prune_log},
};

#[async_trait]
impl Log for SqliteStore {
    async fn append(&self, entry: Entry) -> Result<Appended, Failure> {
        let operation = format!("append to the log of {}", entry.project_id);
        let prepared = write::prepare(entry);
        let append = move |tx: &Tx<'_>| write::append(tx, prepared);
        Ok(self.write_events(operation, append, write::Recorded::events).await?.appended)
    }

    async fn append_all(&self, entries: Vec<Entry>) -> Result<AppendedBatch, Failure> {
        let Some(first) = entries.first() else { return Ok(AppendedBatch { appended: Vec::new(), refusal: None }) };
        let operation = format!("append a series to the log of {}", first.project_id);
        let prepared: Vec<_> = entries.into_iter().map(write::prepare).collect();
        let append = move |tx: &Tx<'_>| write::append_all(tx, prepared);
        Ok(self.write_events(operation, append, write::RecordedSeries::events).await?.into_series())
    }

    async fn events_after(&self, project: &ProjectId, offset: u64, limit: usize) -> Result<Vec<Event>, Failure> {
        let project = project.clone();
        self.read("read events", move |db| events_after(db, &project, offset, limit)).await
    }

    async fn end_of_log(&self, project: &ProjectId) -> Result<Option<Position>, Failure> {
        let project = project.clone();
        self.read("read the end of a log", move |db| end_of_log(db, &project)).await
    }

    async fn log_range(&self, project: &ProjectId) -> Result<Option<LogRange>, Failure> {
        let project = project.clone();
        self.read("read the range of a log", move |db| log_range(db, &project)).await
    }

    async fn begin_start(&self, tag: StartTag) -> Result<(), Failure> {
        let operation = format!("begin the start {tag:?}");
        self.write(operation, move |tx| starts::begin_start(tx, tag)).await
    }

    async fn end_of_start(&self, project: &ProjectId, tag: StartTag) -> Result<Option<u64>, Failure> {
        let project = project.clone();
        self.read("read the end of a start", move |db| starts::end_of_start(db, &project, tag)).await
    }

    async fn newest_event_at(&self) -> Result<Option<Timestamp>, Failure> {
        self.read("read the time of the newest event", newest_event_at).await
    }

    async fn prune_logs(&self, now: Timestamp) -> Result<u64, Failure> {
        let mut forgotten = 0;
        for project_no in self.read("list the logs to prune", pruned_logs).await? {
            forgotten += self.prune_log(project_no, now).await?;
        }
        Ok(forgotten)
    }

    fn watch(&self) -> mpsc::Receiver<Event> {
        self.shared.watchers.watch()
    }
}

impl SqliteStore {
    /// Prunes one log in batches, so that other writes run in between.
    async fn prune_log(&self, project_no: i64, now: Timestamp) -> Result<u64, Failure> {
        let mut forgotten = 0;
        loop {
            let operation = format!("prune the log of project {project_no}");
            let count = self.write(operation, move |tx| prune_log(tx, project_no, now)).await?;
            forgotten += count;
            if count < limits::STORE_PRUNE_LEN_MAX as u64 {
                return Ok(forgotten);
            }
        }
    }
}

/// Finds the log of a project.
pub(in crate::sqlite) fn find_log(db: &Connection, project: &ProjectId) -> StoreResult<Option<LogName>> {
    let mut statement = db.prepare_cached(
        "SELECT no, epoch, (SELECT tag FROM hub_start ORDER BY hub_start.no DESC LIMIT 1)
         FROM project
         WHERE id = ?1",
    )?;
    let as_log = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?));
    let found = statement.query_row([project.as_str()], as_log).optional()?;
    let Some((project_no, epoch, tag)) = found else { return Ok(None) };
    let start_tag = tag.map(|tag| tag.parse()).transpose();
    let start_tag = start_tag.map_err(|refusal: Refusal| StoreError::Unreadable(refusal.detail))?;
    Ok(Some(LogName { project_no, project_id: project.clone(), epoch, start_tag }))
}

/// The offset of the last event of a log; 0 when there is none.
pub(in crate::sqlite) fn log_end(db: &Connection, project_no: i64) -> StoreResult<u64> {
    let mut statement = db.prepare_cached("SELECT MAX(offset)\nFROM event\nWHERE project_no = ?1")?;
    let end: Option<i64> = statement.query_row([project_no], |row| row.get(0))?;
    Ok(end.unwrap_or(0).unsigned_abs())
}

/// The position after the last event.
pub(in crate::sqlite) fn end_of_log(db: &Connection, project: &ProjectId) -> StoreResult<Option<Position>> {
    let Some(log) = find_log(db, project)? else { return Ok(None) };
    log.position(log_end(db, log.project_no)?).map(Some)
}

/// The range of events that the log still contains.
pub(in crate::sqlite) fn log_range(db: &Connection, project: &ProjectId) -> StoreResult<Option<LogRange>> {
    let Some(log) = find_log(db, project)? else { return Ok(None) };
    let first = number(db, "SELECT MIN(offset)\nFROM event\nWHERE project_no = ?1", [log.project_no])?.unwrap_or(0);
    Ok(Some(LogRange { first: first.unsigned_abs(), end: log.position(log_end(db, log.project_no)?)? }))
}

/// The time of the newest event of all logs: the latest of the last events, which no pruning deletes.
fn newest_event_at(db: &Connection) -> StoreResult<Option<Timestamp>> {
    let mut statement = db.prepare_cached(
        "SELECT MAX(COALESCE(event.at_ms, message.created_ms))
         FROM project
         JOIN event ON event.project_no = project.no
             AND event.offset = (SELECT MAX(offset) FROM event WHERE project_no = project.no)
         LEFT JOIN message ON message.no = event.message_no",
    )?;
    let at_ms: Option<i64> = statement.query_row([], |row| row.get(0))?;
    Ok(at_ms.map(Timestamp::from_millis))
}

/// The logs of projects with a limited retention of events.
pub(in crate::sqlite) fn pruned_logs(db: &Connection) -> StoreResult<Vec<i64>> {
    let mut statement = db.prepare_cached(
        "SELECT no
         FROM project
         WHERE json_extract(policy, '$.retention.event_days_max') IS NOT NULL
         ORDER BY no",
    )?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Reads up to `limit` events after the one with this offset.
pub(in crate::sqlite) fn events_after(
    db: &Connection,
    project: &ProjectId,
    offset: u64,
    limit: usize,
) -> StoreResult<Vec<Event>> {
    let Some(log) = find_log(db, project)? else { return Ok(Vec::new()) };
    let limit = as_i64(limit.min(limits::EVENTS_PER_READ_MAX) as u64);
    let mut statement = db.prepare_cached(select_event!(
        "WHERE event.project_no = ?1 AND event.offset > ?2
         ORDER BY event.offset
         LIMIT ?3"
    ))?;
    let rows = statement.query_and_then([log.project_no, as_i64(offset), limit], |row| event_from(db, &log, row))?;
    rows.collect()
}

/// Lists the events about one message.
pub(in crate::sqlite) fn message_events(
    db: &Connection,
    id: &MessageId,
    page: &PageRequest,
) -> StoreResult<Page<Event>> {
    let after = page_number(page)?.unwrap_or(0).unsigned_abs();
    let nothing = Page { items: Vec::new(), next: None };
    let Some(stored) = load_message(db, id)? else { return Ok(nothing) };
    let Some(log) = find_log(db, &stored.message.project_id)? else { return Ok(nothing) };
    let mut events = Vec::new();
    if after < stored.log_offset {
        events.extend(event_at(db, &log, stored.log_offset)?);
    }
    events.extend(later_events(db, &log, stored.no, after, probe(page))?);
    Ok(Page::from_probe(events, page.limit(), |event| event.position.offset().to_string()))
}

fn event_at(db: &Connection, log: &LogName, offset: u64) -> StoreResult<Option<Event>> {
    let mut statement = db.prepare_cached(select_event!("WHERE event.project_no = ?1 AND event.offset = ?2"))?;
    statement.query_and_then([log.project_no, as_i64(offset)], |row| event_from(db, log, row))?.next().transpose()
}

/// The events about a message after its post.
fn later_events(db: &Connection, log: &LogName, message_no: i64, after: u64, limit: i64) -> StoreResult<Vec<Event>> {
    let mut statement = db.prepare_cached(select_event!(
        "WHERE event.message_no = ?1 AND event.message_no IS NOT NULL AND event.kind <> 1 AND event.offset > ?2
         ORDER BY event.offset
         LIMIT ?3"
    ))?;
    statement.query_and_then(params![message_no, as_i64(after), limit], |row| event_from(db, log, row))?.collect()
}
