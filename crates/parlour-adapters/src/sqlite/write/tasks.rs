//! Writes about tasks, batches and artifacts.

use parlour_core::{
    Refusal,
    artifact::Artifact,
    event::Change,
    id::TaskId,
    task::{Batch, Task, TaskPatch},
    timeline::TimelineEntryKind,
    write::Appended,
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    read::work::{artifact, batch, task},
    rows::to_json,
    write::{
        find,
        log::LogWriter,
        runs::{self, NewTimelineEntry},
    },
};

pub(super) fn create_task(log: &LogWriter<'_>, new: Task) -> StoreResult<Appended> {
    if task(log.tx.db(), &new.id)?.as_ref() == Some(&new) {
        return log.repeated(Change::TaskCreated(Box::new(new)));
    }
    check_refs(log, &new)?;
    let task_no = log.tx.insert(
        "INSERT INTO task (id, project_no, data)
         VALUES (?1, ?2, ?3)",
        params![new.id.as_str(), log.project_no(), to_json(&new)],
    )?;
    note_task(log, task_no, TimelineEntryKind::TaskCreated, &new.title)?;
    log.record(Change::TaskCreated(Box::new(new)))
}

/// Adds a timeline entry of a task.
pub(super) fn note_task(log: &LogWriter<'_>, task_no: i64, kind: TimelineEntryKind, detail: &str) -> StoreResult<()> {
    let (task_no, detail) = (Some(task_no), Some(detail));
    let entry = NewTimelineEntry { kind, by: log.actor, run_no: None, task_no, message_no: None, detail };
    runs::add_timeline_row(log.tx, log.at, &entry)
}

/// Refuses a task that refers to something outside its project.
pub(super) fn check_refs(log: &LogWriter<'_>, task: &Task) -> StoreResult<()> {
    find::member_no(log, &task.created_by)?;
    find::member_no_opt(log, task.assignee.as_ref())?;
    find::check_task(log, task.parent_id.as_ref())?;
    find::check_batch(log, task.batch_id.as_ref())?;
    find::check_thread(log, task.thread_id.as_ref())
}

pub(super) fn update_task(log: &LogWriter<'_>, id: &TaskId, patch: &TaskPatch) -> StoreResult<Appended> {
    let found = task(log.tx.db(), id)?.filter(|task| task.project_id == log.name.project_id);
    let found = found.ok_or_else(|| Refusal::not_found("task", id))?;
    let patched = found.patched(patch, log.at)?;
    // A different time alone is not a change.
    if (Task { updated_at: found.updated_at, ..patched.clone() }) == found {
        return log.repeated(Change::TaskUpdated(Box::new(found)));
    }
    check_refs(log, &patched)?;
    log.tx.execute(
        "UPDATE task
         SET data = ?2
         WHERE id = ?1",
        params![id.as_str(), to_json(&patched)],
    )?;
    if patched.status != found.status {
        let status = to_json(&patched.status);
        note_task(log, find::task_no(log, id)?, TimelineEntryKind::TaskMoved, status.trim_matches('"'))?;
    }
    log.record(Change::TaskUpdated(Box::new(patched)))
}

pub(super) fn create_batch(log: &LogWriter<'_>, new: Batch) -> StoreResult<Appended> {
    if batch(log.tx.db(), &new.id)?.as_ref() == Some(&new) {
        return log.repeated(Change::BatchCreated(Box::new(new)));
    }
    find::member_no(log, &new.created_by)?;
    log.tx.execute(
        "INSERT INTO batch (id, project_no, data)
         VALUES (?1, ?2, ?3)",
        params![new.id.as_str(), log.project_no(), to_json(&new)],
    )?;
    log.record(Change::BatchCreated(Box::new(new)))
}

/// Records an uploaded file as an artifact.
pub(super) fn create_artifact(log: &LogWriter<'_>, new: Artifact) -> StoreResult<Appended> {
    if artifact(log.tx.db(), &new.id)?.as_ref() == Some(&new) {
        return log.repeated(Change::ArtifactCreated(Box::new(new)));
    }
    find::member_no(log, &new.created_by)?;
    find::check_task(log, new.task_id.as_ref())?;
    let conversation_no = new.conversation_id.as_ref().map(|id| find::conversation_no(log, id)).transpose()?;
    log.tx.execute(
        "INSERT INTO artifact (id, project_no, conversation_no, data)
         VALUES (?1, ?2, ?3, ?4)",
        params![new.id.as_str(), log.project_no(), conversation_no, to_json(&new)],
    )?;
    log.record(Change::ArtifactCreated(Box::new(new)))
}
