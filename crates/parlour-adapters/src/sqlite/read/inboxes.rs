//! What was not read yet.

use parlour_core::{
    access::Principal,
    id::{AgentId, MemberId, MessageId, ProjectId},
    inbox::{ConversationUnread, InboxCounts, InboxEntry},
    paging::{Page, PageRequest},
};
use rusqlite::{Connection, Row, named_params};

use crate::sqlite::{
    access::{Viewer, join_access, readable},
    error::StoreResult,
    lookup::{self, number, page_start, probe, project_no},
    message_key::MessageKey,
    rows::{ReadColumn, codes, message::load_message_by_no},
};

/// Lists an agent's unread messages, oldest first.
pub(in crate::sqlite) fn inbox(db: &Connection, agent: &AgentId, page: &PageRequest) -> StoreResult<Page<InboxEntry>> {
    let Some(agent_no) = lookup::member_no(db, &agent.clone().into())? else {
        return Ok(Page { items: Vec::new(), next: None });
    };
    let mut statement = db.prepare_cached(INBOX)?;
    let entry_from = |row: &Row<'_>| {
        let message = load_message_by_no(db, row.get(0)?)?.message;
        Ok(InboxEntry { reason: codes::reason(row.get(1)?)?, message })
    };
    let rows = statement.query_and_then([agent_no, start(db, agent_no, page)?, probe(page)], entry_from)?;
    let entries = rows.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(entries, page.limit(), |entry: &InboxEntry| entry.message.id.to_string()))
}

pub(super) const INBOX: &str = "SELECT message_no, reason
     FROM inbox
     WHERE agent_no = ?1 AND message_no > ?2
     ORDER BY message_no
     LIMIT ?3";

/// How much waits in an agent's inbox.
pub(in crate::sqlite) fn inbox_counts(db: &Connection, agent: &AgentId) -> StoreResult<InboxCounts> {
    let sql = "SELECT inbox_count.unread
         FROM inbox_count
         JOIN member ON member.no = inbox_count.agent_no
         WHERE member.id = ?1 AND inbox_count.conversation_no = 0";
    let total = number(db, sql, [agent.as_str()])?.unwrap_or(0).unsigned_abs();
    Ok(InboxCounts { total, ..InboxCounts::default() })
}

/// What the caller has not read in each conversation of the project that it may read.
pub(in crate::sqlite) fn unread(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
) -> StoreResult<Vec<ConversationUnread>> {
    let viewer = Viewer::of(db, caller)?;
    let sql = if caller.member.agent().is_some() { UNREAD_OF_AGENT } else { UNREAD_OF_PERSON };
    let mut statement = db.prepare_cached(sql)?;
    let params = named_params! {
        ":project": project_no(db, project)?.unwrap_or(0), ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    statement.query_and_then(params, unread_from)?.collect()
}

/// How many messages of one conversation a member has not read.
pub(in crate::sqlite) fn unread_in(
    db: &Connection,
    member_no: i64,
    member: &MemberId,
    conversation_no: i64,
) -> StoreResult<u64> {
    let sql = if member.agent().is_some() { UNREAD_OF_AGENT_IN } else { UNREAD_OF_PERSON_IN };
    Ok(number(db, sql, [member_no, conversation_no])?.unwrap_or(0).unsigned_abs())
}

pub(super) const UNREAD_OF_AGENT_IN: &str = "SELECT unread
     FROM inbox_count
     WHERE agent_no = ?1 AND conversation_no = ?2";

/// Counted as in `UNREAD_OF_PERSON`.
pub(super) const UNREAD_OF_PERSON_IN: &str = "SELECT (
         SELECT MAX(message.seq)
         FROM message
         WHERE message.conversation_no = ?2
     ) - read_position.seq - (
         SELECT COUNT(*)
         FROM message
         WHERE message.conversation_no = ?2 AND message.seq > read_position.seq AND message.removed_ms IS NOT NULL
     )
     FROM read_position
     WHERE read_position.member_no = ?1 AND read_position.conversation_no = ?2";

/// Everything after the read position but what was removed. Numbers have no gaps, so only removed messages are counted.
pub(super) const UNREAD_OF_PERSON: &str = concat!(
    "SELECT place.id, place.type, place.read_seq, place.last_seq,
         place.last_seq - place.read_seq - (
             SELECT COUNT(*)
             FROM message
             WHERE message.conversation_no = place.no AND message.seq > place.read_seq
                 AND message.removed_ms IS NOT NULL
         ), (
             SELECT COUNT(*)
             FROM mention
             WHERE mention.member_no = :viewer AND mention.conversation_no = place.no
                 AND mention.seq > place.read_seq
         )
     FROM (
         SELECT conversation.no AS no, conversation.id AS id, conversation.type AS type,
             COALESCE(read_position.seq, 0) AS read_seq,
             COALESCE((
                 SELECT MAX(message.seq)
                 FROM message
                 WHERE message.conversation_no = conversation.no
             ), 0) AS last_seq
         FROM conversation\n",
    join_access!(),
    "    LEFT JOIN read_position
             ON read_position.member_no = :viewer AND read_position.conversation_no = conversation.no
         WHERE conversation.project_no = :project AND ",
    readable!(),
    ") AS place
     ORDER BY place.no"
);

/// What stands in the inbox, as counted.
pub(super) const UNREAD_OF_AGENT: &str = concat!(
    "SELECT conversation.id, conversation.type, COALESCE(read_position.seq, 0),
         COALESCE((
             SELECT MAX(message.seq)
             FROM message
             WHERE message.conversation_no = conversation.no
         ), 0),
         COALESCE(inbox_count.unread, 0), COALESCE(inbox_count.mentions, 0)
     FROM conversation\n",
    join_access!(),
    "LEFT JOIN read_position
         ON read_position.member_no = :viewer AND read_position.conversation_no = conversation.no
     LEFT JOIN inbox_count
         ON inbox_count.agent_no = :viewer AND inbox_count.conversation_no = conversation.no
     WHERE conversation.project_no = :project AND ",
    readable!(),
    "\nORDER BY conversation.no"
);

fn unread_from(row: &Row<'_>) -> StoreResult<ConversationUnread> {
    Ok(ConversationUnread {
        conversation_id: row.parsed(0)?,
        conversation_type: codes::conversation_type(row.get(1)?)?,
        read_seq: row.count(2)?,
        last_seq: row.count(3)?,
        unread: row.count(4)?,
        mentions: row.count(5)?,
    })
}

/// The number of the message after which the page begins; it may have been read meanwhile.
fn start(db: &Connection, agent_no: i64, page: &PageRequest) -> StoreResult<i64> {
    let sql = concat!(
        "SELECT message.no
         FROM message
         JOIN member ON member.no = :viewer
         JOIN conversation ON conversation.no = message.conversation_no AND conversation.project_no = member.home_no\n",
        join_access!(),
        "WHERE message.id = :id AND (access.is_private = 0 OR EXISTS (
             SELECT 1
             FROM conversation_member
             WHERE conversation_member.conversation_no = access.no AND conversation_member.member_no = :viewer
         ))"
    );
    page_start(page, |key| {
        let Ok(id) = key.parse::<MessageId>() else { return Ok(None) };
        number(db, sql, named_params! { ":id": MessageKey(&id), ":viewer": agent_no })
    })
}
