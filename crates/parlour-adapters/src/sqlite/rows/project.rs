//! Rows of projects.

use parlour_core::{id::ProjectId, project::Project};
use rusqlite::{Connection, Row};

use super::{ReadColumn, StoreResult};

/// Selects projects; continue it with `WHERE`.
macro_rules! select_project {
    ($tail:literal) => {
        concat!(
            "SELECT project.id, project.name, project.description, owner.id, project.policy, project.created_ms
             FROM project
             JOIN member AS owner ON owner.no = project.owner_no\n",
            $tail
        )
    };
}
pub(in crate::sqlite) use select_project;

/// Reads a row of `select_project!`.
pub(in crate::sqlite) fn project_from(row: &Row<'_>) -> StoreResult<Project> {
    Ok(Project {
        id: row.parsed(0)?,
        name: row.parsed(1)?,
        description: row.get(2)?,
        owner: row.parsed(3)?,
        policy: row.json(4)?,
        created_at: row.time(5)?,
    })
}

pub(in crate::sqlite) fn load_project(db: &Connection, id: &ProjectId) -> StoreResult<Option<Project>> {
    let mut statement = db.prepare_cached(select_project!("WHERE project.id = ?1"))?;
    statement.query_and_then([id.as_str()], project_from)?.next().transpose()
}
