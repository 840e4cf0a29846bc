//! Writes that create or change a project and its people.

use parlour_core::{
    Refusal,
    access::leaves_with_project,
    attribution::Attribution,
    event::Change,
    id::{ConversationId, PersonId, ProjectId},
    limits,
    position::epoch_of,
    project::{Project, ProjectPatch},
    write::Appended,
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    rows::{ReadColumn as _, member::load_person, project::load_project, to_json},
    tx::Tx,
    write::{channels, find, log::LogWriter, names},
};

/// Creates the row and the log of a project, if they do not exist.
pub(super) fn begin_log<'a>(
    tx: &'a Tx<'a>,
    id: &ProjectId,
    project: &Project,
    attribution: &'a Attribution,
) -> StoreResult<LogWriter<'a>> {
    if load_project(tx.db(), id)?.as_ref() != Some(project) {
        insert_project(tx, project, attribution)?;
    }
    LogWriter::open(tx, id, attribution)
}

/// Records the project that `begin_log` created.
pub(super) fn create_project(log: &LogWriter<'_>, project: Project) -> StoreResult<Appended> {
    let change = Change::ProjectCreated(Box::new(project));
    if log.next_offset()? > 1 { log.repeated(change) } else { log.record(change) }
}

fn insert_project(tx: &Tx<'_>, project: &Project, attribution: &Attribution) -> StoreResult<()> {
    names::check_project(tx, &project.name, 0)?;
    let owner_no = find::person_no(tx, &project.owner)?;
    let project_no = tx.insert(
        "INSERT INTO project (id, name, name_key, description, owner_no, policy, created_ms, epoch)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            project.id.as_str(),
            project.name.as_str(),
            project.name.key().as_str(),
            project.description,
            owner_no,
            to_json(&project.policy),
            project.created_at.as_millis(),
            epoch_of(&project.id, attribution.at)
        ],
    )?;
    tx.execute(
        "INSERT INTO project_member (project_no, member_no)
         VALUES (?1, ?2)",
        [project_no, owner_no],
    )?;
    Ok(())
}

pub(super) fn update_project(log: &LogWriter<'_>, patch: &ProjectPatch) -> StoreResult<Appended> {
    let id = &log.name.project_id;
    let project = load_project(log.tx.db(), id)?.ok_or_else(|| Refusal::not_found("project", id))?;
    let patched = project.patched(patch)?;
    if patched == project {
        return log.repeated(Change::ProjectUpdated(Box::new(project)));
    }
    names::check_project(log.tx, &patched.name, log.project_no())?;
    log.tx.execute(
        "UPDATE project
         SET name = ?2, name_key = ?3, description = ?4, policy = ?5
         WHERE no = ?1",
        params![
            log.project_no(),
            patched.name.as_str(),
            patched.name.key().as_str(),
            patched.description,
            to_json(&patched.policy)
        ],
    )?;
    log.record(Change::ProjectUpdated(Box::new(patched)))
}

/// Adds a person to the project.
pub(super) fn add_person(log: &LogWriter<'_>, id: &PersonId) -> StoreResult<Appended> {
    let person = load_person(log.tx.db(), id)?.ok_or_else(|| Refusal::not_found("person", id))?;
    let added = log.tx.execute(
        "INSERT INTO project_member (project_no, member_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [log.project_no(), find::person_no(log.tx, id)?],
    )?;
    if added == 0 {
        return log.repeated(Change::PersonAdded(Box::new(person)));
    }
    names::check_agents(log.tx, log.project_no(), &person.name, 0)?;
    check_people_count(log)?;
    log.record(Change::PersonAdded(Box::new(person)))
}

fn check_people_count(log: &LogWriter<'_>) -> StoreResult<()> {
    let sql = "SELECT COUNT(*)
         FROM project_member
         JOIN member ON member.no = project_member.member_no
         WHERE project_member.project_no = ?1 AND member.home_no IS NULL";
    find::check_count(log.tx, sql, [log.project_no()], limits::PROJECT_MEMBERS_MAX, "a project", "people")
}

/// Removes a person from the project and its private channels. The messages of the person stay.
pub(super) fn remove_person(log: &LogWriter<'_>, id: &PersonId) -> StoreResult<Appended> {
    let person = load_person(log.tx.db(), id)?.ok_or_else(|| Refusal::not_found("person", id))?;
    let member_no = find::person_no(log.tx, id)?;
    let removed = log.tx.execute(
        "DELETE FROM project_member
         WHERE project_no = ?1 AND member_no = ?2",
        [log.project_no(), member_no],
    )?;
    let change = Change::PersonRemoved(Box::new(person));
    if removed == 0 {
        return log.repeated(change);
    }
    leave_conversations(log, member_no)?;
    log.record(change)
}

/// Removes a person from the private channels of the project.
fn leave_conversations(log: &LogWriter<'_>, member_no: i64) -> StoreResult<()> {
    let mut joined = log.tx.statement(
        "SELECT conversation.no, conversation.id
         FROM conversation_member
         JOIN conversation ON conversation.no = conversation_member.conversation_no
         WHERE conversation_member.member_no = ?1 AND conversation.project_no = ?2
         ORDER BY conversation.no",
    )?;
    let mut rows = joined.query([member_no, log.project_no()])?;
    let mut left = Vec::new();
    while let Some(row) = rows.next()? {
        let id: ConversationId = row.parsed(1)?;
        if leaves_with_project(id.conversation_type()) {
            left.push(row.get(0)?);
        }
    }
    for conversation_no in left {
        channels::remove_member(log, conversation_no, member_no)?;
    }
    Ok(())
}
