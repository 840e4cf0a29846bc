//! Writes that open threads and DMs.

use parlour_core::{
    Refusal, access,
    conversation::{Conversation, Dm, Thread},
    event::Change,
    id::MemberId,
    inbox::thread_root_agent,
    write::Appended,
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    lookup::number,
    rows::{conversation::load_conversation_by_no, message::StoredMessage},
    write::{
        channels::{self, make_access_root},
        find,
        log::LogWriter,
    },
};

/// Opens a thread below a message of its channel. If the message has a thread, it is returned.
pub(super) fn create_thread(log: &LogWriter<'_>, thread: Thread) -> StoreResult<Appended> {
    let (channel_no, _) = find::channel(log, &thread.channel_id)?;
    let root = find::message(log, &thread.root_message_id)?;
    if root.conversation_no != channel_no {
        return Err(Refusal::not_found("message", &thread.root_message_id).into());
    }
    if let Some(existing) = thread_below(log, root.no)? {
        return log.repeated(Change::ThreadCreated(Box::new(existing)));
    }
    access::check_present(&root.message)?;
    find::writable_conversation_no(log, &thread.channel_id.clone().into())?;
    let thread_no = insert_thread(log, &thread, channel_no, root.no)?;
    link_root(log, &root, thread_no)?;
    log.record(Change::ThreadCreated(Box::new(thread)))
}

fn thread_below(log: &LogWriter<'_>, root_no: i64) -> StoreResult<Option<Thread>> {
    let sql = "SELECT no
         FROM conversation
         WHERE root_no = ?1 AND type = 1";
    let Some(thread_no) = number(log.tx.db(), sql, [root_no])? else { return Ok(None) };
    Ok(match load_conversation_by_no(log.tx.db(), thread_no)? {
        Conversation::Thread(thread) => Some(thread),
        _ => None,
    })
}

fn insert_thread(log: &LogWriter<'_>, thread: &Thread, channel_no: i64, root_no: i64) -> StoreResult<i64> {
    let created_by_no = find::member_no_opt(log, thread.created_by.as_ref())?;
    Ok(log.tx.insert(
        "INSERT INTO conversation (id, project_no, type, access_no, is_private, created_by_no, created_ms, root_no)
         VALUES (?1, ?2, 1, ?3, 0, ?4, ?5, ?6)",
        params![
            thread.id.as_str(),
            log.project_no(),
            channel_no,
            created_by_no,
            thread.created_at.as_millis(),
            root_no
        ],
    )?)
}

/// Links the root message to the thread and adds its author to the agents of the thread.
fn link_root(log: &LogWriter<'_>, root: &StoredMessage, thread_no: i64) -> StoreResult<()> {
    log.tx.execute(
        "UPDATE message
         SET thread_no = ?2, is_linked = 1
         WHERE no = ?1",
        [root.no, thread_no],
    )?;
    if let Some(agent) = thread_root_agent(&root.message) {
        join_thread(log, thread_no, find::agent_no(log.tx, log.project_no(), &agent)?)?;
    }
    Ok(())
}

/// Adds an agent to those that receive new messages of the thread.
pub(super) fn join_thread(log: &LogWriter<'_>, thread_no: i64, agent_no: i64) -> StoreResult<()> {
    log.tx.execute(
        "INSERT INTO thread_agent (thread_no, agent_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [thread_no, agent_no],
    )?;
    Ok(())
}

/// Opens a DM. If the participants have one, it is returned.
pub(super) fn create_dm(log: &LogWriter<'_>, dm: Dm) -> StoreResult<Appended> {
    let key = participants_key(&dm.participants);
    if let Some(existing) = dm_of(log, &key)? {
        return log.repeated(Change::DmCreated(Box::new(existing)));
    }
    let dm_no = log.tx.insert(
        "INSERT INTO conversation (id, project_no, type, access_no, is_private, created_ms, participants_key)
         VALUES (?1, ?2, 2, 0, 1, ?3, ?4)",
        params![dm.id.as_str(), log.project_no(), dm.created_at.as_millis(), key],
    )?;
    make_access_root(log, dm_no)?;
    for participant in &dm.participants {
        channels::add_member(log, dm_no, find::member_no(log, participant)?)?;
    }
    log.record(Change::DmCreated(Box::new(dm)))
}

fn dm_of(log: &LogWriter<'_>, key: &str) -> StoreResult<Option<Dm>> {
    let sql = "SELECT no
         FROM conversation
         WHERE project_no = ?1 AND participants_key = ?2 AND type = 2";
    let Some(dm_no) = number(log.tx.db(), sql, params![log.project_no(), key])? else { return Ok(None) };
    Ok(match load_conversation_by_no(log.tx.db(), dm_no)? {
        Conversation::Dm(dm) => Some(dm),
        _ => None,
    })
}

/// The unique key of a DM: the sorted ids of its participants.
fn participants_key(participants: &[MemberId]) -> String {
    let mut ids: Vec<&str> = participants.iter().map(MemberId::as_str).collect();
    ids.sort_unstable();
    ids.join(" ")
}
