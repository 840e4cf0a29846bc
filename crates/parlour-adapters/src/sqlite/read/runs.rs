//! Reads of runs and their timelines.

use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    id::{AgentId, MessageId, ProjectId, RunId, TaskId},
    paging::{Page, PageRequest},
    run::{Run, RunFilter},
    timeline::TimelineEntry,
};
use parlour_hub::{Failure, ports::Runs};
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params, params};

use crate::sqlite::{
    SqliteStore,
    access::{ReaderRow, open_or_member, readable, sees_project},
    error::StoreResult,
    lookup::{bad_page_key, member_no, number, page_id, page_number, probe, project_no},
    message_key::MessageKey,
    rows::{
        ReadColumn,
        run::load_run,
        timeline_entry::{select_timeline_entry, timeline_entry_from},
    },
};

#[async_trait]
impl Runs for SqliteStore {
    async fn run(&self, id: &RunId) -> Result<Option<Run>, Failure> {
        let id = id.clone();
        self.read("read a run", move |db| run(db, &id)).await
    }

    async fn runs(
        &self,
        project: &ProjectId,
        caller: &Principal,
        filter: &RunFilter,
        page: &PageRequest,
    ) -> Result<Page<Run>, Failure> {
        let (project, caller, filter, page) = (project.clone(), caller.clone(), filter.clone(), page.clone());
        self.read("list runs", move |db| runs(db, &project, &caller, &filter, &page)).await
    }

    async fn open_runs(&self, page: &PageRequest) -> Result<Page<Run>, Failure> {
        let page = page.clone();
        self.read("list open runs", move |db| open_runs(db, &page)).await
    }

    async fn runs_paused_by(&self, message: &MessageId) -> Result<Vec<Run>, Failure> {
        let message = message.clone();
        self.read("list the runs that a message pauses", move |db| runs_paused_by(db, &message)).await
    }

    async fn open_runs_of(&self, agent: &AgentId) -> Result<Vec<Run>, Failure> {
        let agent = agent.clone();
        self.read("list the open runs of an agent", move |db| open_runs_of(db, &agent)).await
    }

    async fn run_timeline(
        &self,
        run: &RunId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure> {
        let (run, caller, page) = (run.clone(), caller.clone(), page.clone());
        self.read("read the timeline of a run", move |db| run_timeline(db, &run, &caller, &page)).await
    }

    async fn task_timeline(
        &self,
        task: &TaskId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure> {
        let (task, caller, page) = (task.clone(), caller.clone(), page.clone());
        self.read("read the timeline of a task", move |db| task_timeline(db, &task, &caller, &page)).await
    }
}

/// Selects the runs that match the filter and that the viewer may see, by the index that fits the filter best.
macro_rules! visible_runs {
    ($index:literal, $found_by:literal) => {
        concat!(
            "SELECT run.data
             FROM run INDEXED BY ",
            $index,
            "
             LEFT JOIN conversation ON conversation.no = run.conversation_no
             LEFT JOIN conversation AS access ON access.no = conversation.access_no
             WHERE ",
            $found_by,
            " AND run.no < :before AND run.project_no = :project
                 AND (:agent IS NULL OR run.agent_no = :agent) AND (:task IS NULL OR run.task_no = :task) AND ",
            sees_project!(),
            " AND (run.conversation_no IS NULL OR ",
            readable!(),
            ")
             ORDER BY run.no DESC
             LIMIT :limit"
        )
    };
}

/// Reads a run.
pub(in crate::sqlite) fn run(db: &Connection, id: &RunId) -> StoreResult<Option<Run>> {
    Ok(load_run(db, id)?.map(|stored| stored.run))
}

/// Lists the runs of a project that the caller sees, newest first.
pub(in crate::sqlite) fn runs(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
    filter: &RunFilter,
    page: &PageRequest,
) -> StoreResult<Page<Run>> {
    let (project_no, viewer) = (project_no(db, project)?.unwrap_or(0), ReaderRow::of(db, caller)?);
    let before = page_begin(db, project_no, viewer, page)?;
    // An unknown agent or task becomes 0, which no run has.
    let agent_no = filter.agent_id.as_ref().map(|id| agent_no(db, id)).transpose()?;
    let task = "SELECT no\nFROM task\nWHERE id = ?1";
    let task_no = filter.task_id.as_ref().map(|id| number(db, task, [id.as_str()])).transpose()?;
    let params = named_params! {
        ":project": project_no, ":viewer": viewer.no, ":is_admin": viewer.is_admin, ":before": before,
        ":agent": agent_no, ":task": task_no.map(|found| found.unwrap_or(0)), ":limit": probe(page)
    };
    let found = load(db, statement(filter), params)?;
    Ok(Page::from_probe(found, page.limit(), |run: &Run| run.id.to_string()))
}

fn statement(filter: &RunFilter) -> &'static str {
    match (filter.only_open, &filter.agent_id, &filter.task_id) {
        (true, Some(_), _) => OPEN_RUNS_OF_AGENT,
        (true, None, _) => OPEN_RUNS_OF_PROJECT,
        (false, Some(_), Some(_)) => RUNS_OF_AGENT_FOR_TASK,
        (false, Some(_), None) => RUNS_OF_AGENT,
        (false, None, Some(_)) => RUNS_OF_TASK,
        (false, None, None) => RUNS_OF_PROJECT,
    }
}

pub(super) const RUNS_OF_PROJECT: &str = visible_runs!("run_of_project", "run.project_no = :project");
pub(super) const RUNS_OF_AGENT: &str = visible_runs!("run_of_agent", "run.agent_no = :agent");
pub(super) const RUNS_OF_TASK: &str = visible_runs!("run_of_task", "run.task_no = :task AND run.task_no IS NOT NULL");
pub(super) const RUNS_OF_AGENT_FOR_TASK: &str =
    visible_runs!("run_of_agent_for", "run.task_no = :task AND run.task_no IS NOT NULL AND run.agent_no = :agent");
pub(super) const OPEN_RUNS_OF_PROJECT: &str =
    visible_runs!("open_run_in", "run.project_no = :project AND run.state < 2");
pub(super) const OPEN_RUNS_OF_AGENT: &str = visible_runs!("open_run_of", "run.agent_no = :agent AND run.state < 2");

/// The number below which a page begins. The run of the page key may have ended meanwhile.
fn page_begin(db: &Connection, project_no: i64, viewer: ReaderRow, page: &PageRequest) -> StoreResult<i64> {
    let Some(key) = page.after() else { return Ok(i64::MAX) };
    let sql = concat!(
        "SELECT run.no
         FROM run
         LEFT JOIN conversation ON conversation.no = run.conversation_no
         LEFT JOIN conversation AS access ON access.no = conversation.access_no
         WHERE run.id = :id AND run.project_no = :project AND ",
        sees_project!(),
        " AND (run.conversation_no IS NULL OR ",
        readable!(),
        ")"
    );
    let params = named_params! {
        ":id": key, ":project": project_no, ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    number(db, sql, params)?.ok_or_else(|| bad_page_key(key))
}

/// Lists the runs of all projects that have not ended, by id.
pub(in crate::sqlite) fn open_runs(db: &Connection, page: &PageRequest) -> StoreResult<Page<Run>> {
    let found = load(db, OPEN_RUNS, params![page_id::<RunId>(page)?, probe(page)])?;
    Ok(Page::from_probe(found, page.limit(), |run: &Run| run.id.to_string()))
}

pub(super) const OPEN_RUNS: &str = "SELECT data
     FROM run
     WHERE state < 2 AND id > ?1
     ORDER BY id
     LIMIT ?2";

/// The runs that this message pauses, oldest first.
pub(in crate::sqlite) fn runs_paused_by(db: &Connection, message: &MessageId) -> StoreResult<Vec<Run>> {
    load(db, PAUSED_BY, [MessageKey(message)])
}

pub(super) const PAUSED_BY: &str = "SELECT run.data
     FROM message
     JOIN run_pause ON run_pause.message_no = message.no
     JOIN run ON run.no = run_pause.run_no
     WHERE message.id = ?1
     ORDER BY run_pause.run_no";

/// The runs of an agent that have not ended, oldest first.
pub(in crate::sqlite) fn open_runs_of(db: &Connection, agent: &AgentId) -> StoreResult<Vec<Run>> {
    load(db, OPEN_RUNS_OF, [agent_no(db, agent)?])
}

pub(super) const OPEN_RUNS_OF: &str = "SELECT data
     FROM run
     WHERE agent_no = ?1 AND state < 2
     ORDER BY no";

/// Reads runs from the JSON column of a statement.
pub(super) fn load(db: &Connection, sql: &str, params: impl Params) -> StoreResult<Vec<Run>> {
    db.prepare_cached(sql)?.query_and_then(params, |row| row.json(0))?.collect()
}

fn agent_no(db: &Connection, agent: &AgentId) -> StoreResult<i64> {
    Ok(member_no(db, &agent.clone().into())?.unwrap_or(0))
}

/// Selects the timeline entries of a run or a task whose runs and messages the viewer may read.
macro_rules! visible_entries {
    ($found_by:literal) => {
        select_timeline_entry!(
            "LEFT JOIN conversation ON conversation.no = run.conversation_no
             LEFT JOIN conversation AS access ON access.no = conversation.access_no
             LEFT JOIN conversation AS posted_in ON posted_in.no = message.conversation_no
             LEFT JOIN conversation AS posted_access ON posted_access.no = posted_in.access_no
             WHERE ",
            $found_by,
            " AND moment.no > :after AND ",
            sees_project!(),
            " AND (run.conversation_no IS NULL OR ",
            open_or_member!("access"),
            ") AND (moment.message_no IS NULL OR ",
            open_or_member!("posted_access"),
            ")
             ORDER BY moment.no
             LIMIT :limit"
        )
    };
}

/// Lists the timeline of a run.
pub(in crate::sqlite) fn run_timeline(
    db: &Connection,
    run: &RunId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<TimelineEntry>> {
    let of = numbers(db, "SELECT no, project_no\nFROM run\nWHERE id = ?1", run.as_str())?;
    list(db, OF_RUN, of, caller, page)
}

/// Lists the timeline of a task and of its runs.
pub(in crate::sqlite) fn task_timeline(
    db: &Connection,
    task: &TaskId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<TimelineEntry>> {
    let of = numbers(db, "SELECT no, project_no\nFROM task\nWHERE id = ?1", task.as_str())?;
    list(db, OF_TASK, of, caller, page)
}

pub(super) const OF_RUN: &str = visible_entries!("moment.run_no = :of AND moment.run_no IS NOT NULL");
pub(super) const OF_TASK: &str = visible_entries!("moment.task_no = :of AND moment.task_no IS NOT NULL");

/// The numbers of a run or a task and of its project; zeros, which no row has, if it is unknown.
fn numbers(db: &Connection, sql: &str, id: &str) -> StoreResult<(i64, i64)> {
    let both = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(db.prepare_cached(sql)?.query_row([id], both).optional()?.unwrap_or((0, 0)))
}

fn list(
    db: &Connection,
    sql: &str,
    of: (i64, i64),
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<TimelineEntry>> {
    let viewer = ReaderRow::of(db, caller)?;
    let entries = |after: i64, limit: i64| -> StoreResult<Vec<TimelineEntry>> {
        let params = named_params! {
            ":of": of.0, ":project": of.1, ":viewer": viewer.no, ":is_admin": viewer.is_admin,
            ":after": after, ":limit": limit
        };
        db.prepare_cached(sql)?.query_and_then(params, timeline_entry_from)?.collect()
    };
    let after = page_number(page)?.unwrap_or(0);
    if let Some(key) = page.after()
        && !entries(after.saturating_sub(1), 1)?.iter().any(|entry| entry.no == after.unsigned_abs())
    {
        return Err(bad_page_key(key));
    }
    Ok(Page::from_probe(entries(after, probe(page))?, page.limit(), |entry| entry.no.to_string()))
}
