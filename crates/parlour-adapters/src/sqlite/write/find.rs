//! What a write needs to be there; what is not, or belongs to another project, is refused as not found.

use parlour_core::{
    Refusal,
    access::{self, Membership},
    conversation::{Channel, Visibility},
    id::{AgentId, BatchId, ChannelId, ConversationId, MemberId, MessageId, PersonId, RunId, TaskId, ThreadId},
};
use rusqlite::{OptionalExtension, params};

use super::scope::Scope;
use crate::sqlite::{
    error::StoreResult,
    lookup::number,
    rows::{
        conversation::load_channel,
        message::{StoredMessage, load_message},
        run::{StoredRun, load_run},
    },
    tx::Tx,
};

/// The number of a person.
pub(in crate::sqlite) fn person_no(tx: &Tx<'_>, id: &PersonId) -> StoreResult<i64> {
    let found = number(tx.db(), "SELECT no\nFROM member\nWHERE id = ?1 AND home_no IS NULL", [id.as_str()])?;
    Ok(found.ok_or_else(|| Refusal::not_found("person", id))?)
}

/// The number of an agent of the project.
pub(in crate::sqlite) fn agent_no(tx: &Tx<'_>, project_no: i64, id: &AgentId) -> StoreResult<i64> {
    let sql = "SELECT no\nFROM member\nWHERE id = ?1 AND home_no = ?2";
    let found = number(tx.db(), sql, params![id.as_str(), project_no])?;
    Ok(found.ok_or_else(|| Refusal::not_found("agent", id))?)
}

/// The number of a person, or of an agent of the project. Whether a person belongs to the project is for the hub to
/// say: administrators act in every one.
pub(super) fn member_no(scope: &Scope<'_>, id: &MemberId) -> StoreResult<i64> {
    match id {
        MemberId::Person(person) => person_no(scope.tx, person),
        MemberId::Agent(agent) => agent_no(scope.tx, scope.project_no(), agent),
    }
}

/// The number of a member who may be absent.
pub(super) fn member_no_opt(scope: &Scope<'_>, id: Option<&MemberId>) -> StoreResult<Option<i64>> {
    id.map(|id| member_no(scope, id)).transpose()
}

/// A channel of the project with its number.
pub(super) fn channel(scope: &Scope<'_>, id: &ChannelId) -> StoreResult<(i64, Channel)> {
    let no = conversation_no(scope, &id.clone().into())?;
    let channel = load_channel(scope.tx.db(), id)?.ok_or_else(|| Refusal::not_found("channel", id))?;
    Ok((no, channel))
}

/// The number of a conversation of the project.
pub(super) fn conversation_no(scope: &Scope<'_>, id: &ConversationId) -> StoreResult<i64> {
    conversation(scope, id).map(|(no, _)| no)
}

/// The number of a conversation of the project that is not archived; a thread is archived with its channel.
pub(super) fn writable_conversation_no(scope: &Scope<'_>, id: &ConversationId) -> StoreResult<i64> {
    let (no, is_archived) = conversation(scope, id)?;
    let membership = Membership {
        visibility: Visibility::Project,
        is_project_member: true,
        is_conversation_member: true,
        is_archived,
    };
    access::check_write(&membership)?;
    Ok(no)
}

fn conversation(scope: &Scope<'_>, id: &ConversationId) -> StoreResult<(i64, bool)> {
    let mut statement = scope.tx.statement(
        "SELECT conversation.no, access.archived_ms IS NOT NULL
         FROM conversation
         JOIN conversation AS access ON access.no = conversation.access_no
         WHERE conversation.id = ?1 AND conversation.project_no = ?2",
    )?;
    let found = statement
        .query_row(params![id.as_str(), scope.project_no()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found.ok_or_else(|| Refusal::not_found(noun(id), id))?)
}

fn noun(id: &ConversationId) -> &'static str {
    match id {
        ConversationId::Channel(_) => "channel",
        ConversationId::Thread(_) => "thread",
        ConversationId::Dm(_) => "dm",
    }
}

/// A message of the project.
pub(super) fn message(scope: &Scope<'_>, id: &MessageId) -> StoreResult<StoredMessage> {
    let found = load_message(scope.tx.db(), id)?;
    let found = found.filter(|stored| stored.message.project_id == scope.log.project_id);
    Ok(found.ok_or_else(|| Refusal::not_found("message", id))?)
}

/// Refuses a task that is not in the project.
pub(super) fn check_task(scope: &Scope<'_>, id: Option<&TaskId>) -> StoreResult<()> {
    let Some(id) = id else { return Ok(()) };
    task_no(scope, id).map(drop)
}

/// The number of a task of the project.
pub(super) fn task_no(scope: &Scope<'_>, id: &TaskId) -> StoreResult<i64> {
    let sql = "SELECT no\nFROM task\nWHERE id = ?1 AND project_no = ?2";
    let found = number(scope.tx.db(), sql, params![id.as_str(), scope.project_no()])?;
    Ok(found.ok_or_else(|| Refusal::not_found("task", id))?)
}

/// A run of the project.
pub(super) fn run(scope: &Scope<'_>, id: &RunId) -> StoreResult<StoredRun> {
    let found = load_run(scope.tx.db(), id)?;
    let found = found.filter(|stored| stored.run.project_id == scope.log.project_id);
    Ok(found.ok_or_else(|| Refusal::not_found("run", id))?)
}

/// Refuses a batch that is not in the project.
pub(super) fn check_batch(scope: &Scope<'_>, id: Option<&BatchId>) -> StoreResult<()> {
    let Some(id) = id else { return Ok(()) };
    let sql = "SELECT 1\nFROM batch\nWHERE id = ?1 AND project_no = ?2";
    if scope.finds(sql, params![id.as_str(), scope.project_no()])? {
        return Ok(());
    }
    Err(Refusal::not_found("batch", id).into())
}

/// Refuses a thread that is not in the project.
pub(super) fn check_thread(scope: &Scope<'_>, id: Option<&ThreadId>) -> StoreResult<()> {
    let Some(id) = id else { return Ok(()) };
    conversation_no(scope, &id.clone().into()).map(drop)
}
