//! Rows of channels, threads and DMs.

use parlour_core::{
    conversation::{Channel, Conversation, ConversationType, Dm, Thread, Visibility},
    id::{ChannelId, ConversationId, MemberId},
};
use rusqlite::{Connection, Row};

use super::{ReadColumn, StoreError, StoreResult, codes};
use crate::sqlite::message_key::StoredMessageId;

/// Selects conversations of any type; continue it with `WHERE`.
macro_rules! select_conversation {
    ($($tail:expr),+) => {
        concat!(
            "SELECT conversation.no, conversation.id, conversation.type, project.id, creator.id,
                 conversation.created_ms, conversation.name, conversation.topic, conversation.is_private,
                 conversation.archived_ms, access.id, root.id
             FROM conversation
             JOIN conversation AS access ON access.no = conversation.access_no
             JOIN project ON project.no = conversation.project_no
             LEFT JOIN member AS creator ON creator.no = conversation.created_by_no
             LEFT JOIN message AS root ON root.no = conversation.root_no\n",
            $($tail),+
        )
    };
}
pub(in crate::sqlite) use select_conversation;

/// Reads a row of `select_conversation!`.
pub(in crate::sqlite) fn conversation_from(db: &Connection, row: &Row<'_>) -> StoreResult<Conversation> {
    Ok(match codes::conversation_type(row.get(2)?)? {
        ConversationType::Channel => Conversation::Channel(channel_from(row)?),
        ConversationType::Thread => Conversation::Thread(thread_from(row)?),
        ConversationType::Dm => Conversation::Dm(dm_from(db, row)?),
    })
}

/// Reads a row of `select_conversation!`.
pub(in crate::sqlite) fn channel_from(row: &Row<'_>) -> StoreResult<Channel> {
    Ok(Channel {
        id: row.parsed(1)?,
        project_id: row.parsed(3)?,
        name: row.parsed(6)?,
        topic: row.get(7)?,
        visibility: if row.get(8)? { Visibility::Private } else { Visibility::Project },
        created_by: row.parsed_opt(4)?,
        created_at: row.time(5)?,
        archived_at: row.time_opt(9)?,
    })
}

/// Reads a row of `select_conversation!`.
pub(in crate::sqlite) fn thread_from(row: &Row<'_>) -> StoreResult<Thread> {
    Ok(Thread {
        id: row.parsed(1)?,
        project_id: row.parsed(3)?,
        channel_id: row.parsed(10)?,
        root_message_id: row.get::<_, StoredMessageId>(11)?.0,
        created_by: row.parsed_opt(4)?,
        created_at: row.time(5)?,
    })
}

/// Reads a row of `select_conversation!`.
pub(in crate::sqlite) fn dm_from(db: &Connection, row: &Row<'_>) -> StoreResult<Dm> {
    let participants = load_members(db, row.get(0)?)?;
    Ok(Dm { id: row.parsed(1)?, project_id: row.parsed(3)?, participants, created_at: row.time(5)? })
}

pub(in crate::sqlite) fn load_conversation(db: &Connection, id: &ConversationId) -> StoreResult<Option<Conversation>> {
    let mut statement = db.prepare_cached(select_conversation!("WHERE conversation.id = ?1"))?;
    statement.query_and_then([id.as_str()], |row| conversation_from(db, row))?.next().transpose()
}

pub(in crate::sqlite) fn load_conversation_by_no(db: &Connection, no: i64) -> StoreResult<Conversation> {
    let mut statement = db.prepare_cached(select_conversation!("WHERE conversation.no = ?1"))?;
    let found = statement.query_and_then([no], |row| conversation_from(db, row))?.next().transpose()?;
    found.ok_or_else(|| StoreError::Unreadable(format!("there is no conversation {no}")))
}

pub(in crate::sqlite) fn load_channel(db: &Connection, id: &ChannelId) -> StoreResult<Option<Channel>> {
    Ok(match load_conversation(db, &id.clone().into())? {
        Some(Conversation::Channel(channel)) => Some(channel),
        _ => None,
    })
}

/// Reads the members of a private channel or a DM, in the order of the core.
pub(in crate::sqlite) fn load_members(db: &Connection, conversation_no: i64) -> StoreResult<Vec<MemberId>> {
    let mut statement = db.prepare_cached(
        "SELECT member.id
         FROM conversation_member
         JOIN member ON member.no = conversation_member.member_no
         WHERE conversation_member.conversation_no = ?1",
    )?;
    let mut members =
        statement.query_and_then([conversation_no], |row| row.parsed(0))?.collect::<StoreResult<Vec<MemberId>>>()?;
    members.sort();
    Ok(members)
}
