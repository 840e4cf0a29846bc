use parlour_core::{Refusal, event::Change, project::ProjectPatch, write::Appended};
use rusqlite::params;

use super::{names, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    rows::{project::load_project, to_json},
};

/// Changes the project.
pub(super) fn update_project(scope: &Scope<'_>, patch: &ProjectPatch) -> StoreResult<Appended> {
    let id = &scope.log.project_id;
    let project = load_project(scope.tx.db(), id)?.ok_or_else(|| Refusal::not_found("project", id))?;
    let patched = project.patched(patch)?;
    if patched == project {
        return scope.repeated(Change::ProjectUpdated(Box::new(project)));
    }
    names::check_project(scope.tx, &patched.name, scope.project_no())?;
    scope.tx.execute(
        "UPDATE project
         SET name = ?2, name_key = ?3, description = ?4, policy = ?5
         WHERE no = ?1",
        params![
            scope.project_no(),
            patched.name.as_str(),
            patched.name.key().as_str(),
            patched.description,
            to_json(&patched.policy)
        ],
    )?;
    scope.record(Change::ProjectUpdated(Box::new(patched)))
}
