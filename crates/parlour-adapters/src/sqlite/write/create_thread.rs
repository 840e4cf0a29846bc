use parlour_core::{
    Refusal, access,
    conversation::{Conversation, Thread},
    event::Change,
    write::Appended,
};
use rusqlite::params;

use super::{find, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    lookup::number,
    rows::{conversation::load_conversation_by_no, message::StoredMessage},
};

/// Opens a thread below a message of its channel; a message that has one keeps it.
pub(super) fn create_thread(scope: &Scope<'_>, thread: Thread) -> StoreResult<Appended> {
    let (channel_no, _) = find::channel(scope, &thread.channel_id)?;
    let root = find::message(scope, &thread.root_message_id)?;
    if root.conversation_no != channel_no {
        return Err(Refusal::not_found("message", &thread.root_message_id).into());
    }
    if let Some(existing) = thread_below(scope, root.no)? {
        return scope.repeated(Change::ThreadCreated(Box::new(existing)));
    }
    access::check_present(&root.message)?;
    find::writable_conversation_no(scope, &thread.channel_id.clone().into())?;
    let thread_no = insert_thread(scope, &thread, channel_no, root.no)?;
    link_root(scope, &root, thread_no)?;
    scope.record(Change::ThreadCreated(Box::new(thread)))
}

fn thread_below(scope: &Scope<'_>, root_no: i64) -> StoreResult<Option<Thread>> {
    let sql = "SELECT no
         FROM conversation
         WHERE root_no = ?1 AND type = 1";
    let Some(thread_no) = number(scope.tx.db(), sql, [root_no])? else { return Ok(None) };
    Ok(match load_conversation_by_no(scope.tx.db(), thread_no)? {
        Conversation::Thread(thread) => Some(thread),
        _ => None,
    })
}

fn insert_thread(scope: &Scope<'_>, thread: &Thread, channel_no: i64, root_no: i64) -> StoreResult<i64> {
    let created_by_no = find::member_no_opt(scope, thread.created_by.as_ref())?;
    Ok(scope.tx.insert(
        "INSERT INTO conversation (id, project_no, type, access_no, is_private, created_by_no, created_ms, root_no)
         VALUES (?1, ?2, 1, ?3, 0, ?4, ?5, ?6)",
        params![
            thread.id.as_str(),
            scope.project_no(),
            channel_no,
            created_by_no,
            thread.created_at.as_millis(),
            root_no
        ],
    )?)
}

/// Notes the thread at the message above it, and that message's author among the agents of the thread.
fn link_root(scope: &Scope<'_>, root: &StoredMessage, thread_no: i64) -> StoreResult<()> {
    scope.tx.execute(
        "UPDATE message
         SET thread_no = ?2, is_linked = 1
         WHERE no = ?1",
        [root.no, thread_no],
    )?;
    if let Some(agent) = root.message.from.member_id().as_ref().and_then(|member| member.agent()) {
        join_thread(scope, thread_no, find::agent_no(scope.tx, scope.project_no(), agent)?)?;
    }
    Ok(())
}

/// Counts an agent among those who are told of new messages in the thread.
pub(super) fn join_thread(scope: &Scope<'_>, thread_no: i64, agent_no: i64) -> StoreResult<()> {
    scope.tx.execute(
        "INSERT INTO thread_agent (thread_no, agent_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [thread_no, agent_no],
    )?;
    Ok(())
}
