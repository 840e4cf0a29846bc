//! Tasks, batches and artifacts.

use parlour_core::{
    access::Principal,
    artifact::Artifact,
    id::{ArtifactId, BatchId, ProjectId, TaskId},
    paging::{Page, PageRequest},
    task::{Batch, Task},
};
use rusqlite::{Connection, named_params, params};
use serde::de::DeserializeOwned;

use crate::sqlite::{
    access::{Viewer, readable, sees_project},
    error::StoreResult,
    lookup::{number, page_start, probe, project_no},
    rows::ReadColumn,
};

/// Reads a task.
pub(in crate::sqlite) fn task(db: &Connection, id: &TaskId) -> StoreResult<Option<Task>> {
    load(db, "SELECT data\nFROM task\nWHERE id = ?1", id.as_str())
}

/// Reads a batch.
pub(in crate::sqlite) fn batch(db: &Connection, id: &BatchId) -> StoreResult<Option<Batch>> {
    load(db, "SELECT data\nFROM batch\nWHERE id = ?1", id.as_str())
}

/// Reads an artifact's record.
pub(in crate::sqlite) fn artifact(db: &Connection, id: &ArtifactId) -> StoreResult<Option<Artifact>> {
    load(db, "SELECT data\nFROM artifact\nWHERE id = ?1", id.as_str())
}

/// Lists the tasks of a project.
pub(in crate::sqlite) fn tasks(db: &Connection, project: &ProjectId, page: &PageRequest) -> StoreResult<Page<Task>> {
    let own = "SELECT no\nFROM task\nWHERE id = ?1 AND project_no = ?2";
    let sql = "SELECT data
         FROM task
         WHERE project_no = ?1 AND no > ?2
         ORDER BY no
         LIMIT ?3";
    list(db, own, sql, project, page, |task: &Task| task.id.to_string())
}

/// Lists the batches of a project.
pub(in crate::sqlite) fn batches(db: &Connection, project: &ProjectId, page: &PageRequest) -> StoreResult<Page<Batch>> {
    let own = "SELECT no\nFROM batch\nWHERE id = ?1 AND project_no = ?2";
    let sql = "SELECT data
         FROM batch
         WHERE project_no = ?1 AND no > ?2
         ORDER BY no
         LIMIT ?3";
    list(db, own, sql, project, page, |batch: &Batch| batch.id.to_string())
}

/// Lists the artifacts of a project that the caller may see.
pub(in crate::sqlite) fn artifacts(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<Artifact>> {
    let viewer = Viewer::of(db, caller)?;
    let after = page_start(page, |key| seen_artifact_no(db, project, viewer, key))?;
    let found = seen_artifacts(db, project, viewer, after, probe(page))?;
    Ok(Page::from_probe(found, page.limit(), |artifact: &Artifact| artifact.id.to_string()))
}

/// The number of an artifact that the viewer may see.
fn seen_artifact_no(db: &Connection, project: &ProjectId, viewer: Viewer, id: &str) -> StoreResult<Option<i64>> {
    let sql = concat!(
        "SELECT artifact.no
         FROM artifact
         LEFT JOIN conversation ON conversation.no = artifact.conversation_no
         LEFT JOIN conversation AS access ON access.no = conversation.access_no
         WHERE artifact.id = :id AND artifact.project_no = :project AND ",
        sees_project!(),
        " AND (artifact.conversation_no IS NULL OR ",
        readable!(),
        ")"
    );
    let params = named_params! {
        ":id": id, ":project": project_no(db, project)?.unwrap_or(0),
        ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    number(db, sql, params)
}

/// Up to `limit` artifacts that the viewer may see, after the one with this number.
pub(super) fn seen_artifacts(
    db: &Connection,
    project: &ProjectId,
    viewer: Viewer,
    after: i64,
    limit: i64,
) -> StoreResult<Vec<Artifact>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT artifact.data
         FROM artifact
         LEFT JOIN conversation ON conversation.no = artifact.conversation_no
         LEFT JOIN conversation AS access ON access.no = conversation.access_no
         WHERE artifact.project_no = :project AND artifact.no > :after AND ",
        sees_project!(),
        " AND (artifact.conversation_no IS NULL OR ",
        readable!(),
        ")
         ORDER BY artifact.no
         LIMIT :limit"
    ))?;
    let params = named_params! {
        ":project": project_no(db, project)?.unwrap_or(0), ":after": after, ":limit": limit,
        ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    statement.query_and_then(params, |row| row.json(0))?.collect()
}

fn load<T: DeserializeOwned>(db: &Connection, sql: &str, id: &str) -> StoreResult<Option<T>> {
    db.prepare_cached(sql)?.query_and_then([id], |row| row.json(0))?.next().transpose()
}

fn list<T: DeserializeOwned>(
    db: &Connection,
    own: &str,
    sql: &str,
    project: &ProjectId,
    page: &PageRequest,
    key: impl Fn(&T) -> String,
) -> StoreResult<Page<T>> {
    let project_no = project_no(db, project)?.unwrap_or(0);
    let after = page_start(page, |key| number(db, own, params![key, project_no]))?;
    let params = [project_no, after, probe(page)];
    let items = db.prepare_cached(sql)?.query_and_then(params, |row| row.json(0))?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(items, page.limit(), key))
}
