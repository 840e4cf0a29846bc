//! Lookups of things that a write refers to. A thing that is missing or belongs to another project is refused as not
//! found.

use parlour_core::{
    Code, Refusal,
    access::{self, Membership},
    conversation::{Channel, Visibility},
    id::{AgentId, BatchId, ChannelId, ConversationId, MemberId, MessageId, PersonId, RunId, TaskId, ThreadId},
};
use rusqlite::{OptionalExtension, params};

use crate::sqlite::{
    error::StoreResult,
    lookup::number,
    rows::{
        conversation::load_channel,
        message::{StoredMessage, load_message},
        run::{StoredRun, load_run},
    },
    tx::Tx,
    write::log::LogWriter,
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

/// The number of a person, or of an agent of the project. The hub checks whether a person belongs to the project,
/// because administrators may act in every project.
pub(super) fn member_no(log: &LogWriter<'_>, id: &MemberId) -> StoreResult<i64> {
    match id {
        MemberId::Person(person) => person_no(log.tx, person),
        MemberId::Agent(agent) => agent_no(log.tx, log.project_no(), agent),
    }
}

/// The number of a member who may be absent.
pub(super) fn member_no_opt(log: &LogWriter<'_>, id: Option<&MemberId>) -> StoreResult<Option<i64>> {
    id.map(|id| member_no(log, id)).transpose()
}

/// A channel of the project with its number.
pub(super) fn channel(log: &LogWriter<'_>, id: &ChannelId) -> StoreResult<(i64, Channel)> {
    let no = conversation_no(log, &id.clone().into())?;
    let channel = load_channel(log.tx.db(), id)?.ok_or_else(|| Refusal::not_found("channel", id))?;
    Ok((no, channel))
}

/// The number of a conversation of the project.
pub(super) fn conversation_no(log: &LogWriter<'_>, id: &ConversationId) -> StoreResult<i64> {
    conversation(log, id).map(|(no, _)| no)
}

/// The number of a conversation of the project that is not archived; a thread is archived with its channel.
pub(super) fn writable_conversation_no(log: &LogWriter<'_>, id: &ConversationId) -> StoreResult<i64> {
    let (no, is_archived) = conversation(log, id)?;
    let membership = Membership {
        visibility: Visibility::Project,
        is_project_member: true,
        is_conversation_member: true,
        is_archived,
    };
    access::check_write(&membership)?;
    Ok(no)
}

fn conversation(log: &LogWriter<'_>, id: &ConversationId) -> StoreResult<(i64, bool)> {
    let mut statement = log.tx.statement(
        "SELECT conversation.no, access.archived_ms IS NOT NULL
         FROM conversation
         JOIN conversation AS access ON access.no = conversation.access_no
         WHERE conversation.id = ?1 AND conversation.project_no = ?2",
    )?;
    let found =
        statement.query_row(params![id.as_str(), log.project_no()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
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
pub(super) fn message(log: &LogWriter<'_>, id: &MessageId) -> StoreResult<StoredMessage> {
    let found = load_message(log.tx.db(), id)?;
    let found = found.filter(|stored| stored.message.project_id == log.name.project_id);
    Ok(found.ok_or_else(|| Refusal::not_found("message", id))?)
}

/// Refuses a task that is not in the project.
pub(super) fn check_task(log: &LogWriter<'_>, id: Option<&TaskId>) -> StoreResult<()> {
    let Some(id) = id else { return Ok(()) };
    task_no(log, id).map(drop)
}

/// The number of a task of the project.
pub(super) fn task_no(log: &LogWriter<'_>, id: &TaskId) -> StoreResult<i64> {
    let sql = "SELECT no\nFROM task\nWHERE id = ?1 AND project_no = ?2";
    let found = number(log.tx.db(), sql, params![id.as_str(), log.project_no()])?;
    Ok(found.ok_or_else(|| Refusal::not_found("task", id))?)
}

/// A run of the project.
pub(super) fn run(log: &LogWriter<'_>, id: &RunId) -> StoreResult<StoredRun> {
    let found = load_run(log.tx.db(), id)?;
    let found = found.filter(|stored| stored.run.project_id == log.name.project_id);
    Ok(found.ok_or_else(|| Refusal::not_found("run", id))?)
}

/// Refuses a batch that is not in the project.
pub(super) fn check_batch(log: &LogWriter<'_>, id: Option<&BatchId>) -> StoreResult<()> {
    let Some(id) = id else { return Ok(()) };
    let sql = "SELECT 1\nFROM batch\nWHERE id = ?1 AND project_no = ?2";
    if log.finds(sql, params![id.as_str(), log.project_no()])? {
        return Ok(());
    }
    Err(Refusal::not_found("batch", id).into())
}

/// Refuses a thread that is not in the project.
pub(super) fn check_thread(log: &LogWriter<'_>, id: Option<&ThreadId>) -> StoreResult<()> {
    let Some(id) = id else { return Ok(()) };
    conversation_no(log, &id.clone().into()).map(drop)
}

/// Refuses if a count exceeds its limit; the write is then undone.
pub(in crate::sqlite) fn check_count(
    tx: &Tx<'_>,
    count_sql: &str,
    params: impl rusqlite::Params,
    most: usize,
    owner: &str,
    items: &str,
) -> StoreResult<()> {
    let count = number(tx.db(), count_sql, params)?.unwrap_or(0);
    if usize::try_from(count).is_ok_and(|count| count <= most) {
        return Ok(());
    }
    Err(Refusal::new(Code::Full, format!("{owner} has at most {most} {items}")).into())
}
