use parlour_core::{event::Change, task::Task, timeline::TimelineEntryKind, write::Appended};
use rusqlite::params;

use super::{find, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    read::work::task,
    rows::to_json,
    timeline::{self, NewMoment},
};

/// Gives a task.
pub(super) fn create_task(scope: &Scope<'_>, new: Task) -> StoreResult<Appended> {
    if task(scope.tx.db(), &new.id)?.as_ref() == Some(&new) {
        return scope.repeated(Change::TaskCreated(Box::new(new)));
    }
    check_refs(scope, &new)?;
    let task_no = scope.tx.insert(
        "INSERT INTO task (id, project_no, data)
         VALUES (?1, ?2, ?3)",
        params![new.id.as_str(), scope.project_no(), to_json(&new)],
    )?;
    note_moment(scope, task_no, TimelineEntryKind::TaskCreated, &new.title)?;
    scope.record(Change::TaskCreated(Box::new(new)))
}

/// Notes what happened to a task, in its timeline.
pub(super) fn note_moment(scope: &Scope<'_>, task_no: i64, kind: TimelineEntryKind, detail: &str) -> StoreResult<()> {
    let (task_no, detail) = (Some(task_no), Some(detail));
    let moment = NewMoment { kind, by: scope.actor, run_no: None, task_no, message_no: None, detail };
    timeline::note(scope.tx, scope.at, &moment)
}

/// Refuses a task that refers to something outside its project.
pub(super) fn check_refs(scope: &Scope<'_>, task: &Task) -> StoreResult<()> {
    find::member_no(scope, &task.created_by)?;
    find::member_no_opt(scope, task.assignee.as_ref())?;
    find::check_task(scope, task.parent_id.as_ref())?;
    find::check_batch(scope, task.batch_id.as_ref())?;
    find::check_thread(scope, task.thread_id.as_ref())
}
