use parlour_core::{
    Refusal,
    event::Change,
    id::TaskId,
    task::{Task, TaskPatch},
    timeline::TimelineEntryKind,
    write::Appended,
};
use rusqlite::params;

use super::{
    create_task::{check_refs, note_moment},
    find,
    scope::Scope,
};
use crate::sqlite::{error::StoreResult, read::work::task, rows::to_json};

/// Changes a task.
pub(super) fn update_task(scope: &Scope<'_>, id: &TaskId, patch: &TaskPatch) -> StoreResult<Appended> {
    let found = task(scope.tx.db(), id)?.filter(|task| task.project_id == scope.log.project_id);
    let found = found.ok_or_else(|| Refusal::not_found("task", id))?;
    let patched = found.patched(patch, scope.at)?;
    // The time of the change is no change by itself.
    if (Task { updated_at: found.updated_at, ..patched.clone() }) == found {
        return scope.repeated(Change::TaskUpdated(Box::new(found)));
    }
    check_refs(scope, &patched)?;
    scope.tx.execute(
        "UPDATE task
         SET data = ?2
         WHERE id = ?1",
        params![id.as_str(), to_json(&patched)],
    )?;
    if patched.status != found.status {
        let status = to_json(&patched.status);
        note_moment(scope, find::task_no(scope, id)?, TimelineEntryKind::TaskMoved, status.trim_matches('"'))?;
    }
    scope.record(Change::TaskUpdated(Box::new(patched)))
}
