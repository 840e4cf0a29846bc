//! Runs of agents.

use parlour_core::{
    access::Principal,
    id::{AgentId, MessageId, ProjectId, RunId},
    paging::{Page, PageRequest},
    run::{Run, RunFilter},
};
use rusqlite::{Connection, Params, named_params, params};

use crate::sqlite::{
    access::{Viewer, readable, sees_project},
    error::StoreResult,
    lookup::{bad_page_key, member_no, number, page_id, probe, project_no},
    message_key::MessageKey,
    rows::{ReadColumn, run::load_run},
};

/// Selects runs that the viewer sees, those that are wanted, by an index that holds little else.
macro_rules! seen_runs {
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
    let (project_no, viewer) = (project_no(db, project)?.unwrap_or(0), Viewer::of(db, caller)?);
    let before = page_begin(db, project_no, viewer, page)?;
    // What is unknown has no runs.
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

pub(super) const RUNS_OF_PROJECT: &str = seen_runs!("run_of_project", "run.project_no = :project");
pub(super) const RUNS_OF_AGENT: &str = seen_runs!("run_of_agent", "run.agent_no = :agent");
pub(super) const RUNS_OF_TASK: &str = seen_runs!("run_of_task", "run.task_no = :task AND run.task_no IS NOT NULL");
pub(super) const RUNS_OF_AGENT_FOR_TASK: &str =
    seen_runs!("run_of_agent_for", "run.task_no = :task AND run.task_no IS NOT NULL AND run.agent_no = :agent");
pub(super) const OPEN_RUNS_OF_PROJECT: &str = seen_runs!("open_run_in", "run.project_no = :project AND run.state < 2");
pub(super) const OPEN_RUNS_OF_AGENT: &str = seen_runs!("open_run_of", "run.agent_no = :agent AND run.state < 2");

/// The number that the runs of a page are below. The run that is its key may have ended meanwhile.
fn page_begin(db: &Connection, project_no: i64, viewer: Viewer, page: &PageRequest) -> StoreResult<i64> {
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

/// Reads runs as a statement gives their JSON.
pub(super) fn load(db: &Connection, sql: &str, params: impl Params) -> StoreResult<Vec<Run>> {
    db.prepare_cached(sql)?.query_and_then(params, |row| row.json(0))?.collect()
}

fn agent_no(db: &Connection, agent: &AgentId) -> StoreResult<i64> {
    Ok(member_no(db, &agent.clone().into())?.unwrap_or(0))
}
